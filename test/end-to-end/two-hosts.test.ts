import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { makePack } from '../made-up-pack.ts';
import { runs } from '../property-runs.ts';
import { startTestBucket, type TestBucket } from '../test-bucket.ts';
import { testEngines, type TestDatabase } from '../contracts/engines.ts';
import { cuttableDatabase, type CuttableDatabase } from './database-outage.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';
import { openBalancer, startOwnDatabase, whyNoCluster, type Balancer, type OwnDatabase } from './two-hosts.ts';

/** `PROPERTY_RUNS=full` also restarts every process under load, and the server of the database itself. */
const isLong = runs(1, 0) === 1;
const POINT = 'POINT(102.6124 4.5821)';
const FACILITY = `/validate_facility?geometry=${encodeURIComponent(POINT)}&facility_name=Kilang%20Sawit%20Contoh&commodity_type=palm`;
const PATCH = JSON.stringify({
  features: [{ type: 'Feature', id: 1, geometry: { type: 'Point', coordinates: [102.61, 4.6] }, properties: {} }],
});
const PLOTS = await madeUpPlots(40).text();
const [, postgres] = await testEngines();

describe('two hosts, one database and one bucket', { skip: postgres?.skip ?? true }, () => {
  let folder: string;
  let bucket: TestBucket;
  let database: TestDatabase | null = null;
  let own: OwnDatabase | null = null;
  let way: CuttableDatabase;
  let balancer: Balancer;
  let env: Readonly<Record<string, string>>;
  const serves: RunningProcess[] = [];
  const workers: RunningProcess[] = [];

  const startHost = async (i: number, command: 'serve' | 'worker'): Promise<RunningProcess> => {
    const cwd = join(folder, `cwd-${command}-${i}`);
    await mkdir(cwd, { recursive: true });
    const runTasks = command === 'serve' ? { RUN_TASKS: 'off' } : {};
    return runService({ command, cwd, dataDir: dataDirOf(i, command), env: { ...env, ...runTasks } });
  };
  const dataDirOf = (i: number, command = 'serve') => join(folder, `data-${command}-${i}`);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-hosts-'));
    bucket = await startTestBucket();
    if (isLong && whyNoCluster() === false) own = await startOwnDatabase();
    else database = await postgres.create();
    way = await cuttableDatabase((own?.url ?? database?.databaseUrl)!);
    env = {
      ...bucket.env,
      DATABASE_URL: way.url,
      DATA_DIR_SHARED: 'off',
      SECRETS_KEY: `one:${Buffer.alloc(32, 7).toString('base64')}`,
      RATE_LIMIT: '100000/min,1000000/h',
      SHUTDOWN_DELAY_S: '5',
      TASK_CONCURRENCY: '1',
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
  async function sendBatch(name: string, host = serves[0]): Promise<string> {
    const form = new FormData();
    form.set('collection_name', name);
    form.set('crop_type', 'cocoa');
    form.set('file', new Blob([PLOTS]), 'plots.geojson');
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

  it('counts requests for both together', async () => {
    const left = async (host: RunningProcess) =>
      Number((await host.fetch('/tasks')).headers.get('ratelimit-remaining'));
    const first = await left(serves[0]);
    assert.deepEqual([await left(serves[1]), await left(serves[0])], [first - 1, first - 2]);
  });

  it('loses no request while hosts are replaced under load', async () => {
    const over = new AbortController();
    const outcomes: string[] = [];
    let answered = 0;
    const load = async (n: number): Promise<void> => {
      const requests = [
        () => balancer.send(FACILITY),
        () => balancer.send('/forest_polygon/lookup', { method: 'POST', headers: json, body: PATCH }),
        () => balancer.send('/tasks'),
      ];
      for (let i = n; !over.signal.aborted; i++) {
        const outcome = await requests[i % requests.length]().then(
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
  });

  it('goes on where it was after the database was away', async () => {
    const batches = [await sendBatch('before'), await sendBatch('before too', serves[1])];
    if (own === null) {
      await way.cut();
      await wait(1_000);
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
    for (const id of [...batches, await sendBatch('after')]) assert.equal((await completed(id)).locations, 40);
  });
});
