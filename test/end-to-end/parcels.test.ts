import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pointInPolygon } from '../../src/geo/rings/point-in-polygon.ts';
import { oneEngine } from '../contracts/engines.ts';
import { json, openLiveSite } from '../live-site.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict, type RunningProcess } from './run-service.ts';

interface Feature {
  readonly id?: string | number;
  readonly geometry: { readonly type: string; readonly coordinates: number[][][] } | null;
  readonly properties: Readonly<Record<string, unknown>> & { readonly warnings: readonly { readonly code: string }[] };
}
interface Collection {
  readonly features: readonly Feature[];
}

const ORACLE = resolve(import.meta.dirname, '../oracles/parcels');
/** Of the sample district: a parcel, the road allowance between two, and the western half, which has no parcels. */
const [PARCEL, ROAD, WEST] = [
  [102.6012, 4.6177],
  [102.60005, 4.614_95],
  [102.581, 4.6],
];
const COUNTY = [-89.39, 43.057];
const VICTORIA = [-123.365, 48.428];
const TORONTO = [-79.38, 43.65];

const site = openLiveSite();

for (const engine of oneEngine()) {
  describe(`the parcel search on the ${engine.name} database`, { skip: engine.skip }, () => {
    let service: RunningProcess;
    const opened = new AsyncDisposableStack();
    let env: Record<string, string>;
    let dataDir: string;

    before(async () => {
      const database = await engine.create();
      opened.defer(() => database.drop());
      ({ dataDir } = database);
      await mkdir(dataDir, { recursive: true });
      await shareSampleDistrict(dataDir);
      const place = ['--jurisdiction', 'US-WI-025', '--id-field', 'PARCELID', '--licence', 'CC0-1.0'];
      const imported = await runCommand(
        ['data', 'import', 'parcels', join(ORACLE, 'parcels.zip'), '--id', 'dane', ...place],
        {
          DATA_DIR: dataDir,
        },
      );
      assert.equal(imported.code, 0, imported.err);
      assert.match(imported.err, /42 parcels \(0\.0 MB\) from 42 rows of shapefile/);
      env = {
        PARCELMAP_BC_URL: `${site.base}/wfs`,
        LIVE_CACHE_MB: '0',
        ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
      };
      service = opened.use(await runService({ dataDir, env }));
    });
    after(() => opened.disposeAsync());

    const search = async (points: readonly (readonly number[])[], more: object = {}): Promise<readonly Feature[]> => {
      const features = points.map((coordinates, id) => ({
        type: 'Feature',
        id,
        geometry: { type: 'Point', coordinates },
      }));
      const answer = await service.fetch('/cadastral/parcels/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ features, ...more }),
      });
      assert.equal(answer.status, 200);
      return ((await answer.json()) as Collection).features;
    };
    const code = ({ properties }: Feature): string | undefined => properties.warnings[0]?.code;

    it('answers from the sample district, an imported county and a live service, and with forest outside of them', async () => {
      const ring = [
        [-123.366, 48.427],
        [-123.364, 48.427],
        [-123.364, 48.429],
        [-123.366, 48.429],
        [-123.366, 48.427],
      ];
      const geometry = { type: 'Polygon', coordinates: [ring] };
      const features = [{ type: 'Feature', geometry, properties: { PARCEL_FABRIC_POLY_ID: 5, PID: '009-1' } }];
      site.handler = json({ type: 'FeatureCollection', features, numberMatched: 1 });
      const points = [PARCEL, WEST, ROAD, COUNTY, VICTORIA];
      const found = await search(points, { forest_fallback: true });
      assert.deepEqual(
        found.map(({ id, properties: { source, jurisdiction, dataset } }) => [id, source, jurisdiction, dataset]),
        [
          [0, 'parcels', 'XX-SAMPLE', 'sample-district-parcels'],
          [1, 'plotids-store', undefined, 'sample-district-labels'],
          [2, 'parcels', 'XX-SAMPLE', 'sample-district-parcels'],
          [3, 'parcels', 'US-WI-025', 'dane-parcels'],
          [4, 'parcels', 'CA-BC', 'parcelmap-bc'],
        ],
      );
      assert.deepEqual(found.map(code), ['synthetic_data', 'synthetic_data', 'no_parcel', undefined, undefined]);
      for (const [i, { geometry: area }] of found.entries())
        if (i !== 2)
          assert.ok(pointInPolygon(area?.coordinates.map((line) => line.flat()) ?? [], points[i][0], points[i][1]));
      assert.equal(found[4].properties['parcel_id'], '5');
    });

    it('keeps a failing service to its own points', async () => {
      site.handler = json({}, 500);
      const found = await search([VICTORIA, COUNTY, PARCEL], { forest_fallback: true });
      assert.deepEqual(found.map(code), ['source_unavailable', undefined, 'synthetic_data']);
    });

    it('answers one point by GET, and without fallback says that nothing covers it', async () => {
      const answer = await service.fetch(`/cadastral/parcels/search?lon=${TORONTO[0]}&lat=${TORONTO[1]}`);
      const { features } = (await answer.json()) as Collection;
      assert.deepEqual([features[0].geometry, code(features[0])], [null, 'outside_parcel_footprint']);
    });

    it('answers a hundred points at once', async () => {
      const points = Array.from({ length: 100 }, (_, i) => [
        102.577 + (i % 10) * 0.0045,
        4.574 + Math.floor(i / 10) * 0.0045,
      ]);
      const found = await search(points, { forest_fallback: true });
      assert.equal(found.length, 100);
      const sources = new Set(found.map(({ properties }) => properties['source']));
      assert.ok(sources.has('parcels') && sources.has('plotids-store'), [...sources].join(', '));
      assert.ok(found.every((feature) => feature.geometry !== null || code(feature) !== undefined));
    });

    it('is in the reference, in the limits and among the datasets', async () => {
      const api = (await (await service.fetch('/openapi.json')).json()) as { paths: Record<string, object> };
      assert.deepEqual(Object.keys(api.paths['/cadastral/parcels/search']).toSorted(), ['get', 'post']);
      const { limits } = (await (await service.fetch('/limits')).json()) as {
        limits: { name: string; value: number }[];
      };
      assert.equal(limits.find(({ name }) => name === 'parcel_features')?.value, 100);
      const listed = await (await service.fetch('/datasets')).text();
      for (const id of ['dane-parcels', 'sample-district-parcels', 'parcelmap-bc'])
        assert.ok(listed.includes(`"${id}"`), id);
      assert.doesNotMatch(listed, /\/wfs/);
    });

    if (engine.name === 'postgres')
      it('says where the forest patch will be while no worker runs', async () => {
        const database = await engine.create();
        await using ended = new AsyncDisposableStack();
        ended.defer(() => database.drop());
        const settings = { DATABASE_URL: database.databaseUrl ?? '', FOREST_BATCH_TIMEOUT_MS: '200' };
        const idle = ended.use(await runService({ env: { ...settings, RUN_TASKS: 'off' } }));
        const url = `/cadastral/parcels/search?lon=${WEST[0]}&lat=${WEST[1]}&forest_fallback=true`;
        const { features } = (await (await idle.fetch(url)).json()) as Collection;
        assert.equal(code(features[0]), 'forest_pending');
        const { results_url: results } = features[0].properties['forest_task'] as { results_url: string };
        assert.equal((await idle.fetch(results)).status, 409);
        ended.use(await runService({ env: settings, command: 'worker' }));
        let answer = await idle.fetch(results);
        while (answer.status === 409) {
          await new Promise((done) => setTimeout(done, 50));
          answer = await idle.fetch(results);
        }
        assert.equal(((await answer.json()) as Collection).features[0].properties['source'], 'plotids-store');
      });
  });
}

describe('firstmile parcels search', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-parcels-'));
    await shareSampleDistrict(dataDir);
  });
  after(() => rm(dataDir, { recursive: true, force: true }));
  const run = (...words: readonly string[]) => runCommand(words, { DATA_DIR: dataDir });

  it('prints the parcel, the forest patch outside of parcels, and exits with 3 where there is none', async () => {
    const parcel = await run('parcels', 'search', ...PARCEL.map(String));
    assert.equal(parcel.code, 0, parcel.err);
    assert.equal((JSON.parse(parcel.out) as Collection).features[0].properties['parcel_id'], 'SAMPLE-0001');
    const forest = await run('parcels', 'search', ...WEST.map(String), '--forest-fallback');
    assert.equal((JSON.parse(forest.out) as Collection).features[0].properties['source'], 'plotids-store');
    const road = await run('parcels', 'search', ...ROAD.map(String), '--forest-fallback');
    assert.deepEqual([road.code, /no_parcel/.test(road.err)], [3, true]);
    assert.equal((await run('parcels', 'search', '200', '0')).code, 2);
  });

  it('knows what was imported, and data verify and data remove do too', async () => {
    const file = join(dataDir, 'county.geojson');
    await cp(join(ORACLE, 'parcels.geojson'), file);
    const place = ['--jurisdiction', 'US-WI-025', '--id-field', 'PARCELID'];
    assert.equal((await run('data', 'import', 'parcels', file, ...place)).code, 0);
    assert.equal((await run('parcels', 'search', ...COUNTY.map(String))).code, 0);
    assert.match((await run('data', 'verify')).out, /county .*: 42 features, sound/);
    assert.match((await run('data', 'list')).out, /^county .* parcels 42$/m);
    await writeFile(join(dataDir, 'regional-packs', 'county', 'parcels.fgb'), 'damaged');
    assert.equal((await run('data', 'verify')).code, 1);
    assert.equal((await run('parcels', 'search', ...COUNTY.map(String))).code, 1);
    assert.equal((await run('data', 'remove', 'county')).code, 0);
    assert.equal((await run('parcels', 'search', ...COUNTY.map(String))).code, 3);
  });

  it('refuses calls that miss something, naming it', async () => {
    const file = join(ORACLE, 'parcels.geojson');
    for (const [words, wanted] of [
      [[file], /--jurisdiction: wanted a code such as US-WI-025 or CA-BC, got none/],
      [[file, '--jurisdiction', 'dane'], /got dane/],
      [[file, '--jurisdiction', 'US-WI-025'], /--id-field/],
      [['none.zip', '--jurisdiction', 'US', '--id-field', 'x'], /FILE: there is no file none\.zip/],
      [[file, '--jurisdiction', 'US', '--id-field', 'x', '--date', 'May'], /--date/],
    ] as const) {
      const { code, err } = await run('data', 'import', 'parcels', ...words);
      assert.equal(code, 2);
      assert.match(err, wanted);
    }
  });
});
