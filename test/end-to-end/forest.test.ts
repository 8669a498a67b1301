import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { entryOf, writeForestDistrict, type ForestDistrict } from './forest-district.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

interface Warning {
  readonly code: string;
  readonly message: string;
}
interface Collection {
  readonly crs?: unknown;
  readonly features: readonly {
    readonly id?: string | number;
    readonly geometry: { readonly type: string; readonly coordinates: number[][][] } | null;
    readonly properties: Readonly<Record<string, unknown>> & { readonly warnings: readonly Warning[] };
  }[];
}
interface TaskView {
  readonly task_id: string;
  readonly status: string;
  readonly progress: { readonly done: number; readonly total: number | null };
  readonly error: { readonly code: string } | null;
  readonly poll_url: string;
  readonly results_url: string;
}

const INTERNAL_KEY = 'internal-key-of-the-tests-0123456789';
/** North of 84 degrees, where the public embeddings end: nothing, or only the broken or the hanging dataset, covers these. */
const NOWHERE = [0, 89];
const BROKEN = [10.5, 85.5];
const HANGING = [20.5, 85.5];

/** A server that breaks every answer, or never gives one. */
interface BadServer extends AsyncDisposable {
  readonly url: string;
  /** Requests for the hanging file that wait for an answer. */
  readonly waiting: () => number;
}

async function startBadServer(): Promise<BadServer> {
  let waiting = 0;
  const server: Server = createServer((request, response) => {
    if (request.url === '/hanging.tif') {
      waiting++;
      response.on('close', () => waiting--);
    } else response.writeHead(200, { 'content-type': 'image/tiff' }).end('II*\u0000 this is no tiff at all');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waiting: () => waiting,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function point(coordinates: unknown, id?: string | number, properties: unknown = {}) {
  return { type: 'Feature', ...(id === undefined ? {} : { id }), geometry: { type: 'Point', coordinates }, properties };
}

for (const engine of oneEngine()) {
  describe(`forest lookups on the ${engine.name} database`, { skip: engine.skip }, () => {
    let service: RunningProcess;
    let district: ForestDistrict;
    let bad: BadServer;
    let env: Record<string, string>;
    let dataDir: string;
    const opened = new AsyncDisposableStack();

    before(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'firstmile-forest-'));
      opened.defer(() => rm(folder, { recursive: true, force: true }));
      bad = opened.use(await startBadServer());
      district = await writeForestDistrict(folder, [
        {
          ...entryOf('broken', 'cog'),
          url: `${bad.url}/broken.tif?key=SECRET`,
          date: '2024',
          coverage: [10, 85, 11, 86],
        },
        { ...entryOf('hanging', 'cog'), url: `${bad.url}/hanging.tif`, date: '2024', coverage: [20, 85, 21, 86] },
      ]);
      const database = await engine.create();
      opened.defer(() => database.drop());
      ({ dataDir } = database);
      env = {
        CATALOGUE: district.catalogue,
        INTERNAL_API_KEY: INTERNAL_KEY,
        // Longer than a lookup and its first threads take on a busy machine.
        FOREST_POINT_TIMEOUT_MS: '12000',
        ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
      };
      service = await runService({ dataDir, env, ownProcess: true });
      // Some tests replace it.
      opened.defer(() => service[Symbol.asyncDispose]());
    });
    after(() => opened.disposeAsync());

    const lookUp = (body: unknown, query = '', headers: Record<string, string> = {}) =>
      service.fetch(`/forest_polygon/lookup${query}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      });
    /** Lookups that gave a patch, as `/metrics` counts them. */
    const patchesCounted = async (): Promise<number> => {
      const counter = 'firstmile_forest_lookup_duration_seconds_count{source="aef-watershed",outcome="patch"} ';
      const lines = (await (await service.fetch('/metrics')).text()).split('\n');
      return Number(lines.find((line) => line.startsWith(counter))?.slice(counter.length) ?? 0);
    };
    const codes = ({ features }: Collection) =>
      features.map(({ properties }) => properties.warnings.map(({ code }) => code));

    it('answers one feature for each, in order, with ids and properties kept', async () => {
      const [lon, lat] = district.stand(0, 0);
      const response = await lookUp({
        type: 'FeatureCollection',
        features: [
          point([lon, lat], 'A-1', { supplier: 'x', area_ha: 'mine', nested: { kept: true } }),
          point(NOWHERE, 0, null),
          point(district.stand(2, 0)),
          point([lon, lat, 12.5], 7),
          { type: 'Feature', geometry: { type: 'Polygon', coordinates: [] }, properties: { a: 1 } },
          'nonsense',
          point([190, lat]),
          point(['1', 2]),
          point([[lon, lat]]),
        ],
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/geo+json');
      const collection = (await response.json()) as Collection;
      const { features } = collection;
      assert.equal(collection.crs, undefined);
      assert.deepEqual(
        features.map(({ id }) => id),
        ['A-1', 0, undefined, 7, undefined, undefined, undefined, undefined, undefined],
      );
      const invalid = ['invalid_point'];
      assert.deepEqual(codes(collection), [
        ['synthetic_data'],
        ['outside_coverage'],
        ['background'],
        ['synthetic_data'],
        invalid,
        invalid,
        invalid,
        invalid,
        invalid,
      ]);
      const { properties, geometry } = features[0]!;
      assert.deepEqual(properties['nested'], { kept: true });
      assert.deepEqual(properties['input_point'], [lon, lat]);
      assert.ok(Math.abs(Number(properties['area_ha']) / (256 * 0.04) - 1) < 0.02, String(properties['area_ha']));
      assert.deepEqual(
        [properties['source'], properties['source_year'], properties['dataset'], properties['synthetic']],
        ['aef-watershed', 2024, 'district', true],
      );
      assert.equal(features[3]?.properties['segment_id'], properties['segment_id']);
      assert.deepEqual(features[3]?.geometry, geometry);
      assert.deepEqual(features[4]?.properties['a'], 1);
      assert.deepEqual(features[6]?.properties['input_point'], [190, lat]);
    });

    it('takes polygons to another CRS and names it', async () => {
      const body = { features: [point(district.stand(0, 0))], output_crs: 'urn:ogc:def:crs:EPSG::32720' };
      const collection = (await (await lookUp(body, '', { accept: 'application/json' })).json()) as Collection;
      assert.deepEqual(collection.crs, { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::32720' } });
      const [x, y] = collection.features[0]?.geometry?.coordinates[0]?.[0] ?? [];
      assert.ok(Math.abs((x ?? 0) - 500_160) < 200 && Math.abs((y ?? 0) - 9_599_840) < 200, `${x}, ${y}`);
    });

    it('gives the outline before smoothing where it is requested, at once and as a task', async () => {
      const body = {
        features: [point(district.stand(0, 0)), point(NOWHERE)],
        output_crs: 'EPSG:32720',
        raw_outline: true,
      };
      const collection = (await (await lookUp(body)).json()) as Collection;
      const raw = collection.features[0]?.properties['raw_outline'] as { coordinates: number[][][] };
      // Along the cells of 20 m every side runs north or east.
      const [ring = []] = raw.coordinates;
      for (let i = 1; i < ring.length; i++) {
        const [dx, dy] = [0, 1].map((axis) => Math.abs((ring[i]?.[axis] ?? 0) - (ring[i - 1]?.[axis] ?? 0)));
        assert.ok(Math.min(dx ?? 1, dy ?? 1) < 0.01, `${dx}, ${dy}`);
      }
      const sum = ring
        .slice(1)
        .reduce((total, [x = 0, y = 0], i) => total + (ring[i]?.[0] ?? 0) * y - x * (ring[i]?.[1] ?? 0), 0);
      assert.ok(Math.abs(sum / 2 / (256 * 400) - 1) < 0.001, String(sum / 2));
      assert.equal(collection.features[1]?.properties['raw_outline'], undefined);
      const task = (await (await lookUp(body, '?async_mode=true')).json()) as TaskView;
      await finished(service, task);
      const later = (await (await service.fetch(task.results_url)).json()) as Collection;
      assert.deepEqual(later.features[0]?.properties['raw_outline'], raw);
      const plain = (await (await lookUp({ features: body.features })).json()) as Collection;
      assert.equal(plain.features[0]?.properties['raw_outline'], undefined);
    });

    it('refuses what is no batch with a pointer', async () => {
      const one = point(district.stand(0, 0));
      const bodies: [unknown, number, string | null][] = [
        [{ features: [] }, 422, '/features'],
        [{ features: Array.from({ length: 101 }, () => one) }, 422, '/features'],
        [{ features: one }, 422, '/features'],
        [{}, 422, '/features'],
        [{ features: [one], output_crs: 'EPSG:1' }, 422, '/output_crs'],
        [{ features: [one], output_crs: 'somewhere' }, 422, '/output_crs'],
        [{ features: [one], crs: { type: 'name', properties: { name: 'EPSG:32720' } } }, 422, '/crs'],
        ['{"features": [', 400, null],
        [`{"features": [${'['.repeat(500_000)}`, 400, null],
        [`{"features": [${'['.repeat(10_000)}${']'.repeat(10_000)}]}`, 400, null],
        ['', 400, null],
        [`{"features": ["${'x'.repeat(1_100_000)}"]}`, 413, null],
      ];
      for (const [body, status, pointer] of bodies) {
        const what = JSON.stringify(body).slice(0, 80);
        const response = await lookUp(body);
        const problem = (await response.json()) as { errors?: { pointer: string }[] };
        assert.equal(response.status, status, what);
        if (pointer !== null) assert.equal(problem.errors?.[0]?.pointer, pointer, what);
      }
    });

    it('keeps every digit of an id', async () => {
      const { type, geometry } = point(NOWHERE);
      const body = `{"features":[{"type":"${type}","id":12345678901234567890,"geometry":${JSON.stringify(geometry)}}]}`;
      assert.match(await (await lookUp(body)).text(), /"id":12345678901234567890,/);
    });

    it('does as a task what it does at once, and answers a repeated key with the same task', async () => {
      const body = { features: [point(district.stand(0, 0), 'a'), point(district.stand(1, 1)), 'nonsense'] };
      const expected = await (await lookUp(body)).text();
      const headers = { 'idempotency-key': '"lookup 1"' };
      const accepted = await lookUp(body, '?async_mode=true', headers);
      assert.equal(accepted.status, 202);
      const task = (await accepted.json()) as TaskView;
      assert.deepEqual(
        [task.status, task.poll_url, task.results_url],
        ['processing', `/forest_polygon/${task.task_id}/status`, `/forest_polygon/${task.task_id}/results`],
      );
      assert.equal(accepted.headers.get('location'), task.poll_url);
      assert.equal(accepted.headers.get('retry-after'), '2');
      const again = (await (await lookUp(body, '?async_mode=true', headers)).json()) as TaskView;
      assert.equal(again.task_id, task.task_id);
      assert.equal((await lookUp({ features: [1] }, '?async_mode=true', headers)).status, 422);
      const done = await finished(service, task);
      assert.deepEqual([done.status, done.progress, done.error], ['completed', { done: 3, total: 3 }, null]);
      const results = await service.fetch(task.results_url);
      assert.equal(results.headers.get('content-type'), 'application/geo+json');
      assert.equal(await results.text(), expected);
      const etag = results.headers.get('etag') ?? '';
      assert.equal((await service.fetch(task.results_url, { headers: { 'if-none-match': etag } })).status, 304);
    });

    it('shows a task to its user alone, and no other kind of task', async () => {
      const task = (await (await lookUp({ features: [point(NOWHERE)] }, '?async_mode=true')).json()) as TaskView;
      const stranger = { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': 'somebody-else' };
      for (const [method, url] of [
        ['GET', task.poll_url],
        ['GET', task.results_url],
        ['DELETE', `/forest_polygon/${task.task_id}`],
      ] as const) {
        const answer = await fetch(`${service.url}${url}`, { method, headers: stranger });
        assert.equal(answer.status, 404, `${method} ${url}`);
      }
      const other = await service.fetch('/validate_facilities?async_mode=true', {
        method: 'POST',
        body: JSON.stringify(point(NOWHERE)),
        headers: { 'content-type': 'application/geo+json' },
      });
      const { task_id: id } = (await other.json()) as TaskView;
      assert.equal((await service.fetch(`/forest_polygon/${id}/status`)).status, 404);
    });

    it('serves a trusted service with the internal key', async () => {
      const answer = await fetch(`${service.url}/forest_polygon/lookup`, {
        method: 'POST',
        body: JSON.stringify({ features: [point(district.stand(0, 0))] }),
        headers: { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': 'ana', 'content-type': 'application/json' },
      });
      assert.equal(answer.status, 200);
      assert.notEqual(((await answer.json()) as Collection).features[0]?.geometry, null);
    });

    it('distinguishes a source that is broken or silent from no forest, without its address, and answers the rest', async () => {
      const body = { features: [point(BROKEN), point(HANGING), point(district.stand(0, 0))] };
      const text = await (await lookUp(body)).text();
      const collection = JSON.parse(text) as Collection;
      assert.deepEqual(codes(collection), [['source_unavailable'], ['source_unavailable'], ['synthetic_data']]);
      assert.match(collection.features[0]?.properties.warnings[0]?.message ?? '', /broken: /);
      assert.match(collection.features[1]?.properties.warnings[0]?.message ?? '', /hanging: .* in time/);
      assert.doesNotMatch(text, /SECRET|127\.0\.0\.1/);
    });

    it('stops a task that is cancelled', async () => {
      const task = (await (
        await lookUp({ features: Array.from({ length: 40 }, () => point(HANGING)) }, '?async_mode=true')
      ).json()) as TaskView;
      assert.equal((await service.fetch(task.results_url)).status, 409);
      const cancelled = await service.fetch(`/forest_polygon/${task.task_id}`, { method: 'DELETE' });
      const view = (await cancelled.json()) as TaskView;
      assert.deepEqual([cancelled.status, view.status, view.error?.code], [200, 'failed', 'task_cancelled']);
      const results = await service.fetch(task.results_url);
      assert.equal(results.status, 409);
      assert.equal(((await results.json()) as { code: string }).code, 'task_cancelled');
    });

    it('answers 20 batches of 100 points at the same time, and everything else meanwhile', async () => {
      const features = Array.from({ length: 100 }, (_, i) => point(district.stand(i % 8, Math.floor(i / 8) % 8), i));
      const state = { busy: true };
      const batches = Promise.all(
        Array.from({ length: 20 }, async () => (await (await lookUp({ features })).json()) as Collection),
      ).finally(() => (state.busy = false));
      let asked = 0;
      for (; state.busy; asked++) {
        assert.equal((await service.fetch('/healthz')).status, 200);
        await new Promise((done) => setTimeout(done, 20));
      }
      const [first, ...others] = await batches;
      assert.ok(asked > 0);
      assert.deepEqual(
        first?.features.map(({ id }) => id),
        features.map(({ id }) => id),
      );
      for (const other of others) assert.deepEqual(other, first);
      assert.ok((await patchesCounted()) > 1_000);
    });

    it('counts the lookups of tasks as well', async () => {
      const before = await patchesCounted();
      const features = Array.from({ length: 7 }, () => point(district.stand(0, 0)));
      await finished(service, (await (await lookUp({ features }, '?async_mode=true')).json()) as TaskView);
      // The thread of the task tells of them, so the last may come a moment later.
      while ((await patchesCounted()) < before + 7) await new Promise((done) => setTimeout(done, 10));
      assert.equal(await patchesCounted(), before + 7);
    });

    it('goes on with a task after its process was killed', async () => {
      const body = { features: [point(HANGING), point(district.stand(0, 0))] };
      const task = (await (await lookUp(body, '?async_mode=true')).json()) as TaskView;
      while (bad.waiting() === 0) await new Promise((done) => setTimeout(done, 10));
      await service.stop('SIGKILL');
      service = await runService({ dataDir, env, ownProcess: true });
      const done = await finished(service, task);
      assert.equal(done.status, 'completed');
      const collection = (await (await service.fetch(task.results_url)).json()) as Collection;
      assert.deepEqual(codes(collection), [['source_unavailable'], ['synthetic_data']]);
    });

    it('stops in time while lookups hang', async () => {
      const answered = new AbortController();
      const hanging = lookUp({ features: [point(HANGING)] })
        .then(
          (response) => response.status,
          () => null,
        )
        .finally(() => answered.abort());
      while (bad.waiting() === 0 && !answered.signal.aborted) await new Promise((done) => setTimeout(done, 10));
      assert.ok(!answered.signal.aborted, 'it hangs');
      assert.equal(await service.stop('SIGTERM'), 0);
      assert.notEqual(await hanging, 500);
      service = await runService({ dataDir, env, ownProcess: true });
    });
  });
}

describe('firstmile forest lookup', () => {
  let folder: string;
  let district: ForestDistrict;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-forest-'));
    district = await writeForestDistrict(folder);
    await shareSampleDistrict(join(folder, 'data'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = (...words: string[]) =>
    runCommand(['forest', 'lookup', ...words], { CATALOGUE: district.catalogue, DATA_DIR: join(folder, 'data') });
  const place = (): string[] => district.stand(0, 0).map(String);

  it('prints the patch, notes apart, and exits with 0', async () => {
    const { code, out, err } = await run(...place(), '--dataset', 'district');
    assert.equal(code, 0, err);
    const { features } = JSON.parse(out) as Collection;
    assert.equal(features[0]?.geometry?.type, 'Polygon');
    assert.match(err, /^Patch seg_\w+: 10\.\d+ ha, from district \(aef-watershed 2024\)/);
    assert.match(err, /synthetic_data/);
  });

  it('exits with 3 where there is no patch, 1 where nothing can be known, 2 when called wrongly', async () => {
    const open = await run(...district.stand(2, 0).map(String), '--dataset', 'district');
    assert.deepEqual([open.code, /background/.test(open.err)], [3, true]);
    const swapped = await run('-63', '5', '--dataset', 'district');
    assert.deepEqual([swapped.code, /forest lookup 5 -63/.test(swapped.err)], [3, true]);
    for (const words of [
      ['1'],
      ['x', '2'],
      ['', '2'],
      ['48.1', '111.5'],
      ['1', '2', '--crs', 'EPSG:1'],
      ['1', '2', '--dataset', 'nope'],
    ]) {
      const wrong = await run(...words);
      assert.equal(wrong.code, 2, words.join(' '));
      assert.match(wrong.err, /--help explains it/);
    }
    assert.match((await run('48.1', '111.5')).err, /look swapped/);
  });

  it('writes files that show how the segment was cut', async () => {
    const debug = join(folder, 'debug');
    const patch = join(folder, 'patch.geojson');
    const { code, out, err } = await run(
      ...place(),
      '--dataset',
      'district',
      '--debug',
      debug,
      '-o',
      patch,
      '--crs',
      'EPSG:32720',
    );
    assert.deepEqual([code, out], [0, ''], err);
    const names = [
      'edge-strength.tif',
      'labels.tif',
      'segment.tif',
      'raw.geojson',
      'smooth.geojson',
      'window.json',
      'embeddings.png',
      'edge-strength.png',
      'labels.png',
      'outline.png',
    ];
    const { readFile, readdir } = await import('node:fs/promises');
    assert.deepEqual((await readdir(debug)).toSorted(), names.toSorted());
    const png = await readFile(join(debug, 'outline.png'));
    assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
    const window = JSON.parse(await readFile(join(debug, 'window.json'), 'utf8')) as { segment: { cells: number } };
    assert.equal(window.segment.cells, 256);
    const { features } = JSON.parse(await readFile(patch, 'utf8')) as Collection;
    assert.ok((features[0]?.geometry?.coordinates[0]?.[0]?.[0] ?? 0) > 400_000);
  });
});

async function finished(service: RunningProcess, task: TaskView): Promise<TaskView> {
  for (;;) {
    const now = (await (await service.fetch(task.poll_url)).json()) as TaskView;
    if (now.status !== 'processing') return now;
    await new Promise((done) => setTimeout(done, 100));
  }
}
