/**
 * The process that is killed: it waits until the submission of the process before it has an end, reports it, records one
 * of its own and files it, and is killed at the point of the order.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { openFilingQueue } from '../../src/db/traces/open-filing-queue.ts';
import { createSubmissionStore } from '../../src/db/traces/submissions.ts';
import { openStore } from '../../src/db/open-store.ts';
import { createLog } from '../../src/log.ts';
import { openClient } from '../../src/traces/client/open-client.ts';
import { openSoap } from '../../src/traces/client/post-soap.ts';
import { startFiler } from '../../src/traces/filing/start-filer.ts';
import { FAKE_CREDENTIALS } from '../traces/fake-traces.ts';
import { newSubmission } from '../traces/new-submission.ts';
import { CRASH_TIMES, type TracesCrashOrder } from './traces-crash-rounds.ts';

const { base, dataDir, databaseUrl, previous, point } = JSON.parse(process.argv[2]!) as TracesCrashOrder;
const store = await openStore({ dataDir, databaseUrl, poolSize: 3, log: createLog({ level: 'error', json: true }) });
const submissions = createSubmissionStore(store);
const soap = openSoap({ deadlineMs: 5_000 });
let armed = false;
const die = (at: string): void => {
  if (armed && point === at) process.kill(process.pid, 'SIGKILL');
};
const client = openClient(FAKE_CREDENTIALS, {
  base,
  async post(message, signal) {
    const isSubmission = message.message.includes('SubmitDdsRequest');
    if (isSubmission) die('handed over, not sent');
    const answer = await soap.post(message, signal);
    if (isSubmission) die('answered, not recorded');
    return answer;
  },
  takeTurn: async () => {},
  stamp: () => ({ at: new Date(), nonce: randomBytes(16) }),
  wait: (ms) => wait(ms),
});
startFiler({
  queue: await openFilingQueue(store, randomUUID(), { leaseS: 1 }),
  clientOf: async () => client,
  log: createLog({ level: 'error', json: true }),
  pollMs: 20,
  times: { test: CRASH_TIMES, acceptance: CRASH_TIMES, production: CRASH_TIMES },
});
if (previous !== null) {
  let found = await submissions.get('traces-user', previous);
  for (let i = 0; i < 1_500 && found?.state !== 'available'; i++) {
    await wait(20);
    found = await submissions.get('traces-user', previous);
  }
  process.send!({ ended: { ...found, failure: found?.failure?.detail ?? null } });
}
if (point === null) process.exit(0);
armed = true;
const { id, internalReference } = await submissions.add(newSubmission());
process.send!({ recorded: id, internalReference });
