import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testEngines } from '../contracts/engines.ts';
import { isWholeRun } from '../property-runs.ts';
import { runCommand, runProcess } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface TaskView {
  readonly task_id: string;
  readonly status: string;
}

/** Takes longer than a stopping service waits for it. */
const FEATURES = isWholeRun ? 6_000 : 3_000;

describe('the life of a service on the embedded database', () => {
  let dataDir = '';
  let service: RunningProcess;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-life-'));
  });
  after(async () => {
    await service?.stop('SIGKILL');
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  });

  it('prints a token on the first start only, with a command that works as it stands', async () => {
    {
      // As on a terminal: structured logs never hold the token.
      await using first = await runService({ dataDir, firstStart: true, env: { LOG_FORMAT: 'text' } });
      const { out } = await eventually(first, (output) => output.out.includes('curl'));
      const token = /Token:\s+(fm_\w+)/.exec(out)?.[1];
      const [, bearer, url] = /curl -s -H "Authorization: (Bearer \S+)" '(\S+)'/.exec(out) ?? [];
      assert.equal(bearer, `Bearer ${token}`);
      const answer = await fetch(url ?? '', { headers: { authorization: bearer ?? '' } });
      assert.equal(answer.status, 200);
      const { features } = (await answer.json()) as {
        features: { properties: { country_code: string; evidence: { indicator: string; synthetic?: true }[] } }[];
      };
      assert.equal(features[0]?.properties.country_code, 'MY');
      const synthetic = features[0]?.properties.evidence.filter((entry) => entry.synthetic);
      assert.deepEqual(synthetic?.map(({ indicator }) => indicator).sort(), [
        'building_presence',
        'commodity_presence',
        'high_density',
        'poi_presence',
        'port_proximity',
        'producer_confirmation',
        'road_access',
        'water_access',
      ]);
      assert.equal(await first.stop(), 0);
    }
    await using second = await runService({ ownProcess: true, dataDir });
    const { out } = await eventually(second, (output) => output.out.includes('curl'));
    assert.doesNotMatch(out, /Token:/);
  });

  it('refuses a second process on the same folder, a port that is taken, and a path too long for its socket, with a sentence', async () => {
    service = await runService({ ownProcess: true, dataDir });
    const second = await runProcess(['serve'], { DATA_DIR: dataDir, PORT: '0' });
    assert.equal(second.code, 1);
    assert.match(second.err, new RegExp(`${dataDir}.*(use|open|lock)`, 's'));
    assert.equal((await service.fetch('/readyz')).status, 200);
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const port = String((other.address() as AddressInfo).port);
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-port-'));
    const taken = await runProcess(['serve'], { DATA_DIR: folder, PORT: port });
    assert.equal(taken.code, 1);
    assert.match(taken.err, new RegExp(`port ${port} .* is in use`));
    assert.deepEqual(await readdir(folder), [], 'nothing was made before the port was tried');
    other.close();
    // A first start that failed later would have made the first user, whose token no other start shows.
    const long = await runCommand(['serve'], { DATA_DIR: join(folder, 'a'.repeat(120)), PORT: '0' });
    assert.equal(long.code, 1);
    assert.match(long.err, /DATA_DIR: wanted a path of at most \d+ bytes/);
    assert.deepEqual(await readdir(folder), [], 'nothing was made before the path was looked at');
    await rm(folder, { recursive: true, force: true });
  });

  it('finishes a running answer after SIGTERM and ends within 20 s', async () => {
    const response = await service.fetch('/validate_facilities', {
      method: 'POST',
      body: batch(5_000),
      headers: { 'content-type': 'application/geo+json', accept: 'application/x-ndjson' },
    });
    const begun = performance.now();
    const stopped = service.stop('SIGTERM');
    const lines = (await response.text()).trimEnd().split('\n');
    assert.equal(lines.length, 5_001);
    assert.equal(await stopped, 0);
    assert.ok(performance.now() - begun < 20_000);
  });
});

// On the server `crash` kills services every day, and `forest` one that has a task.
for (const engine of isWholeRun ? testEngines() : testEngines().slice(0, 1)) {
  describe(`tasks over restarts on the ${engine.name} database`, { skip: engine.skip }, () => {
    it('go on after a service was killed, and after one was stopped', async () => {
      const database = await engine.create();
      await using opened = new AsyncDisposableStack();
      opened.defer(() => database.drop());
      const env: Record<string, string> = {
        SHUTDOWN_TIMEOUT_S: '1',
        ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
      };
      let service = await runService({ ownProcess: true, dataDir: database.dataDir, env });
      opened.defer(async () => void (await service.stop('SIGKILL')));
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const task = await submit(service, FEATURES);
        await service.stop(signal);
        service = await runService({ ownProcess: true, dataDir: database.dataDir, env });
        assert.equal((await finished(service, task.task_id)).status, 'completed');
        const results = await (await service.fetch(`/tasks/${task.task_id}/results`)).text();
        assert.equal(results.trimEnd().split('\n').length, FEATURES + 1);
      }
    });
  });
}

describe('a worker of its own', () => {
  const postgres = testEngines().find(({ name }) => name === 'postgres');
  it('does the tasks that a service leaves to it', { skip: postgres?.skip ?? false }, async () => {
    const database = await postgres?.create();
    const env = { DATABASE_URL: database?.databaseUrl ?? '', DATA_DIR: database?.dataDir ?? '' };
    try {
      await using service = await runService({
        ownProcess: true,
        dataDir: env.DATA_DIR,
        env: { ...env, RUN_TASKS: 'off' },
      });
      const task = await submit(service, 200);
      await new Promise((done) => setTimeout(done, 1_500));
      assert.equal((await state(service, task.task_id)).status, 'processing');
      await using worker = await runService({ dataDir: env.DATA_DIR, env, command: 'worker' });
      assert.equal((await finished(service, task.task_id)).status, 'completed');
      assert.equal(await worker.stop(), 0);
    } finally {
      await database?.drop();
      await rm(env.DATA_DIR, { recursive: true, force: true });
    }
  });

  it('is refused on an embedded database', async () => {
    const run = await runProcess(['worker'], {});
    assert.equal(run.code, 2);
    assert.match(run.err, /DATABASE_URL is not set/);
  });
});

async function submit(service: RunningProcess, features: number): Promise<TaskView> {
  const response = await service.fetch('/validate_facilities?async_mode=true', {
    method: 'POST',
    body: batch(features),
    headers: { 'content-type': 'application/geo+json', accept: 'application/x-ndjson' },
  });
  assert.equal(response.status, 202, await response.clone().text());
  return (await response.json()) as TaskView;
}

async function state(service: RunningProcess, id: string): Promise<TaskView> {
  return (await (await service.fetch(`/tasks/${id}`)).json()) as TaskView;
}

async function finished(service: RunningProcess, id: string): Promise<TaskView> {
  for (;;) {
    const task = await state(service, id);
    if (task.status !== 'processing') return task;
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Waits for something the process writes. */
async function eventually(
  service: RunningProcess,
  holds: (output: { out: string; err: string }) => boolean,
): Promise<{ out: string; err: string }> {
  while (!holds(service.output())) await new Promise((done) => setTimeout(done, 10));
  return service.output();
}

function batch(features: number): string {
  return Array.from({ length: features }, (_, i) =>
    JSON.stringify({
      type: 'Feature',
      id: i,
      geometry: { type: 'Point', coordinates: [95 + (i % 400) / 10, -8 + (i % 160) / 10] },
      properties: { name: `Site ${i}` },
    }),
  ).join('\n');
}
