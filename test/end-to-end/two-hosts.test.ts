import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as SqlClient } from 'pg';
import { makePack } from '../made-up-pack.ts';
import { runs } from '../property-runs.ts';
import { startTestBucket, type TestBucket } from '../test-bucket.ts';
import { testEngines, type TestDatabase } from '../contracts/engines.ts';
import { cuttableDatabase, type CuttableDatabase } from './database-outage.ts';
import { routeCalls } from './client-calls.ts';
import { operationsOf, type OpenApi } from './document-calls.ts';
import { fillDataFolder } from './fill-data-folder.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { prepareCalls, readAnswer, sendCall } from './prepare-calls.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';
import { isSigned, type Received } from './webhooks/is-signed.ts';
import { openBalancer, startOwnDatabase, whyNoCluster, type Balancer, type OwnDatabase } from './two-hosts.ts';

/** `PROPERTY_RUNS=full` also restarts every process under load, and the server of the database itself. */
const isLong = runs(1, 0) === 1;
const POINT = 'POINT(102.6124 4.5821)';
const FACILITY = `/validate_facility?geometry=${encodeURIComponent(POINT)}&facility_name=Kilang%20Sawit%20Contoh&commodity_type=palm`;
const PATCH = JSON.stringify({
  features: [{ type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [102.61, 4.6] }, properties: {} }],
});
/** One small batch at a time in the load of a rolling restart. */
const ONE_PLOT = madeUpPlots(1);
const BATCH_EVERY_MS = 1_000;
const EMAIL = 'ana@example.org';
const PASSWORD = 'correct horse battery staple';
const SCOPES = 'validate,forest,collections,review,webhooks,traces,admin';
const PLOTS = madeUpPlots(40);
/** Enough parts that some are left while the database is away. */
const MANY = 8_000;
const [, postgres] = testEngines();

describe('two hosts, one database and one bucket', { skip: postgres?.skip ?? true }, () => {
  let folder: string;
  let bucket: TestBucket;
  let database: TestDatabase | null = null;
  let own: OwnDatabase | null = null;
  let way: CuttableDatabase;
  let databaseUrl = '';
  let balancer: Balancer;
  let env: Readonly<Record<string, string>>;
  let receiver: Server;
  const received: (Received & { readonly path: string })[] = [];
  const serves: RunningProcess[] = [];
  const workers: RunningProcess[] = [];

  const startHost = async (i: number, command: 'serve' | 'worker'): Promise<RunningProcess> => {
    const cwd = join(folder, `cwd-${command}-${i}`);
    await mkdir(cwd, { recursive: true });
    const runTasks = command === 'serve' ? { RUN_TASKS: 'off' } : {};
    return runService({ command, cwd, dataDir: dataDirOf(i, command), env: { ...env, ...runTasks } });
  };
  const dataDirOf = (i: number, command = 'serve') => join(folder, `data-${command}-${i}`);
  const receiverUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-hosts-'));
    receiver = createServer(async (request, response) => {
      const { url = '', headers } = request;
      received.push({ path: url, headers, body: await textOf(request) });
      response.end();
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    bucket = await startTestBucket();
    if (isLong && whyNoCluster() === false) own = await startOwnDatabase();
    else database = await postgres.create();
    databaseUrl = (own?.url ?? database?.databaseUrl)!;
    way = await cuttableDatabase(databaseUrl);
    env = {
      ...bucket.env,
      DATABASE_URL: way.url,
      DATA_DIR_SHARED: 'off',
      SECRETS_KEY: `one:${Buffer.alloc(32, 7).toString('base64')}`,
      RATE_LIMIT: '100000/min,1000000/h',
      SHUTDOWN_DELAY_S: '5',
      // On a busy machine an indicator must not be unknown for its slowness.
      CHECK_TIMEOUT_MS: '60000',
      TASK_CONCURRENCY: '1',
      WEBHOOK_ALLOW_LOCAL: 'on',
    };
    serves.push(...(await Promise.all([startHost(0, 'serve'), startHost(1, 'serve')])));
    workers.push(...(await Promise.all([startHost(0, 'worker'), startHost(1, 'worker')])));
    balancer = openBalancer(() => serves.map(({ url }) => url), `Bearer ${serves[0].token}`);
  });
  after(async () => {
    await balancer?.[Symbol.asyncDispose]();
    for (const each of [...serves, ...workers]) await each[Symbol.asyncDispose]();
    await way?.[Symbol.asyncDispose]();
    await database?.drop();
    await own?.[Symbol.asyncDispose]();
    await bucket?.[Symbol.asyncDispose]();
    receiver?.close();
    receiver?.closeAllConnections();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
    for (let i = 0; i < 600; i++) {
      const found = await look();
      if (found !== null) return found;
      await wait(100);
    }
    throw new Error(`waited a minute for ${what}`);
  }
  /** The row of the database itself, past the processes and the way that can be cut. */
  async function rowOf<T>(statement: string, ...values: readonly string[]): Promise<T | undefined> {
    const client = new SqlClient({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query(statement, [...values])).rows[0] as T | undefined;
    } finally {
      await client.end();
    }
  }
  const json = { 'content-type': 'application/json' };
  const onBoth = (path: string, init?: RequestInit) =>
    Promise.all(
      serves.map(async (host) => {
        const answer = await host.fetch(path, init);
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        return text;
      }),
    );

  /** A batch of plots; returns its id. */
  async function sendBatch(name: string, host = serves[0], plots = PLOTS): Promise<string> {
    const form = new FormData();
    form.set('collection_name', name);
    form.set('crop_type', 'cocoa');
    form.set('file', plots, 'plots.geojson');
    const answer = await host.fetch('/batch_process', { method: 'POST', body: form });
    const text = await answer.text();
    assert.equal(answer.status, 202, text);
    return (JSON.parse(text) as { collection_id: string }).collection_id;
  }
  /** Waits for the end of a batch, as any host sees it. */
  const completed = (id: string) =>
    until(async () => {
      const answer = await balancer.send(`/batch_progress?tracking_id=${id}`).catch(() => null);
      if (answer === null || answer.status >= 500) return null;
      assert.equal(answer.status, 200, answer.text);
      const { status, counts } = JSON.parse(answer.text) as { status: string; counts: { locations: number } | null };
      assert.notEqual(status, 'failed', answer.text);
      return status === 'completed' ? counts : null;
    }, `the batch ${id}`);

  it('answers the same on both, whichever a request reaches', async () => {
    const withoutTimes = (text: string) => text.replaceAll(/"(?:duration_ms|took_ms|elapsed_ms)":[\d.]+/g, '""');
    for (const [path, init] of [
      [FACILITY],
      ['/forest_polygon/lookup', { method: 'POST', headers: json, body: PATCH }],
      ['/limits'],
      ['/datasets'],
      ['/openapi.json'],
    ] as const) {
      const [one, other] = await onBoth(path, init);
      assert.equal(withoutTimes(one), withoutTimes(other), path);
    }
    const form = () => {
      const fields = new FormData();
      fields.set('file', new Blob(['name,latitude,longitude,country\nMill,4.6177,102.6012,MY\n']), 'mills.csv');
      return fields;
    };
    for (const path of ['/normalize_locations', '/validate_facilities?commodity_type=palm', '/validate_locations'])
      for (const host of serves) {
        const answer = await host.fetch(path, { method: 'POST', body: form() });
        assert.ok(answer.status < 500, `${path}: ${await answer.text()}`);
      }
  });

  it('processes on any worker what came in on one host, and shows it on the other', async () => {
    const id = await sendBatch('first');
    const counts = await completed(id);
    assert.equal(counts.locations, 40);
    const [one, other] = await onBoth(`/fetch_plots?filename=${id}`);
    assert.equal(one, other);
    assert.ok(
      bucket.seen.some((line) => /^PUT .*\/blobs\//.test(line)),
      'the file is in the bucket',
    );
  });

  it('uses on one host what was imported on the other, and no longer what was removed there', async () => {
    const list = join(folder, 'own-mills.csv');
    await writeFile(list, 'name,lat,lon\nKilang Contoh Bersama,4.7,102.7\n');
    const there = { ...env, DATA_DIR: dataDirOf(0), AUTO_DATA: 'off', PUBLIC_RASTERS: 'off' };
    const imported = await runCommand(['data', 'import', 'producers', list, '--licence', 'CC0-1.0'], there);
    assert.equal(imported.code, 0, imported.err);
    assert.match(imported.err, /registries\/own-mills is in .*every process has it within seconds/);
    await makePack(join(dataDirOf(0), 'regional-packs'), { id: 'made-up', box: [10, 10, 11, 11] }, async () => {});
    const pushed = await runCommand(['data', 'push', 'packs/made-up'], there);
    assert.equal(pushed.code, 0, pushed.err);
    const has = async (host: RunningProcess, name: string) =>
      (await (await host.fetch('/datasets')).text()).includes(name);
    for (const host of serves)
      for (const name of ['"own-mills"', '"made-up-roads"'])
        await until(async () => ((await has(host, name)) ? true : null), `${name} on ${host.url}`);
    const removed = await runCommand(['data', 'remove', 'own-mills'], { ...there, DATA_DIR: dataDirOf(1) });
    assert.equal(removed.code, 0, removed.err);
    for (const host of serves)
      await until(async () => ((await has(host, '"own-mills"')) ? null : true), `own-mills to go from ${host.url}`);
  });

  it('answers as its siblings do on a third host that begins with an empty folder', async () => {
    const run = async (words: readonly string[]) => {
      const result = await runCommand(words, { ...env, DATA_DIR: dataDirOf(0), PUBLIC_RASTERS: 'off' });
      assert.equal(result.code, 0, `${words.join(' ')}: ${result.err}`);
    };
    await fillDataFolder(dataDirOf(0), folder, run);
    const register = { method: 'POST', headers: json, body: JSON.stringify({ url: `${receiverUrl()}/third` }) };
    const registered = await serves[0].fetch('/webhooks/register', register);
    const { client_secret: secret } = await readAnswer<{ client_secret: string }>(registered);
    const cwd = join(folder, 'cwd-third');
    await mkdir(cwd);
    await using third = await runService({
      cwd,
      dataDir: join(folder, 'data-third'),
      firstStart: true,
      env: { ...env, RUN_TASKS: 'off' },
    });
    const mill = `geometry=${encodeURIComponent('POINT(102.6124 4.5821)')}&commodity_type=palm&commodity_radius=400`;
    const road = `geometry=${encodeURIComponent('POINT(10.5 10.5004)')}&commodity_type=cocoa`;
    const paths = [
      ['/datasets', ['"own-mills"', '"made-up-roads"', '"district-palm']],
      [`/validate_facility?${mill}&facility_name=Kilang%20Contoh%20Bersama`, ['"own-mills', '"district-palm']],
      [`/validate_facility?${road}`, ['"made-up-roads']],
      ['/webhooks', ['/third']],
      ['/limits', []],
    ] as const;
    for (const [path, names] of paths) {
      const text = async (host: RunningProcess) => {
        const answer = await host.fetch(path);
        const body = await answer.text();
        assert.equal(answer.status, 200, body);
        return body.replaceAll(/"(?:duration_ms|took_ms|elapsed_ms)":[\d.]+/g, '""');
      };
      for (const host of serves)
        await until(
          async () => {
            const body = await text(host);
            return names.every((name) => body.includes(name)) ? true : null;
          },
          `${names.join(', ')} in ${path} of ${host.url}`,
        );
      const [own, ...others] = await Promise.all([third, ...serves].map(text));
      for (const other of others) assert.equal(own, other, path);
    }
    // It opens the secret that another host sealed.
    await readAnswer(await third.fetch('/webhooks/test', { method: 'POST' }));
    const event = received.find(({ path }) => path === '/third')!;
    assert.ok(isSigned(event, secret));
    assert.ok(!isSigned(event, `${secret.slice(0, -4)}AAA=`));
    await serves[0].fetch('/webhooks/remove', { method: 'DELETE' });
  });

  it('answers every route of the document in turn, each on the one and on the other', async () => {
    const account = { ...env, DATA_DIR: dataDirOf(0) };
    const added = await runCommand(['user', 'add', EMAIL, '--password-stdin'], account, PASSWORD);
    assert.equal(added.code, 0, added.err);
    const { out } = await runCommand(['token', 'create', '--user', EMAIL, '--scopes', SCOPES], account);
    const authorization = `Bearer ${out.trim()}`;
    let turn = 0;
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${serves[turn++ % 2].url}${path}`, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization },
      });
    const operations = operationsOf(await readAnswer<OpenApi>(await call('/openapi.json')));
    const url = `${receiverUrl()}/hook`;
    let delivery = '';
    const reached = new Map<string, Set<string>>();
    for (const shift of [0, 1]) {
      const about = { receiver: url, email: EMAIL, password: PASSWORD, delivery };
      const prepared = await prepareCalls(call, about);
      ({ delivery } = prepared);
      turn = shift;
      const wrong: string[] = [];
      for (const [route, wanted] of Object.entries(routeCalls(prepared))) {
        const before = turn;
        const answer = await sendCall(call, route, wanted, operations.get(route)!);
        const text = await answer.text();
        reached.set(route, (reached.get(route) ?? new Set()).add(String(before % 2)));
        const isWanted = wanted.refusal === undefined ? answer.ok : answer.status === wanted.refusal.status;
        if (!isWanted) wrong.push(`${route}: ${answer.status} ${text.slice(0, 300)}`);
      }
      assert.deepEqual(wrong, []);
    }
    assert.ok(reached.size > 80, String(reached.size));
    for (const [route, hosts] of reached) assert.equal(hosts.size, 2, route);
  });

  it('sends one event of a batch that one host took, and shows its delivery and export on both', async () => {
    const registered = await serves[0].fetch('/webhooks/register', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ url: `${receiverUrl()}/events` }),
    });
    assert.equal(registered.status, 200, await registered.text());
    const id = await sendBatch('announced', serves[1]);
    await completed(id);
    const [one, other] = await until(async () => {
      const found = await onBoth('/webhooks/deliveries');
      const isDelivered = ({ type, status }: { type: string; status: string }): boolean =>
        type === 'batch_zonal_stats_complete' && status === 'delivered';
      return found.every((text) => JSON.parse(text).deliveries.some(isDelivered)) ? found : null;
    }, 'the delivery');
    assert.equal(one, other);
    const events = received.filter(({ path }) => path === '/events').map(({ body }) => JSON.parse(body));
    assert.equal(events.filter(({ data }) => data.collection_id === id).length, 1, JSON.stringify(events));
    const archives = await Promise.all(
      serves.map(async (host) => {
        const answer = await host.fetch(`/export_eudr_dds?filename=${id}`);
        assert.equal(answer.status, 200);
        return Buffer.from(await answer.arrayBuffer());
      }),
    );
    assert.equal(archives[0].subarray(0, 2).toString(), 'PK');
    assert.ok(archives[0].equals(archives[1]), 'the same bytes from each host');
  });

  it('serves an assistant whose requests reach the one and the other', async () => {
    let turn = 0;
    const inTurn = (address: string | URL, init?: RequestInit) => {
      const { pathname, search } = new URL(address);
      return fetch(`${serves[turn++ % 2].url}${pathname}${search}`, init);
    };
    const client = new Client({ name: 'two-hosts', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${serves[0].token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${serves[0].url}/mcp`), { requestInit, fetch: inTurn }),
    );
    try {
      const { tools } = await client.listTools();
      assert.ok(tools.length > 5, String(tools.length));
      const texts: string[] = [];
      for (let i = 0; i < 4; i++) {
        const answer = await client.callTool({
          name: 'list_collections',
          arguments: {},
        });
        assert.notEqual(answer.isError, true, JSON.stringify(answer));
        texts.push(JSON.stringify(answer));
      }
      assert.equal(new Set(texts).size, 1);
      assert.ok(turn > 5, String(turn));
    } finally {
      await client.close();
    }
  });

  it('counts requests for both together', async () => {
    const left = async (host: RunningProcess) =>
      Number((await host.fetch('/tasks')).headers.get('ratelimit-remaining'));
    const first = await left(serves[0]);
    assert.deepEqual([await left(serves[1]), await left(serves[0])], [first - 1, first - 2]);
  });

  it('loses no request while hosts are replaced under load', async (context) => {
    const over = new AbortController();
    context.after(() => over.abort());
    const outcomes: string[] = [];
    let answered = 0;
    /** Small batches of the load: each key with the collection that was acknowledged for it. */
    const sent = new Map<string, string>();
    let lastBatchAt = 0;
    const batchOf = async (key: string) => {
      const form = new FormData();
      form.set('collection_name', key);
      form.set('crop_type', 'cocoa');
      form.set('file', ONE_PLOT, 'plot.geojson');
      const whole = new Response(form);
      const headers = { 'content-type': whole.headers.get('content-type')!, 'idempotency-key': key };
      return balancer.send('/batch_process', { method: 'POST', headers, body: await whole.bytes() });
    };
    const sendSmall = async (key: string) => {
      const answer = await batchOf(key);
      if (answer.status === 202) sent.set(key, (JSON.parse(answer.text) as { collection_id: string }).collection_id);
      return answer;
    };
    const load = async (n: number): Promise<void> => {
      const requests = [
        () => balancer.send(FACILITY),
        () => balancer.send('/forest_polygon/lookup', { method: 'POST', headers: json, body: PATCH }),
        // Not the tasks, whose looks have a limit of their own.
        () => balancer.send('/webhooks'),
      ];
      for (let i = n; !over.signal.aborted; i++) {
        const isBatch = performance.now() - lastBatchAt > BATCH_EVERY_MS;
        if (isBatch) lastBatchAt = performance.now();
        const request = isBatch ? () => sendSmall(`load-${n}-${i}`) : requests[i % requests.length];
        const outcome = await request().then(
          ({ status, host, text }) => (status < 400 ? null : `${status} of ${host}: ${text.slice(0, 200)}`),
          (error: Error) => String(error),
        );
        if (outcome === null) answered++;
        else outcomes.push(outcome);
        await wait(20);
      }
    };
    const loads = Array.from({ length: 4 }, (_, n) => load(n));
    const batches = [await sendBatch('during'), await sendBatch('during too')];
    for (const i of isLong ? [0, 1, 0, 1] : [0]) {
      assert.equal(await serves[i].stop('SIGTERM'), 0);
      serves[i] = await startHost(i, 'serve');
      await until(async () => (balancer.ready().includes(serves[i].url) ? true : null), 'the new process');
      if (!isLong) continue;
      batches.push(await sendBatch(`during ${i}`, serves[i]));
      assert.equal(await workers[i].stop('SIGTERM'), 0);
      workers[i] = await startHost(i, 'worker');
    }
    over.abort();
    await Promise.all(loads);
    assert.deepEqual(outcomes, []);
    assert.ok(answered > 10, String(answered));
    for (const id of batches) assert.equal((await completed(id)).locations, 40);
    assert.ok(sent.size > 2, String(sent.size));
    for (const [key, id] of sent) {
      assert.equal((await completed(id)).locations, 1, key);
      const again = await batchOf(key);
      assert.equal((JSON.parse(again.text) as { collection_id: string }).collection_id, id, again.text);
    }
    assert.equal(new Set(sent.values()).size, sent.size);
    const made = await rowOf<{ count: number }>(
      "select count(*)::int as count from collections where name like 'load-%'",
    );
    assert.equal(made?.count, sent.size, 'a collection for each that was acknowledged, and no other');
  });

  it('goes on where it was after the database was away', async () => {
    await serves[0].fetch('/webhooks/remove', { method: 'DELETE' });
    const register = { method: 'POST', headers: json, body: JSON.stringify({ url: `${receiverUrl()}/outage` }) };
    await readAnswer(await serves[0].fetch('/webhooks/register', register));
    const many = await sendBatch('before', serves[0], madeUpPlots(MANY));
    const few = await sendBatch('before too', serves[1]);
    const inTheMiddle = () =>
      rowOf<{ left: number; done: number }>(
        `select parts_left as left, progress_done as done from collections join tasks on tasks.id = task_id
         where collections.id = $1 and collections.status = 'processing' and parts_left > 0 and progress_done > 0`,
        many,
      );
    const left = await until(async () => (await inTheMiddle()) ?? null, 'a batch in the middle of its parts');
    assert.ok(left.left > 5 && left.done < MANY, JSON.stringify(left));
    if (own === null) {
      await way.cut();
      await wait(1_000);
      assert.ok((await inTheMiddle()) !== undefined, 'it was processed to its end before the database was away');
      await way.restore();
    } else await own.restart();
    const back = performance.now();
    for (const host of serves)
      await until(
        async () => ((await host.fetch('/tasks').catch(() => null))?.status === 200 ? true : null),
        'answers',
      );
    const tookMs = performance.now() - back;
    if (isLong) assert.ok(tookMs < 10_000, `${tookMs} ms`);
    const after = await sendBatch('after');
    for (const id of [few, after]) assert.equal((await completed(id)).locations, 40);
    assert.equal((await completed(many)).locations, MANY);
    const plots = await (await serves[1].fetch(`/fetch_plots?filename=${many}`)).text();
    const ids = plots
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { properties: { location_id: string } }).properties.location_id);
    assert.deepEqual([ids.length, new Set(ids).size], [MANY, MANY], 'each record once');
    const eventsOf = (id: string): number =>
      received.filter(({ path, body }) => path === '/outage' && JSON.parse(body).data.collection_id === id).length;
    const batches = [many, few, after];
    await until(async () => (batches.every((id) => eventsOf(id) > 0) ? true : null), 'the events');
    assert.deepEqual(batches.map(eventsOf), [1, 1, 1]);
    const recorded = await rowOf<{ count: number }>(
      'select count(*)::int as count from webhook_events where body like $1',
      `%${many}%`,
    );
    assert.equal(recorded?.count, 1);
  });
});
