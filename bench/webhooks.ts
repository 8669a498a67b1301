/**
 * `node bench/webhooks.ts [DELIVERIES]`: durable signed deliveries a second on PostgreSQL to TLS receivers in a process of
 * their own, beside the ceiling of the same run (undici POSTs without storage), the time from commit to arrival, and what
 * 500 receivers that never answer do to others. Loopback only.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { Agent } from 'undici';
import type { WebhookService } from '../src/service/webhooks.ts';
import type { Store } from '../src/store/open-store.ts';
import { testEngines } from '../test/contracts/engines.ts';
import { TEST_AUTHORITY, testCertificate } from '../test/end-to-end/webhooks-receiver.ts';
import { openSite, openSiteStore } from '../test/end-to-end/webhooks-site.ts';

const USERS = 400;
const HOSTS = 200;
const CONNECTIONS = 64;
const DATA = { collection_name: 'cocoa lot 7', description: 'x'.repeat(300), urls: { biodiversity: 'y'.repeat(200) } };

interface Arrival {
  readonly id: string;
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  readonly verified: boolean;
}

if (process.argv[2] === 'receiver') await receive();
else await runAll(Number(process.argv[2] ?? 20_000));

async function runAll(count: number): Promise<void> {
  const engine = (await testEngines()).find(({ name, skip }) => name === 'postgres' && skip === false);
  if (engine === undefined) throw new Error('wanted a PostgreSQL server, found none');
  const rows: object[] = [];
  const receiver = await startReceiverProcess();
  for (const [name, path, share] of [
    ['kept connections', '/keep', 1],
    ['a new connection each', '/close', 0.2],
  ] as const) {
    const wanted = Math.round(count * share);
    const before = await ceiling(receiver.port, path, wanted);
    const durable = await throughput(await engine.create(), receiver, path, wanted);
    const after = await ceiling(receiver.port, path, wanted);
    const limit = (before + after) / 2;
    rows.push({
      what: name,
      ...durable,
      'ceiling/s': Math.round(limit),
      ratio: (durable['deliveries/s'] / limit).toFixed(2),
    });
  }
  console.table(rows);
  if (process.argv[3] === 'throughput') return void receiver.child.kill();
  console.table([await latency(await engine.create(), receiver)]);
  console.table(await hanging(await engine.create(), receiver));
  receiver.child.kill();
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

type Engine = Awaited<ReturnType<Awaited<ReturnType<typeof testEngines>>[number]['create']>>;

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
  const begun = performance.now();
  const webhooks = await openSite(store, database, { send: true });
  await until(async () => (await webhooks.count()).pending === 0);
  const seconds = (performance.now() - begun) / 1_000;
  const used = process.cpuUsage(cpu);
  const serverMs = postgresCpuMs() - serverCpu;
  const { arrivals, connections } = await receiver.report();
  await webhooks.close(1_000);
  const failures = await store.db
    .selectFrom('webhook_attempts')
    .select(['reason', sql<number>`count(*)::int`.as('count')])
    .where('reason', 'is not', null)
    .groupBy('reason')
    .execute();
  const result = {
    'deliveries/s': Math.round(count / seconds),
    'ids at the receiver': `${new Set(arrivals.map(({ id }) => id)).size} of ${count}`,
    connections,
    duplicates: arrivals.length - new Set(arrivals.map(({ id }) => id)).size,
    'signatures verified': arrivals.filter(({ verified }) => verified).length,
    'failed attempts': failures.map(({ reason, count }) => `${count} ${reason}`).join(', ') || 'none',
    'recorded/s': Math.round(recordRate),
    'sender ms each': ((used.user + used.system) / 1e3 / count).toFixed(3),
    'PostgreSQL ms each': (serverMs / count).toFixed(3),
  };
  await close();
  return result;
}

/** 200 events a second, each committed alone; from the commit to the arrival of its request. */
async function latency(database: Engine, receiver: ReceiverProcess): Promise<object> {
  const { store, close } = await openAll(database);
  const webhooks = await openSite(store, database);
  const users = await register(webhooks, receiver.port, '/keep');
  await receiver.reset(users.secrets);
  const committed = await steady(store, webhooks, users.ids, { perSecond: 200, seconds: 20 });
  await until(async () => (await webhooks.count()).pending === 0);
  const delays = delaysOf(committed, (await receiver.report()).arrivals);
  await webhooks.close(1_000);
  await close();
  return { what: 'commit to arrival at 200/s', ...delays };
}

/** Other users at 100/s, before and while 500 users have receivers that never answer. */
async function hanging(database: Engine, receiver: ReceiverProcess): Promise<object[]> {
  const { store, close } = await openAll(database);
  const webhooks = await openSite(store, database);
  const users = await register(webhooks, receiver.port, '/keep');
  const rows: object[] = [];
  for (const what of ['100/s alone', '100/s beside 500 hanging receivers']) {
    if (what !== '100/s alone') {
      const stuck = Array.from({ length: 500 }, (_, i) => `hanging-${i}`);
      for (const [i, userId] of stuck.entries())
        await webhooks.register(userId, `https://stuck${i}.receivers.test:${receiver.port}/hang`);
      await complete(store, webhooks, { ids: stuck, secrets: {} }, 2_000);
    }
    await receiver.reset(users.secrets);
    const committed = await steady(store, webhooks, users.ids, { perSecond: 100, seconds: 20 });
    await new Promise((done) => setTimeout(done, 3_000));
    const arrivals = (await receiver.report()).arrivals;
    rows.push({ what, ...delaysOf(committed, arrivals), 'in flight': webhooks.status().sending });
  }
  await webhooks.close(0);
  await close();
  return rows;
}

interface Users {
  readonly ids: readonly string[];
  readonly secrets: Readonly<Record<string, string>>;
}

async function register(webhooks: WebhookService, port: number, path: string): Promise<Users> {
  const ids = Array.from({ length: USERS }, (_, i) => `user-${i}`);
  const secrets: Record<string, string> = {};
  for (const [i, userId] of ids.entries()) {
    const { clientSecret } = await webhooks.register(
      userId,
      `https://h${i % HOSTS}.receivers.test:${port}${path}?u=${i}`,
    );
    secrets[String(i)] = clientSecret;
  }
  return { ids, secrets };
}

/** In transactions of 100, as fast as it goes. */
async function complete(store: Store, webhooks: WebhookService, users: Users, count: number): Promise<void> {
  const batches = Array.from({ length: Math.ceil(count / 100) }, (_, i) => i);
  const lane = async (): Promise<void> => {
    for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
      const first = batch * 100;
      await store.db.transaction().execute(async (trx) => {
        for (let i = first; i < Math.min(first + 100, count); i++)
          await webhooks.recordCompletion(trx, {
            userId: users.ids[i % users.ids.length] as string,
            type: 'batch_zonal_stats_complete',
            data: DATA,
            uniqueKey: randomUUID(),
          });
      });
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}

/** Commits at a steady rate; returns when each event was committed, by its id. */
async function steady(
  store: Store,
  webhooks: WebhookService,
  ids: readonly string[],
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<ReadonlyMap<string, number>> {
  const committed = new Map<string, number>();
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let i = 0; i < perSecond * seconds; i++) {
    const wait = begun + (i * 1_000) / perSecond - performance.now();
    if (wait > 1) await new Promise((done) => setTimeout(done, wait));
    const work = { userId: ids[i % ids.length] as string, type: 'batch_zonal_stats_complete', data: DATA } as const;
    const key = randomUUID();
    running.push(
      store.db
        .transaction()
        .execute((trx) => webhooks.recordCompletion(trx, { ...work, uniqueKey: key }))
        .then(() => void committed.set(key, now())),
    );
  }
  await Promise.all(running);
  const keys = await store.db.selectFrom('webhook_events').select(['id', 'unique_key']).execute();
  return new Map(
    keys.flatMap(({ id, unique_key: key }) =>
      key !== null && committed.has(key) ? [[id, committed.get(key) as number]] : [],
    ),
  );
}

function delaysOf(committed: ReadonlyMap<string, number>, arrivals: readonly Arrival[]): object {
  const first = new Map<string, number>();
  for (const { id, at } of arrivals) first.set(id, Math.min(first.get(id) ?? Infinity, at));
  const delays = [...committed].map(([id, at]) => (first.get(id) ?? Infinity) - at).sort((a, b) => a - b);
  const at = (share: number): number => Math.round((delays[Math.floor(delays.length * share)] ?? NaN) * 10) / 10;
  return { events: delays.length, 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'max ms': at(0.999_999) };
}

async function openAll(database: Engine): Promise<{ store: Store; close: () => Promise<void> }> {
  const store = await openSiteStore(database);
  return {
    store,
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 2_000) throw new Error('the deliveries did not end');
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Processor time that all processes of PostgreSQL have used so far, in ms; 0 where /proc does not tell. */
function postgresCpuMs(): number {
  let ticks = 0;
  for (const pid of existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (!text.includes('(postgres)')) continue;
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * 10;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

interface ReceiverProcess {
  readonly child: ChildProcess;
  readonly port: number;
  reset(secrets: Readonly<Record<string, string>>): Promise<void>;
  report(): Promise<{ readonly arrivals: readonly Arrival[]; readonly connections: number }>;
}

async function startReceiverProcess(): Promise<ReceiverProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['receiver']);
  const ask = async (message: object): Promise<unknown> => {
    const answer = once(child, 'message');
    child.send(message);
    return (await answer)[0];
  };
  const [port] = (await once(child, 'message')) as [number];
  return {
    child,
    port,
    reset: async (secrets) => void (await ask({ reset: secrets })),
    report: async () => (await ask({ report: true })) as Awaited<ReturnType<ReceiverProcess['report']>>,
  };
}

/** The process of the receivers: verifies every signature and keeps id and time. */
async function receive(): Promise<void> {
  let arrivals: Arrival[] = [];
  let connections = 0;
  let secrets: Readonly<Record<string, string>> = {};
  const server = createServer({ ...testCertificate('valid'), keepAliveTimeout: 60_000 });
  server.on('request', (request, response) => {
    const at = now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://x');
      if (pathname === '/hang') return;
      const id = String(request.headers['webhook-id'] ?? '');
      if (id !== '') {
        const [, t, v1] =
          /^t=(\d+), v1=([0-9a-f]{64})$/.exec(String(request.headers['x-service-webhook-signature'])) ?? [];
        const digest = createHmac('sha256', secrets[searchParams.get('u') ?? ''] ?? '').update(`${t}.`);
        for (const chunk of chunks) digest.update(chunk);
        arrivals.push({ id, at, verified: digest.digest('hex') === v1 });
      }
      response.writeHead(200, pathname === '/close' ? { connection: 'close' } : {}).end('ok');
    });
  });
  server.on('connection', (socket: Socket) => {
    connections++;
    socket.on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', 4_096, done));
  process.send?.((server.address() as AddressInfo).port);
  process.on('message', (message: { reset?: Record<string, string>; report?: true }) => {
    if (message.report === true) return void process.send?.({ arrivals, connections });
    secrets = message.reset ?? {};
    arrivals = [];
    connections = 0;
    process.send?.('ready');
  });
  process.on('disconnect', () => process.exit(0));
}
