import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '../../../src/webhooks/verify-webhook.ts';
import type { TestDatabase } from '../../contracts/engines.ts';
import {
  DUPLICATES_ALLOWED,
  type CrashFindings,
  type CrashMessage,
  type CrashOrder,
  type CrashPoint,
} from './webhook-crash-points.ts';
import { testCertificate } from './webhooks-receiver.ts';

/** What was seen at one point. */
export interface CrashRow {
  readonly point: string;
  readonly runs: number;
  /** Work that was committed and has no event, no email, or was never received or recorded as delivered. */
  readonly lost: number;
  /** Requests the receiver got for which the log has no attempt. */
  readonly duplicates: number;
  /** What must not be, one line each. */
  readonly faults: readonly string[];
}

const CHILD = join(import.meta.dirname, 'webhook-crash-child.fixture.ts');
/** Longer than a lease. */
const STEP_S = 26;
const MESSAGE_MS = 60_000;

/**
 * Kills a process `runs` times at each point. Every process delivers what the one before left behind, is killed itself at
 * its own point, and the next one is told to do the same: one start for each kill.
 */
export async function webhookCrashRounds(
  database: TestDatabase,
  points: readonly CrashPoint[],
  runs: number,
): Promise<readonly CrashRow[]> {
  await using receiver = await startCrashReceiver();
  const found = new Map<CrashPoint, { lost: number; duplicates: number; faults: string[] }>();
  for (const point of points) found.set(point, { lost: 0, duplicates: 0, faults: [] });
  const plan = points.flatMap((point) => Array.from({ length: runs }, () => ({ point, key: `work ${randomUUID()}` })));
  let secret = '';
  let standby = startChild();
  for (let i = 0; i <= plan.length; i++) {
    const previous = plan[i - 1] ?? null;
    const next = plan[i] ?? null;
    const child = standby;
    // Loads its modules while this one works.
    if (next !== null) standby = startChild();
    const { dataDir, databaseUrl } = database;
    const order: CrashOrder = {
      dataDir,
      databaseUrl,
      aheadS: i * STEP_S,
      port: receiver.port,
      previous: previous?.key ?? null,
      next: next && { key: next.key, point: next.point.name },
    };
    receiver.obey(child, null);
    const told = child.expect();
    child.process.send(order);
    const first = await told;
    if (typeof first !== 'object') throw new Error('wanted what was found');
    if ('secret' in first) secret = first.secret;
    if ('found' in first && previous !== null) note(found.get(previous.point)!, previous, first.found);
    if (next === null) {
      await child.ended;
      break;
    }
    receiver.obey(child, next);
    child.process.send('go');
    await child.killed();
  }
  return [...found].map(([point, { lost, duplicates, faults }]) => ({
    point: point.name,
    runs,
    lost,
    duplicates,
    faults,
  }));

  function note(
    row: { lost: number; duplicates: number; faults: string[] },
    { point, key }: { readonly point: CrashPoint; readonly key: string },
    findings: CrashFindings,
  ): void {
    const requests = receiver.received(key);
    const duplicates = requests.length - findings.attempts;
    row.duplicates += Math.max(0, duplicates);
    const fault = (text: string): void => void row.faults.push(`${key}: ${text} ${JSON.stringify(findings)}`);
    const written = findings.writtenAgain ? 'no' : 'yes';
    const complete = findings.events === 1 && findings.emails === 1 && findings.state === 'delivered';
    const vanished = point.committed === 'yes' && findings.writtenAgain;
    if (!complete || vanished || requests.length === 0) {
      row.lost++;
      fault(`lost; ${requests.length} requests`);
    }
    if (point.committed === 'no' && written === 'yes') fault('written without its commit');
    if (duplicates < 0 || duplicates > DUPLICATES_ALLOWED[point.sent]) fault(`${requests.length} requests`);
    for (const { body, signature } of requests) {
      const { id } = verifyWebhook(body, signature, secret, { tolerance: Number.MAX_SAFE_INTEGER });
      if (id !== findings.eventId) fault(`another id, ${id}`);
    }
  }
}

interface CrashChild {
  readonly process: ChildProcess;
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  /** The next message, or an error when the process ends before it. */
  expect(): Promise<CrashMessage>;
  /** Resolves when it was killed as planned. */
  killed(): Promise<void>;
}

function startChild(): CrashChild {
  const child = fork(CHILD, [], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'firstmile-test-compile-cache') },
  });
  const ended = once(child, 'exit') as unknown as CrashChild['ended'];
  const within = <T>(what: string, work: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${what} did not come within ${MESSAGE_MS} ms`));
      }, MESSAGE_MS);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  };
  return {
    process: child,
    ended,
    expect: () =>
      within(
        'a message of the process',
        Promise.race([
          once(child, 'message').then(([message]) => message as CrashMessage),
          ended.then(([code, signal]) => Promise.reject(new Error(`the process ended with ${signal ?? code}`))),
        ]),
      ),
    async killed() {
      const [code, signal] = await within('the kill', ended);
      if (signal !== 'SIGKILL') throw new Error(`the process was to be killed and ended with ${signal ?? code}`);
    },
  };
}

interface CrashReceiver extends AsyncDisposable {
  readonly port: number;
  /** From now on connections are the child's; those of `next` meet its point. */
  obey(child: CrashChild, next: { readonly point: CrashPoint } | null): void;
  /** Requests that came whole and tell of the work. */
  received(key: string): readonly { readonly body: string; readonly signature: string }[];
}

/** A receiver that kills its sender at the points that are outside it. */
async function startCrashReceiver(): Promise<CrashReceiver> {
  const received = new Map<string, { body: string; signature: string }[]>();
  const sockets = new Set<Socket>();
  let child: CrashChild;
  let point: CrashPoint['name'] | null = null;
  const server = createServer({ ...testCertificate('valid') });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    if (point === 'connected, before TLS') child.process.kill('SIGKILL');
  });
  server.on('tlsClientError', () => {});
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      const key = (JSON.parse(body) as { data: { collection_name: string } }).data.collection_name;
      const signature = String(request.headers['x-service-webhook-signature']);
      received.set(key, [...(received.get(key) ?? []), { body, signature }]);
      if (point === 'request received, not answered') return void child.process.kill('SIGKILL');
      if (point === 'stopping, request on its way') return void killWhileStopping(child);
      // Closed, so that the next delivery resolves and connects again.
      const status = point === 'failure recorded, next attempt to come' ? 500 : 200;
      response.writeHead(status, { connection: 'close' }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as AddressInfo).port,
    obey(next, planned) {
      child = next;
      point = planned?.point.name ?? null;
    },
    received: (key) => received.get(key) ?? [],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function killWhileStopping({ process: child }: CrashChild): Promise<void> {
  const stopping = once(child, 'message');
  child.send('stop');
  await stopping;
  await new Promise((done) => setTimeout(done, Math.random() * 20));
  child.kill('SIGKILL');
}
