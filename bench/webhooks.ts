/**
 * `node bench/webhooks.ts [DELIVERIES] [throughput|latency|hanging] [SECONDS]`: durable signed deliveries a second on
 * PostgreSQL to TLS receivers in a process of their own, compared with the ceiling of the same run (undici POSTs without
 * storage), the time from commit to arrival, and what 500 receivers that never answer do to others. Loopback only.
 */
import { createHmac } from 'node:crypto';
import { availableParallelism, cpus } from 'node:os';
import { sql } from 'kysely';
import { Agent } from 'undici';
import { TEST_AUTHORITY } from '../test/end-to-end/webhooks/webhooks-receiver.ts';
import { openSite } from '../test/end-to-end/webhooks/webhooks-site.ts';
import {
  complete,
  DATA,
  delaysOf,
  newDatabase,
  openAll,
  postgresCpuMs,
  register,
  steady,
  until,
  type Engine,
} from './webhook-load.ts';
import { startReceiverProcess, type ReceiverProcess } from './webhook-receivers.ts';

const CONNECTIONS = 64;
/** Above this share the processors are what limits. */
const FULL = 0.85;

const [deliveries = '50000', only, seconds = '20'] = process.argv.slice(2);
const receiver = await startReceiverProcess();
if (only === undefined || only === 'throughput') console.table(await throughputs(receiver, Number(deliveries)));
if (only === undefined || only === 'latency')
  console.table([await latency(await newDatabase(), receiver, Number(seconds))]);
if (only === undefined || only === 'hanging') console.table(await hanging(await newDatabase(), receiver));
receiver.child.kill();

async function throughputs(receiver: ReceiverProcess, count: number): Promise<object[]> {
  const rows: object[] = [];
  for (const [what, path, share] of [
    ['kept connections', '/keep', 1],
    ['a new connection each', '/close', 0.2],
  ] as const) {
    const wanted = Math.round(count * share);
    const before = await ceiling(receiver.port, path, wanted);
    const durable = await throughput(await newDatabase(), receiver, path, wanted);
    const after = await ceiling(receiver.port, path, wanted);
    const limit = (before + after) / 2;
    const ratio = (durable['deliveries/s'] / limit).toFixed(2);
    rows.push({ what, ...durable, 'ceiling/s': Math.round(limit), ratio });
  }
  return rows;
}

/** POSTs of the same size, signed, by undici with kept or new connections and without any storage. */
async function ceiling(port: number, path: string, count: number): Promise<number> {
  const agent = new Agent({
    connect: { ca: TEST_AUTHORITY },
    connections: CONNECTIONS,
    allowH2: false,
    pipelining: path === '/keep' ? 1 : 0,
  });
  const body = JSON.stringify({
    created_at: new Date().toISOString(),
    data: DATA,
    id: 'evt_x',
    type: 'batch_zonal_stats_complete',
  });
  let left = count;
  const loop = async (): Promise<void> => {
    while (left-- > 0) {
      const t = Math.floor(Date.now() / 1_000);
      const signature = createHmac('sha256', 'whsec_x').update(`${t}.${body}`).digest('hex');
      const answer = await agent.request({
        origin: `https://localhost:${port}`,
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-webhook-signature': `t=${t}, v1=${signature}` },
        body,
      });
      await answer.body.dump();
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  const rate = count / ((performance.now() - begun) / 1_000);
  await agent.close();
  return rate;
}

async function throughput(database: Engine, receiver: ReceiverProcess, path: string, count: number) {
  const { store, close } = await openAll(database);
  const idle = await openSite(store, database, { send: false });
  const users = await register(idle, receiver.port, path);
  const loaded = performance.now();
  await complete(store, idle, users, count);
  const recordRate = count / ((performance.now() - loaded) / 1_000);
  await idle.close(0);
  await receiver.reset(users.secrets);
  const cpu = process.cpuUsage();
  const serverCpu = postgresCpuMs();
  const machineCpu = machineCpuMs();
  const begun = performance.now();
  const webhooks = await openSite(store, database, { send: true });
  await until(async () => (await webhooks.count()).pending === 0);
  const seconds = (performance.now() - begun) / 1_000;
  const used = process.cpuUsage(cpu);
  const serverMs = postgresCpuMs() - serverCpu;
  const machineMs = machineCpuMs() - machineCpu;
  const { arrivals, connections, cpuMs } = await receiver.report();
  await webhooks.close(1_000);
  const failures = await store.db
    .selectFrom('webhook_attempts')
    .select(['reason', sql<number>`count(*)::int`.as('count')])
    .where('reason', 'is not', null)
    .groupBy('reason')
    .execute();
  const busy = {
    sender: (used.user + used.system) / 1e6 / seconds,
    PostgreSQL: serverMs / 1e3 / seconds,
    receiver: cpuMs / 1e3 / seconds,
  };
  const result = {
    'deliveries/s': Math.round(count / seconds),
    'ids at the receiver': `${new Set(arrivals.map(({ id }) => id)).size} of ${count}`,
    connections,
    duplicates: arrivals.length - new Set(arrivals.map(({ id }) => id)).size,
    'signatures verified': arrivals.filter(({ verified }) => verified).length,
    'failed attempts': failures.map(({ reason, count }) => `${count} ${reason}`).join(', ') || 'none',
    'recorded/s': Math.round(recordRate),
    'limited by': limitOf(busy, machineMs / 1e3 / seconds),
  };
  await close();
  return result;
}

/** What was busy all the time, with the processors that each process took, and all else that ran on the machine. */
function limitOf(busy: Readonly<Record<string, number>>, machine: number): string {
  const cores = availableParallelism();
  const ours = Object.values(busy).reduce((sum, share) => sum + share, 0);
  const shares = Object.entries({ ...busy, others: Math.max(0, machine - ours) })
    .map(([who, share]) => `${who} ${share.toFixed(2)}`)
    .join(', ');
  if (machine > FULL * cores) return `all ${cores} processors: ${shares}`;
  const thread = Object.entries(busy).find(([, share]) => share > FULL);
  return `${thread === undefined ? 'waiting' : `the thread of ${thread[0]}`}: ${shares}`;
}

/** Processor time that everything on the machine has used so far. */
function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** 200 events a second, each committed alone; from the commit to the arrival of its request. */
async function latency(database: Engine, receiver: ReceiverProcess, seconds: number): Promise<object> {
  const { store, close } = await openAll(database);
  const webhooks = await openSite(store, database);
  const users = await register(webhooks, receiver.port, '/keep');
  await receiver.reset(users.secrets);
  const committed = await steady(store, webhooks, users.ids, { perSecond: 200, seconds });
  await until(async () => (await webhooks.count()).pending === 0);
  const { arrivals } = await receiver.report();
  const delays = delaysOf(committed, arrivals);
  const ids = new Set(arrivals.map(({ id }) => id)).size;
  await webhooks.close(1_000);
  await close();
  return { what: 'commit to arrival at 200/s', ...delays, arrived: ids, duplicates: arrivals.length - ids };
}

/** Users at 100/s: alone, next to 500 users of other hosts and next to 500 of the same host whose receivers never answer. */
async function hanging(database: Engine, receiver: ReceiverProcess): Promise<object[]> {
  const { store, close } = await openAll(database);
  const webhooks = await openSite(store, database);
  const at = (host: string, path: string): string => `https://${host}.receivers.test:${receiver.port}${path}`;
  const spread = await register(webhooks, receiver.port, '/keep');
  const together = {
    ids: Array.from({ length: 10 }, (_, i) => `together-${i}`),
    secrets: {} as Record<string, string>,
  };
  for (const [i, userId] of together.ids.entries())
    together.secrets[String(i)] = (await webhooks.register(userId, at('shared', `/keep?u=${i}`))).clientSecret;
  const cases = [
    { what: '100/s alone', users: spread, stuckAt: null },
    { what: '100/s, 500 receivers of other hosts hang', users: spread, stuckAt: (i: number) => `stuck${i}` },
    { what: '100/s of ten users, 500 receivers of their host hang', users: together, stuckAt: () => 'shared' },
  ];
  const rows: object[] = [];
  for (const [n, { what, users, stuckAt }] of cases.entries()) {
    if (stuckAt !== null) {
      const stuck = Array.from({ length: 500 }, (_, i) => `hanging-${n}-${i}`);
      for (const [i, userId] of stuck.entries()) await webhooks.register(userId, at(stuckAt(i), `/hang?u=${i}`));
      await complete(store, webhooks, { ids: stuck, secrets: {} }, 2_000);
    }
    await receiver.reset(users.secrets);
    const committed = await steady(store, webhooks, users.ids, { perSecond: 100, seconds: 20 });
    await new Promise((done) => setTimeout(done, 3_000));
    const arrivals = (await receiver.report()).arrivals;
    rows.push({ what, ...delaysOf(committed, arrivals), 'in flight': webhooks.status().sending });
    if (stuckAt !== null) for (let i = 0; i < 500; i++) await webhooks.remove(`hanging-${n}-${i}`);
  }
  await webhooks.close(0);
  await close();
  return rows;
}
