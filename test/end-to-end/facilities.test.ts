import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Collection {
  readonly features: readonly {
    readonly id?: string | number;
    readonly geometry: unknown;
    readonly properties: Readonly<Record<string, unknown>>;
  }[];
  readonly properties: Readonly<Record<string, unknown>>;
}

interface TaskView {
  readonly task_id: string;
  readonly status: string;
  readonly progress: { readonly done: number; readonly total: number | null };
  readonly poll_url: string;
  readonly results_url: string;
  readonly error: { readonly code: string } | null;
}

/** Points, polygons and things that are neither: what users send. */
const INPUT = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      id: 'A-1',
      geometry: { type: 'Point', coordinates: [101.3, 0.8] },
      properties: { name: 'Riau mill', country: 'Indonesia', nested: { kept: true } },
    },
    { type: 'Feature', id: 0, geometry: { type: 'Point', coordinates: [0, 0] }, properties: null },
    { type: 'Feature', geometry: null, properties: { name: 'no place' } },
    {
      type: 'Feature',
      id: 'A-1',
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [-4.02, 5.3],
            [-4.0, 5.3],
            [-4.0, 5.32],
            [-4.02, 5.32],
            [-4.02, 5.3],
          ],
        ],
      },
      properties: { confidence_score: 'mine', supplier: 'Abidjan, port' },
    },
    'not a feature',
    {
      type: 'Feature',
      id: 7,
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
            [0, 0],
          ],
        ],
      },
      properties: {},
    },
    {
      type: 'Feature',
      id: 'swapped',
      geometry: { type: 'Point', coordinates: [6.6885, -1.6244] },
      properties: { country: 'Ghana' },
    },
  ],
};

for (const engine of oneEngine()) {
  describe(`facility validation on the ${engine.name} database`, { skip: engine.skip }, () => {
    let service: RunningProcess;
    let drop: () => Promise<void>;
    before(async () => {
      const database = await engine.create();
      drop = () => database.drop();
      service = await runService({
        dataDir: database.dataDir,
        env: { FILE_HELPERS: '2', ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }) },
      });
    });
    after(async () => {
      await service[Symbol.asyncDispose]();
      await drop();
    });

    const upload = (
      fields: Record<string, string> = {},
      init: { query?: string; accept?: string; headers?: Record<string, string>; body?: unknown } = {},
    ) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', new Blob([JSON.stringify(init.body ?? INPUT)]), 'facilities.geojson');
      return service.fetch(`/validate_facilities${init.query ?? ''}`, {
        method: 'POST',
        body: form,
        headers: { ...(init.accept ? { accept: init.accept } : {}), ...init.headers },
      });
    };

    it('answers one feature for each, in order, with ids, places and properties kept', async () => {
      const response = await upload({
        commodity_type: 'palm oil',
        check_water_access: 'true',
        check_port_proximity: 'true',
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/geo+json');
      const { features, properties } = (await response.json()) as Collection;
      assert.deepEqual(
        features.map(({ id }) => id),
        ['A-1', 0, undefined, 'A-1', undefined, 7, 'swapped'],
      );
      for (const [i, input] of INPUT.features.entries())
        if (typeof input === 'object') assert.deepEqual(features[i]?.geometry, input.geometry);
      assert.deepEqual(features[0]?.properties['nested'], { kept: true });
      assert.equal(features[3]?.properties['supplier'], 'Abidjan, port');
      assert.equal(typeof features[3]?.properties['confidence_score'], 'number');
      assert.deepEqual(
        features.map(({ properties: { confidence_level: level } }) => level === 'invalid'),
        [false, false, true, false, true, true, false],
      );
      assert.deepEqual(
        features.map(({ properties: { country_code: code } }) => code),
        ['ID', null, null, 'CI', null, null, null],
      );
      assert.equal(features[3]?.properties['high_density'], 1);
      assert.equal(features[3]?.properties['port_proximity'], 1);
      assert.equal(features[3]?.properties['water_access'], 1);
      const codes = (features.at(-1)!.properties['warnings'] as { code: string }[]).map(({ code }) => code);
      assert.ok(codes.includes('coordinates_swapped'), codes.join());
      assert.equal(properties['total_facilities'], 7);
      assert.deepEqual(
        Object.values(properties['confidence_level'] as object).reduce((a: number, b: number) => a + b, 0),
        7,
      );
      assert.equal((properties['confidence_level'] as { invalid: number }).invalid, 3);
      assert.ok((properties['datasets'] as { licence: string }[]).every(({ licence }) => licence !== ''));
    });

    it('answers an empty collection with an empty collection', async () => {
      const response = await upload({}, { body: { type: 'FeatureCollection', features: [] } });
      const { features, properties } = (await response.json()) as Collection;
      assert.deepEqual(features, []);
      assert.equal(properties['total_facilities'], 0);
      assert.equal(properties['confidence_score'], 0);
    });

    it('warns of the fallback for a commodity without a model, in each feature and once for the collection', async () => {
      const { features, properties } = (await (await upload({ commodity_type: 'vanilla' })).json()) as Collection;
      const hasFallback = (warnings: unknown) =>
        (warnings as { code: string }[]).filter(({ code }) => code === 'commodity_fallback').length;
      for (const feature of features)
        if (feature.properties['confidence_level'] !== 'invalid')
          assert.equal(hasFallback(feature.properties['warnings']), 1);
      assert.equal(hasFallback(properties['warnings']), 1);
    });

    it('says the same as lines and as a table', async () => {
      const collection = (await (await upload({ commodity_type: 'cocoa' })).json()) as Collection;
      const lines = (await (await upload({ commodity_type: 'cocoa' }, { accept: 'application/x-ndjson' })).text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Collection);
      assert.deepEqual(lines.slice(0, -1), collection.features);
      assert.deepEqual(lines.at(-1)?.properties, collection.properties);
      const table = (await (await upload({ commodity_type: 'cocoa' }, { accept: 'text/csv' })).text())
        .trimEnd()
        .split('\r\n');
      assert.equal(table.length, 1 + collection.features.length);
      assert.match(table[0] ?? '', /^id,location_type,facility_name,country/);
      assert.equal((await upload({}, { accept: 'image/png' })).status, 406);
    });

    it('takes one place by its WKT', async () => {
      const query = new URLSearchParams({
        geometry: 'SRID=4326;POLYGON((-4.02 5.3,-4 5.3,-4 5.32,-4.02 5.32,-4.02 5.3))',
        commodity_type: 'cocoa',
        facility_name: 'Port',
      });
      const { features, properties } = (await (
        await service.fetch(`/validate_facility?${query.toString()}`)
      ).json()) as Collection;
      assert.equal(features.length, 1);
      assert.equal(features[0]?.properties['country_code'], 'CI');
      assert.equal(features[0]?.properties['facility_name'], 'Port');
      assert.equal(properties['total_facilities'], 1);
    });

    it('does as a task what it does at once, and answers a repeated key with the same task', async () => {
      const expected = await (await upload({ commodity_type: 'palm' })).text();
      const headers = { 'idempotency-key': '"batch 1"' };
      const accepted = await upload({ commodity_type: 'palm' }, { query: '?async_mode=true', headers });
      assert.equal(accepted.status, 202);
      const task = (await accepted.json()) as TaskView;
      assert.equal(accepted.headers.get('location'), task.poll_url);
      const again = await upload({ commodity_type: 'palm' }, { query: '?async_mode=true', headers });
      assert.equal(((await again.json()) as TaskView).task_id, task.task_id);
      assert.equal((await upload({ commodity_type: 'cocoa' }, { query: '?async_mode=true', headers })).status, 422);
      const done = await finished(service, task);
      assert.deepEqual([done.status, done.progress], ['completed', { done: 7, total: 7 }]);
      const results = await service.fetch(task.results_url);
      assert.equal(results.headers.get('content-type'), 'application/geo+json');
      assert.equal(await results.text(), expected);
    });

    it('answers a large file, which several threads rate, with the bytes that one thread writes as a task', async () => {
      const features = Array.from({ length: 2_100 }, (_, id) =>
        id % 100 === 0
          ? INPUT.features[(id / 100) % INPUT.features.length]
          : {
              type: 'Feature',
              id,
              geometry: { type: 'Point', coordinates: [id / 12 - 175, (id % 140) - 70] },
              properties: { facility_name: `Mühle ${id}`, commodity_type: id % 3 === 0 ? 'banana' : 'palm' },
            },
      );
      const body = { type: 'FeatureCollection', features };
      const atOnce = await (await upload({ check_water_access: 'true' }, { body })).text();
      const accepted = await upload({ check_water_access: 'true' }, { body, query: '?async_mode=true' });
      const task = (await accepted.json()) as TaskView;
      assert.equal((await finished(service, task)).status, 'completed');
      const asTask = await (await service.fetch(task.results_url)).text();
      assert.equal((JSON.parse(asTask) as Collection).features.length, features.length);
      assert.ok(atOnce === asTask, 'the answers differ');
    });

    it('refuses a broken file before it makes a task of it', async () => {
      const response = await service.fetch('/validate_facilities?async_mode=true', {
        method: 'POST',
        body: '{"type":"FeatureCollection","features":[',
        headers: { 'content-type': 'application/geo+json' },
      });
      assert.equal(response.status, 400);
      assert.deepEqual(
        ((await (await service.fetch('/tasks?status=failed')).json()) as { tasks: unknown[] }).tasks,
        [],
      );
    });

    it('says of a table which endpoint reads it, and that one takes it as a whole body', async () => {
      const table = 'name,lat,lon\nMill,4.58,102.61\n';
      const post = (path: string, type: string): Promise<Response> =>
        service.fetch(path, { method: 'POST', body: table, headers: { 'content-type': type } });
      for (const path of ['/validate_facilities', '/validate_facilities?async_mode=true']) {
        const refused = await post(path, 'text/csv');
        const { detail, errors } = (await refused.json()) as { detail: string; errors: { detail: string }[] };
        assert.equal(refused.status, 400);
        assert.match(detail, /POST \/validate_locations reads CSV/);
        assert.match(errors[0]!.detail, /wanted GeoJSON, which begins with \{ or \[, got 'n' \(line 1, byte 0\)/);
      }
      const taken = await post('/validate_locations', 'text/csv');
      assert.equal(taken.status, 200);
      assert.equal(((await taken.json()) as { features: unknown[] }).features.length, 1);
      const other = await post('/validate_locations', 'application/x-www-form-urlencoded');
      assert.match(((await other.json()) as { detail: string }).detail, /wanted multipart\/form-data, .*text\/csv/);
    });

    it('takes a feature that is too large for an answer at once as a task', async () => {
      const corners = 40_000;
      const ring = Array.from({ length: corners + 1 }, (_, k) => {
        const turn = (2 * Math.PI * (k % corners)) / corners;
        return [101 + 0.05 * Math.cos(turn), 1 + 0.05 * Math.sin(turn)];
      });
      const body = { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} };
      const refused = await upload({}, { body });
      assert.equal(refused.status, 413);
      assert.match(((await refused.json()) as { detail: string }).detail, /with async_mode=true it is accepted/);
      const accepted = await upload({}, { body, query: '?async_mode=true' });
      assert.equal(accepted.status, 202);
      assert.equal((await finished(service, (await accepted.json()) as TaskView)).status, 'completed');
    });

    it('stops a task that is cancelled', async () => {
      const features = Array.from({ length: 20_000 }, (_, i) => ({
        type: 'Feature',
        id: i,
        geometry: { type: 'Point', coordinates: [100 + (i % 100) / 10, i / 20_000] },
        properties: {},
      }));
      const task = (await (
        await upload({}, { query: '?async_mode=true', body: { type: 'FeatureCollection', features } })
      ).json()) as TaskView;
      const cancelled = await service.fetch(`/tasks/${task.task_id}`, { method: 'DELETE' });
      assert.equal(cancelled.status, 200);
      assert.equal((await finished(service, task)).status, 'cancelled');
      assert.equal((await service.fetch(task.results_url)).status, 409);
    });

    it('reports unfinished tasks, event loop and requests to Prometheus', async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      assert.match(metrics, /^firstmile_tasks\{status="processing"\} \d+$/m);
      assert.match(metrics, /^firstmile_tasks_oldest_waiting_seconds [\d.]+$/m);
      assert.match(metrics, /^firstmile_tasks_running \d+$/m);
      assert.match(metrics, /^firstmile_tasks_limit 10000$/m);
      assert.match(metrics, /^nodejs_eventloop_lag_p99_seconds /m);
      assert.match(metrics, /route="\/validate_facilities"/);
    });

    it('answers nobody without credentials', async () => {
      const response = await fetch(`${service.url}/validate_facility?geometry=POINT(1+2)`);
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    });
  });
}

async function finished(service: RunningProcess, task: TaskView): Promise<TaskView> {
  for (;;) {
    const now = (await (await service.fetch(task.poll_url)).json()) as TaskView;
    if (now.status !== 'processing') return now;
    await new Promise((done) => setTimeout(done, 100));
  }
}
