import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { copyFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig, type Config } from '../../src/config/settings.ts';
import { type Crs, findCrs } from '../../src/geo/crs/find-crs.ts';
import { latticeProjection } from '../../src/geo/outline/lattice.ts';
import { findPatch } from '../../src/forest/find-patch.ts';
import { createSharedWork } from '../../src/forest/shared-work.ts';
import { createLog } from '../../src/log.ts';
import type { Dataset } from '../../src/readers/catalogue/dataset.ts';
import type { EmbeddingSource } from '../../src/readers/embeddings/embedding-source.ts';
import { openZarrArray } from '../../src/readers/formats/zarr/open-zarr.ts';
import { folderStore } from '../../src/readers/formats/zarr/zarr-store.ts';
import { buildStore, type StoreBuild } from '../../src/service/labels/build.ts';
import { openBuildSource } from '../../src/service/labels/embeddings.ts';
import { storeInfo } from '../../src/service/labels/info.ts';
import { planStore, type StorePlan, type StoreRequest } from '../../src/service/labels/plan.ts';
import { openLabelStores } from '../../src/service/labels/label-store.ts';
import { verifyStore } from '../../src/service/labels/verify.ts';
import { testEngines } from '../contracts/engines.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';

const RASTER = 'aef/wisconsin_west.tif';
const needsRaster = needsSharedData(RASTER);
const signal = new AbortController().signal;
const log = createLog({ level: 'silent', json: true });
/** Chunks and shards so small that most segments lie in several. */
const SMALL = { chunk: 32, shard: 128 };

/** What ends after a test, or after all of them. */
interface Ending {
  after(end: () => unknown): void;
}

function temporaryFolder(t: Ending): string {
  const folder = mkdtempSync(join(tmpdir(), 'label-store-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function datasetAt(path: string): Dataset {
  return {
    id: 'wisconsin',
    role: 'embeddings',
    kind: 'cog',
    path,
    coverage: { bbox: [-180, -90, 180, 90] },
    version: '2024.1',
    date: '2024',
    licence: 'CC-BY-4.0',
    attribution: 'The AlphaEarth Foundations Satellite Embedding dataset is produced by Google and Google DeepMind.',
    synthetic: false,
    options: {},
  };
}

const wisconsin = datasetAt(join(SHARED_DATA, RASTER));

interface Site {
  readonly config: Config;
  readonly folder: string;
  readonly source: EmbeddingSource;
  plan(request?: Partial<StoreRequest>): Promise<StorePlan>;
  build(plan: StorePlan, changes?: Partial<StoreBuild>): ReturnType<typeof buildStore>;
}

async function openSite(t: Ending, dataset = wisconsin, env: Record<string, string> = {}): Promise<Site> {
  const dataDir = temporaryFolder(t);
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env });
  const folder = join(dataDir, 'stores', dataset.id);
  const source = await openBuildSource(dataset, config);
  t.after(() => source.close());
  return {
    config,
    folder,
    source,
    plan: (request = {}) =>
      planStore(
        source,
        { folder, box: null, tile: null, year: null, force: false, part: null, sizes: SMALL, ...request },
        signal,
      ),
    build: async (plan, changes = {}) => {
      const faults: string[] = [];
      const result = await buildStore({
        config,
        dataset,
        folder,
        plan,
        force: false,
        shared: config.databaseUrl !== null,
        workers: 2,
        createdBy: 'test',
        log,
        signal,
        onProgress: () => {},
        onTile: ({ name }, fault) => void (fault && faults.push(`${name}: ${fault}`)),
        ...changes,
      });
      assert.deepEqual(faults, []);
      return result;
    },
  };
}

interface WholeStore {
  readonly folder: string;
  readonly plan: StorePlan;
}

const builtWhole = new AsyncDisposableStack();
after(() => builtWhole.disposeAsync());
let whole: Promise<WholeStore> | undefined;

/** The store of small chunks that one build makes of the raster; built once, for whoever only reads it. */
function wholeStore(): Promise<WholeStore> {
  whole ??= (async () => {
    const site = await openSite({ after: (end) => builtWhole.defer(async () => void (await end())) });
    const plan = await site.plan();
    assert.ok(plan.tiles.length > 6);
    assert.deepEqual(await site.build(plan), { built: plan.tiles.length, failed: 0 });
    return { folder: site.folder, plan };
  })();
  return whole;
}

async function copyOfWhole(site: Site): Promise<WholeStore> {
  const { folder, plan } = await wholeStore();
  await cp(folder, site.folder, { recursive: true });
  return { folder: site.folder, plan };
}

/** The chunks of both arrays that are stored, decoded, by name and place; as checksums, so that a difference is short. */
async function chunksOf(folder: string): Promise<Map<string, string>> {
  const chunks = new Map<string, string>();
  for (const name of ['labels', 'status']) {
    const array = await openZarrArray(folderStore(folder), `EPSG_32616/2024/${name}`, signal);
    assert.ok(array !== null);
    // The raster lies in these.
    for (let row = 266_440 / SMALL.chunk; row < 266_950 / SMALL.chunk; row++) {
      for (let column = 21_370 / SMALL.chunk; column < 21_660 / SMALL.chunk; column++) {
        const index = [Math.floor(row), Math.floor(column)];
        const values = await array.chunk(index, signal);
        if (values !== null) chunks.set(`${name} ${index.join(' ')}`, createHash('md5').update(values).digest('hex'));
      }
    }
  }
  assert.ok(chunks.size > 200, `${chunks.size} chunks`);
  return chunks;
}

for (const [name, sizes] of [
  ['usual chunks', {}],
  ['small chunks', SMALL],
] as const)
  test(`a store of ${name} gives the same polygon and id as a live lookup, at 500 places`, needsRaster, async (t) => {
    const site = await openSite(t);
    if (sizes === SMALL) await copyOfWhole(site);
    else await site.build(await site.plan({ sizes }));
    const stores = openLabelStores([], { dataDir: site.config.dataDir, remote: () => assert.fail('no address') });
    t.after(() => stores.close());
    const [labels] = await stores.current();
    const [raster] = await site.source.rasters([-180, -90, 180, 90], null, signal);
    const projection = latticeProjection(raster.crs);
    const [a, , c, , e, f] = raster.transform;
    const random = seededRandom(17);
    const options = { crs: findCrs('EPSG:4326') as Crs, timeoutMs: 60_000, signal };
    const tell = ({ geometry, properties }: Awaited<ReturnType<typeof findPatch>>) => ({
      geometry,
      id: properties['segment_id'],
      area: properties['area_ha'],
      warnings: properties.warnings.map(({ code }) => code),
    });
    const shared = createSharedWork();
    let polygons = 0;
    for (let i = 0; i < 500; i++) {
      const degrees = new Float64Array(2);
      projection.toLonLat(c + a * random() * raster.width, f + e * random() * raster.height, degrees, 0);
      const point = [degrees[0], degrees[1]] as const;
      const live = await findPatch(point, { labels: [], embeddings: [site.source] }, options);
      const stored = await findPatch(point, { labels: [labels], embeddings: [] }, options);
      assert.deepEqual(tell(stored), tell(live));
      assert.deepEqual(await findPatch(point, { labels: [labels], embeddings: [] }, { ...options, shared }), stored);
      if (stored.geometry === null) continue;
      polygons++;
      assert.equal(stored.properties.source, 'plotids-store');
      assert.equal(stored.properties['source_year'], 2024);
    }
    assert.ok(polygons > 200, `only ${polygons} of 500 lie in forest`);
  });

test('a build that was stopped goes on where it was, and ends with the same chunks', needsRaster, async (t) => {
  const { folder: whole, plan } = await wholeStore();
  const stopped = await openSite(t);
  const abort = new AbortController();
  let ended = 0;
  const first = await stopped.build(await stopped.plan(), {
    workers: 1,
    signal: abort.signal,
    onTile: () => void (++ended === 3 && abort.abort()),
  });
  assert.ok(first.built >= 3 && first.built < plan.tiles.length, `${first.built} built`);
  const rest = await stopped.plan();
  assert.equal(rest.built, first.built);
  assert.equal((await stopped.build(rest)).built, plan.tiles.length - first.built);
  assert.deepEqual(await chunksOf(stopped.folder), await chunksOf(whole));
  assert.deepEqual((await readdir(stopped.folder)).toSorted(), ['EPSG_32616', 'zarr.json']);
});

test('boxes that meet, built one after the other, are one store', needsRaster, async (t) => {
  const { folder: whole } = await wholeStore();
  const parts = await openSite(t);
  const [west, east] = [
    [-88.9, 44, -88.8, 45],
    [-88.8, 44, -88.7, 45],
  ] as const;
  await parts.build(await parts.plan({ box: west }));
  const { layers } = (await storeInfo(parts.folder, signal))!;
  const half = layers[0].cells;
  assert.ok(half.forest > 0);
  await parts.build(await parts.plan({ box: east }));
  assert.deepEqual(await chunksOf(parts.folder), await chunksOf(whole));
  const [all, expected] = [await storeInfo(parts.folder, signal), await storeInfo(whole, signal)];
  assert.deepEqual(all?.layers[0].cells, expected?.layers[0].cells);
  assert.deepEqual(all?.layers[0].entry.coverage, expected?.layers[0].entry.coverage);
  assert.equal(all?.layers[0].segments, 1399);
});

test('what was built is left alone until it is forced', needsRaster, async (t) => {
  const site = await openSite(t);
  const { plan } = await copyOfWhole(site);
  assert.equal((await site.plan()).tiles.length, 0);
  const forced = await site.plan({ force: true });
  assert.equal(forced.tiles.length, plan.tiles.length);
  assert.equal((await site.build(forced, { force: true })).built, plan.tiles.length);
});

test('a tile is planned by its name', needsRaster, async (t) => {
  const site = await openSite(t);
  const all = await site.plan();
  const { tiles } = await site.plan({ tile: all.tiles[3].name });
  assert.deepEqual(
    tiles.map(({ name, tile }) => [name, tile]),
    [[all.tiles[3].name, all.tiles[3].tile]],
  );
  await assert.rejects(site.plan({ tile: 'EPSG_32616/2024/9.9' }), /wisconsin has no embeddings in the tile/);
  await assert.rejects(site.plan({ box: [0, 0, 1, 1] }), /wisconsin has no embeddings in the box 0,0,1,1/);
  await assert.rejects(site.plan({ year: 2019 }), /wisconsin has no embeddings of 2019/);
});

test('a tile that fails is named with its reason, and the others go on', needsRaster, async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'cut.tif');
  await copyFile(join(SHARED_DATA, RASTER), path);
  const { length } = await readFile(path);
  const site = await openSite(t, datasetAt(path));
  const plan = await site.plan();
  // Cut off after the plan has seen it whole; what is read later lies beyond the end.
  await truncate(path, Math.floor(length * 0.6));
  const faults: string[] = [];
  const result = await site.build(plan, {
    onTile: ({ name }, fault) => void (fault && faults.push(`${name}: ${fault}`)),
  });
  assert.equal(result.built + result.failed, plan.tiles.length);
  assert.ok(result.failed > 0);
  assert.match(faults[0], /^EPSG_32616\/2024\/\d+\.\d+: .*cut\.tif/);
});

test('a check finds no difference, and finds one that was made', needsRaster, async (t) => {
  const site = await openSite(t);
  await copyOfWhole(site);
  const verify = () =>
    verifyStore(site.source, {
      folder: site.folder,
      sample: 60,
      random: seededRandom(2),
      signal,
      onProgress: () => {},
    });
  const report = await verify();
  assert.deepEqual([report.equal, report.faults.length], [60, 0]);
  // Every shard of labels is replaced by another one.
  const files = (await readdir(site.folder, { recursive: true })).filter((file) => /labels\/c\/\d+\/\d+$/.test(file));
  const contents = await Promise.all(files.map((file) => readFile(join(site.folder, file))));
  for (const [i, file] of files.entries()) await writeFile(join(site.folder, file), contents[(i + 1) % files.length]);
  assert.ok((await verify()).faults.length > 20);
});

test('with a shared database other workers take tiles, and one without the folder says so', needsRaster, async (t) => {
  const engine = testEngines().find(({ name }) => name === 'postgres');
  if (engine === undefined || engine.skip !== false) return t.skip('no PostgreSQL server answers');
  const database = await engine.create();
  t.after(() => database.drop());
  const site = await openSite(t, wisconsin, { DATABASE_URL: database.databaseUrl ?? '' });
  const { folder: alone } = await wholeStore();
  const plan = await site.plan();
  let cells = 0;
  const result = await site.build(plan, { onProgress: (done) => void (cells = done) });
  assert.deepEqual(result, { built: plan.tiles.length, failed: 0 });
  assert.equal(
    cells,
    plan.tiles.reduce((sum, tile) => sum + tile.cells, 0),
  );
  assert.deepEqual(await chunksOf(site.folder), await chunksOf(alone));
});

test('the command line plans, builds, shows and checks a store', needsRaster, async (t) => {
  const folder = temporaryFolder(t);
  const catalogue = join(folder, 'catalogue.json');
  const entry = { ...wisconsin, coverage: undefined, synthetic: undefined, options: undefined };
  await writeFile(catalogue, JSON.stringify([entry]));
  const env = { DATA_DIR: join(folder, 'data'), CATALOGUE: catalogue };
  const run = (...words: string[]) => runCommand(['store', ...words], env);
  const plan = await run('build', '--dataset', 'wisconsin', '--dry-run');
  assert.equal(plan.code, 0);
  assert.match(plan.err, /1 tiles to build, 0 built already: .*EPSG_32616\/2024\/65\.5\n1\.3 million pixels/s);
  const built = await run('build', '--dataset', 'wisconsin');
  assert.deepEqual([built.code, built.out], [0, '']);
  assert.match(built.err, /1\/1 EPSG_32616\/2024\/65\.5: built\n1 tiles built, 0 failed, 0 left/);
  assert.match((await run('build', '--dataset', 'wisconsin')).err, /Nothing to do: all 1 tiles have been built/);
  const info = JSON.parse((await run('info', '--json')).out) as { layers: { segments: number }[] };
  assert.equal(info.layers[0].segments, 1399);
  assert.match((await run('info')).out, /algorithm +aef-watershed\/1 depth=0\.005/);
  assert.match((await run('list')).out, /wisconsin +2024\.1 +EPSG:32616 +2024 +1 +1,399/);
  const verified = await run('verify', '--sample', '20', '--seed', '4');
  assert.deepEqual(
    [verified.code, verified.out],
    [0, '20 cells, seed 4: 20 equal, 0 different, 0 left to live lookups, 0 undecided\n'],
  );
  for (const [words, message] of [
    [['build', '--dataset', 'nowhere'], /--dataset: wanted embeddings of the catalogue \(wisconsin.*\), got "nowhere"/],
    [['build'], /--dataset: wanted embeddings of the catalogue .* got nothing/],
    [['build', '--dataset', 'wisconsin', '--bbox', '3,2,1,0'], /--bbox: wanted west,south,east,north/],
    [['build', '--dataset', 'wisconsin', '--workers', '0'], /--workers: 0 needs DATABASE_URL/],
    [['build', '--dataset', 'aef'], /aef covers the world: wanted --bbox, --tile or --all/],
    [['info', join(folder, 'nothing')], /there is no label store/],
  ] as const) {
    const { code, err } = await run(...words);
    assert.match(err, message);
    assert.ok(code === 1 || code === 2);
  }
});
