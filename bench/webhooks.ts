/**
 * `node bench/webhooks.ts [DELIVERIES] [throughput|latency|hanging] [SECONDS]`: durable signed deliveries a second on
 * PostgreSQL to TLS receivers in a process of their own, compared with undici POSTs without storage in the same rounds, the time
 * from commit to arrival, and what 500 receivers that never answer do to others. Rounds in turn. Loopback only.
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
  type Delays,
  delaysOf,
  newDatabase,
  openAll,
  postgresCpuMs,
  register,
  steady,
  until,
  type Engine,
} from './webhook-load.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, costOf, median, ROUNDS } from './rounds.ts';
import { startReceiverProcess, type ReceiverProcess } from './webhook-receivers.ts';

const CONNECTIONS = 64;
/** Above this share the processors are what limits. */
const FULL = 0.85;
const WAYS = [
  { what: 'kept TLS connections', path: '/keep', share: 1, goal: '3,000' },
  { what: 'a new TLS connection each', path: '/close', share: 0.2, goal: '700' },
] as const;
/** Each takes half a minute. */
const HANGING_ROUNDS = Math.min(ROUNDS, 3);
const PEER = 'undici, signed, on as many connections, without storage';

const [deliveries = '10000', only, seconds = '5'] = process.argv.slice(2);
const receiver = await startReceiverProcess();
const rows: BenchRow[] = [];
if (only === undefined || only === 'throughput') rows.push(...(await throughputs(Number(deliveries))));
if (only === undefined || only === 'latency') rows.push(await latencies());
if (only === undefined || only === 'hanging') rows.push(...(await hangings()));
receiver.child.kill();
console.dir(rows, { depth: null });
if (only === undefined) saveResult('webhooks', rows);

async function throughputs(count: number): Promise<BenchRow[]> {
  const rounds = WAYS.map(() => [] as { readonly durable: Throughput; readonly bare: Cost }[]);
  for (let round = 0; round <= ROUNDS; round++)
    for (const [i, { path, share }] of WAYS.entries()) {
      const wanted = Math.round(count * share);
      const [bare] = await costOf(() => posts(receiver.port, path, wanted));
      const durable = await throughput(await newDatabase(), receiver, path, wanted);
      console.log(path, JSON.stringify(durable), `undici ${Math.round((wanted / bare.ms) * 1_000)}/s`);
      if (round > 0) rounds[i].push({ durable, bare });
    }
  return WAYS.map(({ what, share, goal }, i): BenchRow => {
    const wanted = Math.round(count * share);
    const of = (get: (one: (typeof rounds)[number][number]) => number): number => median(rounds[i].map(get));
    const [ms, cpuMs] = [of(({ durable }) => durable.ms), of(({ durable }) => durable.cpuMs)];
    const perDelivery = (total: number): string => `${((total / wanted) * 1_000).toFixed(0)} µs`;
    return {
      what: `durable signed deliveries a second, PostgreSQL, ${what}, ${wanted.toLocaleString('en')} of them`,
      ours:
        `${Math.round((wanted / ms) * 1_000).toLocaleString('en')}; each takes ${perDelivery(cpuMs)} of processor of the sender and ` +
        `${perDelivery(of(({ durable }) => durable.serverMs))} of PostgreSQL; limited by ${rounds[i].at(-1)?.durable.limitedBy}`,
      peers: [
        {
          name: PEER,
          strongest: true,
          times: of(({ bare }) => bare.ms) / ms,
          processor: of(({ bare }) => bare.cpuMs) / cpuMs,
        },
      ],
      goal,
    };
  });
}

/** POSTs of the same size, signed, by undici with kept or new connections and without any storage. */
async function posts(port: number, path: string, count: number): Promise<void> {
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
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  await agent.close();
}

interface Throughput extends Cost {
  /** Milliseconds of processor of PostgreSQL. */
  readonly serverMs: number;
  readonly limitedBy: string;
}

/** @throws when a delivery is lost, is there twice, or fails. */
async function throughput(
  database: Engine,
  receiver: ReceiverProcess,
  path: string,
  count: number,
): Promise<Throughput> {
  const { store, close } = await openAll(database);
  const idle = await openSite(store, database, { send: false });
  const users = await register(idle, receiver.port, path);
  await complete(store, idle, users, count);
  await idle.close(0);
  await receiver.reset(users.secrets);
  const serverCpu = postgresCpuMs();
  const machineCpu = machineCpuMs();
  const [cost, webhooks] = await costOf(async () => {
    const site = await openSite(store, database, { send: true });
    await until(async () => (await site.count()).pending === 0);
    return site;
  });
  const serverMs = postgresCpuMs() - serverCpu;
  const machineMs = machineCpuMs() - machineCpu;
  const { arrivals, cpuMs } = await receiver.report();
  await webhooks.close(1_000);
  const failures = await store.db
    .selectFrom('webhook_attempts')
    .select(['reason', sql<number>`count(*)::int`.as('count')])
    .where('reason', 'is not', null)
    .groupBy('reason')
    .execute();
  await close();
  const ids = new Set(arrivals.map(({ id }) => id)).size;
  const verified = arrivals.filter((arrival) => arrival.verified).length;
  if (ids !== count || arrivals.length !== count || verified !== count || failures.length > 0)
    throw new Error(
      `of ${count}: ${ids} ids, ${arrivals.length} arrivals, ${verified} verified, ${JSON.stringify(failures)}`,
    );
  const busy = { sender: cost.cpuMs / cost.ms, PostgreSQL: serverMs / cost.ms, receiver: cpuMs / cost.ms };
  return { ...cost, serverMs, limitedBy: limitOf(busy, machineMs / cost.ms) };
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

async function latencies(): Promise<BenchRow> {
  const rounds: Delays[] = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await latency(await newDatabase(), receiver));
  const of = (key: keyof Delays): number => median(rounds.slice(1).map((round) => round[key]));
  return {
    what: `commit to arrival at 200 events a second for ${seconds} s`,
    ours: `p50 ${of('p50')}, p99 ${of('p99')} ms`,
    goal: 'p99 1 s',
  };
}

/** 200 events a second, each committed alone; from the commit to the arrival of its request. */
async function latency(database: Engine, receiver: ReceiverProcess): Promise<Delays> {
  const { store, close } = await openAll(database);
  const webhooks = await openSite(store, database);
  const users = await register(webhooks, receiver.port, '/keep');
  await receiver.reset(users.secrets);
  const committed = await steady(store, webhooks, users.ids, { perSecond: 200, seconds: Number(seconds) });
  await until(async () => (await webhooks.count()).pending === 0);
  const { arrivals } = await receiver.report();
  await webhooks.close(1_000);
  await close();
  return delaysOf(committed, arrivals);
}

async function hangings(): Promise<BenchRow[]> {
  const rounds: Record<string, Delays>[] = [];
  for (let round = 0; round <= HANGING_ROUNDS; round++) rounds.push(await hanging(await newDatabase(), receiver));
  return Object.keys(rounds[0]).map((what): BenchRow => {
    const of = (key: keyof Delays): number => median(rounds.slice(1).map((round) => round[what][key]));
    return {
      what: `commit to arrival at ${what}, ${HANGING_ROUNDS} rounds`,
      ours: `p50 ${of('p50')}, p99 ${of('p99')} ms`,
      goal: 'p99 2 s',
    };
  });
}

/** Users at 100/s: alone, next to 500 users of other hosts and next to 500 of the same host whose receivers never answer. */
async function hanging(database: Engine, receiver: ReceiverProcess): Promise<Record<string, Delays>> {
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
    { what: '100 events a second: alone', users: spread, stuckAt: null },
    {
      what: '100 events a second next to 500 receivers of other hosts that never answer',
      users: spread,
      stuckAt: (i: number) => `stuck${i}`,
    },
    {
      what: '100 events a second of ten users next to 500 receivers of their own host that never answer',
      users: together,
      stuckAt: () => 'shared',
    },
  ];
  const found: Record<string, Delays> = {};
  for (const [n, { what, users, stuckAt }] of cases.entries()) {
    if (stuckAt !== null) {
      const stuck = Array.from({ length: 500 }, (_, i) => `hanging-${n}-${i}`);
      for (const [i, userId] of stuck.entries()) await webhooks.register(userId, at(stuckAt(i), `/hang?u=${i}`));
      await complete(store, webhooks, { ids: stuck, secrets: {} }, 2_000);
    }
    await receiver.reset(users.secrets);
    const committed = await steady(store, webhooks, users.ids, { perSecond: 100, seconds: Number(seconds) });
    await new Promise((done) => setTimeout(done, 3_000));
    const arrivals = (await receiver.report()).arrivals;
    found[what] = delaysOf(committed, arrivals);
    console.log(what, found[what], `in flight ${webhooks.status().sending}`);
    if (stuckAt !== null) for (let i = 0; i < 500; i++) await webhooks.remove(`hanging-${n}-${i}`);
  }
  await webhooks.close(0);
  await close();
  return found;
}
