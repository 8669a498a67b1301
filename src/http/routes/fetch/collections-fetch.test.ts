import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { madeUpCollection, madeUpRecord, memoryCollections } from '../../../../test/memory/collections.ts';
import { memoryCredentials } from '../../../../test/memory/credentials.ts';
import { memoryTasks } from '../../../../test/memory/tasks.ts';
import { testServer } from '../../../../test/memory/test-server.ts';
import type { Collection } from '../../../collections/collection.ts';
import type { PlotRecord } from '../../../collections/plot-record.ts';
import { fetchRoutes } from './collections-fetch.ts';
import { supplyShedRoutes } from './supply-shed.ts';
import { runs } from '../../../../test/property-runs.ts';

interface Feature {
  readonly type: string;
  readonly geometry: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const FETCHES = ['/fetch_deforestation_check', '/fetch_biomass_emissions', '/fetch_biodiversity', '/fetch_plots'];
const SHEDS = ['/fetch_supply_shed', '/stat_supply_shed'];
const PLOTS = [0, 1, 2, 3, 4].map((i) =>
  madeUpRecord(i, { lon: i / 100, properties: { country: i < 3 ? 'GH' : 'CI', source: { grade: i % 2 } } }),
);

async function open() {
  const content: { collection: Collection; records: readonly PlotRecord[] }[] = [];
  const tasks = memoryTasks();
  const deps = { collections: memoryCollections(content), tasks, version: '1' };
  const server = testServer({ routes: [fetchRoutes(deps), supplyShedRoutes(deps)] });
  const { authorization, userId } = await server.login(['collections']);
  const add = (id: string, records: readonly PlotRecord[], change: Partial<Collection> = {}) => {
    const facilities = records.filter(({ locationType }) => locationType === 'facility').length;
    const counts = {
      locations: records.length,
      plots: records.length - facilities,
      facilities,
      measured: 0,
      problems: 0,
    };
    content.push({
      collection: madeUpCollection({ id, userId, counts, file: { name: id, size: 1, sha256: id }, ...change }),
      records,
    });
  };
  const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    server.app.inject({ method, url, headers: { authorization, ...headers } });
  const lines = async (url: string): Promise<Feature[]> => {
    const { body, statusCode } = await get(url);
    assert.equal(statusCode, 200, body);
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Feature);
  };
  return { server, add, get, lines, tasks, userId, reader: deps.collections };
}

/** A user of a server that is still to be made. */
async function loggedIn() {
  const credentials = memoryCredentials();
  await using server = testServer({ credentials });
  return { ...(await server.login(['collections'])), credentials };
}

const ids = (features: readonly Feature[]) => features.map(({ properties }) => properties['location_id']);

describe('the fetch endpoints', () => {
  it('stream a feature a line, or a collection, or a table', async () => {
    const { server, add, get, lines } = await open();
    await using _ = server;
    add('c', PLOTS, { locationsConfidence: 'not processed: geocoding failed' });
    for (const path of FETCHES) {
      assert.deepEqual(ids(await lines(`${path}?filename=c`)), ['P0', 'P1', 'P2', 'P3', 'P4']);
      const collection = await get(`${path}?filename=c`, { accept: 'application/geo+json' });
      assert.match(String(collection.headers['content-type']), /^application\/geo\+json/);
      const { type, features, properties } = collection.json<{
        type: string;
        features: Feature[];
        properties: Record<string, unknown>;
      }>();
      assert.deepEqual([type, features.length, properties['next']], ['FeatureCollection', 5, null]);
      const plain = await get(`${path}?filename=c`, { accept: 'application/json' });
      assert.match(String(plain.headers['content-type']), /^application\/json/);
      assert.equal(plain.body, collection.body);
      const table = await get(`${path}?filename=c`, { accept: 'text/csv' });
      const rows = table.body.trim().split('\r\n');
      assert.equal(rows.length, 6);
      assert.match(
        rows[0]!,
        /^id,collection_id,location_number,location_type,location_confidence,problem,location_id,/,
      );
      assert.match(rows[0]!, /,area_ha,.*,geometry$/);
    }
    const [check] = await lines('/fetch_deforestation_check?filename=c');
    assert.equal(check!.properties['locations_confidence'], 'not processed: geocoding failed');
    assert.equal((await get('/fetch_plots?filename=c', { accept: 'image/png' })).statusCode, 406);
  });

  it('lead from page to page by the Link header', async () => {
    const { server, add, get } = await open();
    await using _ = server;
    add('c', PLOTS.slice(0, 3));
    add('d', PLOTS);
    const seen: unknown[] = [];
    let url: string | undefined = '/fetch_plots?filename=c,d&country=GH&limit=2';
    while (url !== undefined) {
      const page = await get(url, { accept: 'application/geo+json' });
      seen.push(...ids(page.json<{ features: Feature[] }>().features));
      url = /^<(.*)>; rel="next"$/.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    assert.deepEqual(seen, ['P0', 'P1', 'P2', 'P0', 'P1', 'P2']);
  });

  it('filter by columns of the answer and of the file, and refuse a column that is not there', async () => {
    const { server, add, get, lines } = await open();
    await using _ = server;
    add('c', PLOTS);
    assert.deepEqual(ids(await lines('/fetch_plots?filename=c&grade=1')), ['P1', 'P3']);
    assert.deepEqual(ids(await lines('/fetch_plots?filename=c&location_id=P0,P4&source.grade=0')), ['P0', 'P4']);
    assert.deepEqual(ids(await lines('/fetch_plots?filename=c&country=XX')), []);
    assert.deepEqual(
      ids(await lines('/fetch_deforestation_check?filename=c&eudr_status=deforestation_found&country=CI')),
      ['P3', 'P4'],
    );
    for (const [query, hint] of [
      ['contry=GH', 'did you mean country?'],
      ['montoring_start=2020-12-31', 'did you mean monitoring_start?'],
      ['eudr_statu=x', 'did you mean eudr_status?'],
    ]) {
      const refused = await get(`/fetch_deforestation_check?filename=c&${query}`);
      assert.equal(refused.statusCode, 422);
      assert.ok(refused.json<{ detail: string }>().detail.includes(hint!), refused.body);
    }
    const many = Array.from({ length: 21 }, (_, i) => `c${i}=1`).join('&');
    assert.equal((await get(`/fetch_plots?filename=c&${many}`)).statusCode, 422);
  });

  it('take the period of the batch unless one is given, and refuse one that is none', async () => {
    const { server, add, get, lines } = await open();
    await using _ = server;
    add('c', PLOTS.slice(0, 1));
    const periodOf = async (query: string) => {
      const [{ properties }] = (await lines(`/fetch_deforestation_check?filename=c${query}`)) as [Feature];
      return [properties['monitoring_start'], properties['monitoring_end'], properties['noncompliance_area_ha']];
    };
    assert.deepEqual(await periodOf(''), ['2017-01-01', '2024-12-31', 0.5]);
    assert.deepEqual(await periodOf('&monitoring_start=2022-12-31'), ['2022-12-31', '2024-12-31', 0]);
    for (const query of [
      'monitoring_start=2021-02-30',
      'monitoring_start=2021',
      'monitoring_end=x',
      'monitoring_start=2025-01-01&monitoring_end=2024-12-31',
      'monitoring_start=2025-01-01',
    ]) {
      const refused = await get(`/fetch_plots?filename=c&${query}`);
      assert.equal(refused.statusCode, 422, query);
      assert.match(refused.json<{ detail: string }>().detail, /monitoring_(start|end): wanted/);
    }
  });

  it('give totals in place of features', async () => {
    const { server, add, get, lines } = await open();
    await using _ = server;
    add('c', [
      ...PLOTS,
      madeUpRecord(5, { statistics: null, problem: 'broken' }),
      madeUpRecord(6, { locationType: 'facility' }),
    ]);
    const [{ geometry, properties }, ...more] = (await lines(
      '/fetch_deforestation_check?filename=c&aggregate=true',
    )) as [Feature];
    assert.deepEqual([geometry, more.length], [null, 0]);
    assert.deepEqual(
      ['locations', 'plots', 'facilities', 'problems', 'noncompliance_area_ha'].map((name) => properties[name]),
      [7, 6, 1, 1, 2.5],
    );
    assert.deepEqual(properties['eudr_status_counts'], { deforestation_found: 5, unknown: 1 });
    assert.equal((properties['unknown'] as Record<string, number>)['noncompliance_area_ha'], 1);
    assert.equal((await lines('/fetch_plots?filename=c&plots_only=true')).length, 6);
    const table = await get('/fetch_plots?filename=c&aggregate=true', { accept: 'text/csv' });
    assert.equal(table.body.trim().split('\r\n').length, 2);
  });

  it('say why there is nothing yet', async () => {
    const { server, add, get, tasks, userId } = await open();
    await using _ = server;
    const task = await tasks.submit({ kind: 'x', userId, params: {}, input: null, idempotency: null });
    tasks.set(task.id, { progress: { done: 340, total: 1200 } });
    add('working', [], { status: 'processing', taskId: task.id });
    add('staged', [], { status: 'staged', taskId: null, options: null, locationsConfidence: null });
    add('failed', [], { status: 'failed', error: { code: 'malformed_file', detail: 'Row 3 is broken.' } });
    add('other', [], { userId: 'someone else' });
    const unmeasured = { ...madeUpCollection().options!, statistics: false };
    add('plain', PLOTS, { options: unmeasured, locationsConfidence: null });
    add('validated', PLOTS, { options: unmeasured, locationsConfidence: 'medium' });
    const requested = async (id: string, path = '/fetch_deforestation_check') => {
      const answer = await get(`${path}?filename=${id}`);
      const { code, detail } = answer.json<{ code: string; detail: string }>();
      return { status: answer.statusCode, code, detail, retry: answer.headers['retry-after'] };
    };
    const working = await requested('working');
    assert.deepEqual([working.status, working.code, working.retry], [409, 'collection_not_ready', '2']);
    assert.match(working.detail, /340 of 1200 locations/);
    assert.match((await requested('staged')).detail, /POST \/batch_process/);
    const failed = await requested('failed');
    assert.deepEqual([failed.status, failed.code], [409, 'collection_failed']);
    assert.match(failed.detail, /Row 3 is broken/);
    for (const id of ['other', 'nothing', '%00', '..%2F', 'working;drop'])
      assert.deepEqual([(await requested(id)).status, (await requested(id)).code], [404, 'collection_not_found'], id);
    for (const path of FETCHES.slice(0, 3)) assert.equal((await requested('plain', path)).code, 'statistics_missing');
    assert.equal((await get('/fetch_plots?filename=plain')).statusCode, 200);
    const validated = await get('/fetch_deforestation_check?filename=validated');
    assert.equal(validated.statusCode, 200);
    assert.match(validated.body, /"locations_confidence":"medium"/);
    assert.equal((await requested('validated', '/fetch_biodiversity')).code, 'statistics_missing');
    assert.equal((await get('/fetch_plots?filename=,')).statusCode, 422);
    assert.equal((await get('/fetch_plots')).statusCode, 422);
  });

  it('spare a second transfer, and answer HEAD without reading', async () => {
    const { server, add, get, reader } = await open();
    await using _ = server;
    add('c', PLOTS);
    const first = await get('/fetch_plots?filename=c');
    const etag = String(first.headers['etag']);
    assert.equal((await get('/fetch_plots?filename=c', { 'if-none-match': etag })).statusCode, 304);
    assert.equal((await get('/fetch_plots?filename=c&limit=1', { 'if-none-match': etag })).statusCode, 200);
    const before = reader.read();
    const head = await get('/fetch_plots?filename=c', {}, 'HEAD');
    assert.deepEqual([head.statusCode, head.body, reader.read()], [200, '', before]);
  });

  it('answer any query with features or with a problem of the client, never with a failure', async () => {
    const { server, add, get } = await open();
    await using _ = server;
    add('c', [...PLOTS, madeUpRecord(5, { locationType: 'facility' })]);
    const name = fc.constantFrom(
      'limit',
      'after',
      'aggregate',
      'plots_only',
      'monitoring_start',
      'country',
      'source',
      'source.grade',
      'radius',
      'polygon',
      'plots',
      '__proto__',
      'constructor',
    );
    const value = fc.oneof(fc.constantFrom('1', '0.2', 'true', '2021-01-01', 'c', ''), fc.string());
    const query = fc.array(fc.tuple(fc.oneof(name, fc.string({ minLength: 1 })), value), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...FETCHES, ...SHEDS), query, async (path, pairs) => {
        const text = new URLSearchParams([
          ['filename', 'c'],
          ...pairs.filter(([key]) => key !== 'filename'),
        ]).toString();
        const { statusCode, body } = await get(`${path}?${text}`);
        assert.ok([200, 404, 422].includes(statusCode), `${statusCode} ${path}?${text} ${body.slice(0, 300)}`);
      }),
      { numRuns: runs(400) },
    );
  });

  it('stop reading when the client leaves', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<number>();
    const content = [{ collection: madeUpCollection({ id: 'c' }), records: [] }];
    const { authorization, userId, ...users } = await loggedIn();
    await using server = testServer({
      credentials: users.credentials,
      routes: [
        fetchRoutes({
          tasks: memoryTasks(),
          version: '1',
          collections: {
            ...memoryCollections(content),
            get: () => Promise.resolve(madeUpCollection({ id: 'c', userId })),
            async *records() {
              let given = 0;
              try {
                for (;;) yield madeUpRecord(given++);
              } finally {
                end(given);
              }
            },
          },
        }),
      ],
    });
    const port = await server.listen();
    const leave = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/fetch_plots?filename=c`, {
      headers: { authorization },
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
    assert.ok((await ended) > 0, 'a collection without end is not read to its end');
  });

  it('need the scope collections', async () => {
    const { server } = await open();
    await using _ = server;
    const { authorization } = await server.login(['validate']);
    for (const path of [...FETCHES, ...SHEDS])
      assert.equal(
        (await server.app.inject({ url: `${path}?filename=c`, headers: { authorization } })).statusCode,
        403,
      );
  });
});

describe('the supply shed endpoints', () => {
  const mills = [
    madeUpRecord(0, { locationType: 'facility' }),
    madeUpRecord(1, { locationType: 'facility', lon: 0.02 }),
  ];

  it('count the plots of all completed collections, one of each file', async () => {
    const { server, add, lines } = await open();
    await using _ = server;
    add('mills', mills);
    add('farms', PLOTS);
    add('again', PLOTS, { file: { name: 'again', size: 1, sha256: 'farms' } });
    add('busy', PLOTS, { status: 'processing' });
    for (const path of SHEDS) {
      const sheds = await lines(`${path}?filename=mills&radius=2500`);
      assert.deepEqual(
        sheds.map(({ properties }) => properties['plots']),
        [3, 5],
      );
      const [{ properties }] = sheds as [Feature];
      assert.deepEqual([properties['plot_collections'], properties['plot_collections_of_same_file']], [['farms'], 1]);
      assert.equal(properties['locations_confidence'], 'high');
    }
    const [both] = await lines('/stat_supply_shed?filename=mills&radius=2500&plots=farms,again&aggregate=true');
    assert.equal(both!.properties['plots'], 10);
    assert.deepEqual(
      (await lines('/stat_supply_shed?filename=mills&radius=0')).map(({ properties }) => properties['plots']),
      [1, 1],
    );
  });

  it('page and filter facilities, and give the plots themselves', async () => {
    const { server, add, get, lines } = await open();
    await using _ = server;
    add('mills', mills);
    add('farms', PLOTS);
    const page = await get('/fetch_supply_shed?filename=mills&radius=2500&limit=1');
    assert.match(String(page.headers['link']), /after=0\.0>; rel="next"$/);
    assert.deepEqual(ids(await lines('/fetch_supply_shed?filename=mills&location_id=P1')), ['P1']);
    const plots = await lines('/fetch_supply_shed?filename=mills&radius=1500&plots_only=true&country=GH');
    assert.deepEqual(ids(plots), ['P0', 'P1', 'P2']);
    assert.equal(plots[1]!.properties['supply_shed_count'], 2);
    const polygon = encodeURIComponent('POLYGON((0.025 -1, 1 -1, 1 1, 0.025 1, 0.025 -1))');
    const given = await lines(`/fetch_supply_shed?filename=mills&polygon=${polygon}`);
    assert.deepEqual(
      given.map(({ properties }) => properties['plots']),
      [2, 2],
    );
  });

  it('refuse what cannot be answered, in words', async () => {
    const { server, add, get } = await open();
    await using _ = server;
    add('mills', mills);
    add('farms', PLOTS);
    for (const [query, wanted] of [
      ['filename=farms', /wanted a collection with facilities/],
      ['filename=mills&radius=-1', /radius: wanted a number from 0 to 200000/],
      ['filename=mills&polygon=POINT(0+0)', /polygon: wanted a Polygon/],
      ['filename=mills&polygon=x', /polygon: /],
      ['filename=mills&plots=nothing', /You have no collection "nothing"/],
      ['filename=mills&plots_only=true&aggregate=true', /aggregate: wanted/],
      ['filename=mills&raduis=5', /did you mean radius\?/],
    ] as const) {
      const refused = await get(`/stat_supply_shed?${query}`);
      assert.ok([404, 422].includes(refused.statusCode), refused.body);
      assert.match(refused.json<{ detail: string }>().detail, wanted);
    }
  });
});
