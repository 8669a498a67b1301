import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { BANDS, type Grid } from '../../../src/geo/segmentation/grid.ts';
import type { Dataset } from '../../../src/readers/catalogue/dataset.ts';
import type { EmbeddingSource } from '../../../src/readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { PUBLIC_EMBEDDINGS } from '../../../src/readers/embeddings/public-datasets.ts';
import { AEF_LAYOUT, openAefSite, type AefSite } from '../../end-to-end/aef-site.ts';
import { misbehave, serve } from '../../end-to-end/byte-source-site.ts';
import { embeddingDataset, openDeps } from './deps.ts';
import { writeGrid, writeIndex, writeSite } from './layouts.ts';
import { cutGrid, makeRegion } from './region.ts';
import { read } from './suite.ts';
import type { IndexRow } from './index-file.ts';

/** What comes of sources that are broken, slow or wrong: an error that says so, never codes that were not read. */

const grid: Grid = cutGrid(makeRegion().zone16, 60, 60, 140, 140);
const PLACE = [-84.008, 43.988] as const;
const never = new AbortController().signal;

let folder = '';
let site: AefSite;
let rows: IndexRow[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-failures-'));
  rows = await writeSite(folder, [{ asset: 'aa', year: 2024, grid }]);
  site = await openAefSite(folder);
});
after(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  site.behave();
  await writeIndex(folder, rows);
});

function cogs(options: Record<string, unknown> = {}): Dataset {
  return embeddingDataset({
    kind: 'cog-index',
    url: `${site.base}/${AEF_LAYOUT.index}`,
    options: { pathPrefix: AEF_LAYOUT.pathPrefix, baseUrl: `${site.base}/${AEF_LAYOUT.base}`, ...options },
  });
}

async function withSource<T>(dataset: Dataset, use: (source: EmbeddingSource) => Promise<T>): Promise<T> {
  await using deps = await openDeps();
  const [source] = openEmbeddings([dataset], deps);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

/** The whole of a lookup. */
async function lookUp(source: EmbeddingSource): Promise<Int8Array> {
  const place = await source.at(...PLACE, never);
  assert.ok(place !== null);
  await place.raster.phase(never);
  const [left, top] = [Math.floor(place.x), Math.floor(place.y)];
  return read(place.raster, { left: left - 20, top: top - 20, right: left + 20, bottom: top + 20 });
}

interface Fault {
  readonly name: string;
  readonly kind: string | undefined;
  readonly message: string;
}

async function faultOf(dataset: Dataset): Promise<Fault> {
  const error = await withSource(dataset, lookUp).then(
    () => assert.fail('it answered'),
    (reason: unknown) => reason as Error & { kind?: string },
  );
  return { name: error.name, kind: error.kind, message: error.message };
}

test('a good site answers', async () => {
  const codes = await withSource(cogs(), lookUp);
  assert.equal(codes.length, 40 * 40 * BANDS);
});

test('no range of a file is requested twice, whatever windows are read', async () => {
  await withSource(cogs(), async (source) => {
    const place = await source.at(...PLACE, never);
    assert.ok(place !== null);
    await place.raster.phase(never);
    site.forget();
    const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
    for (const side of [10, 40, 200])
      await read(place.raster, { left: x - side, top: y - side, right: x + side, bottom: y + side });
    assert.deepEqual(site.requests, [], 'the block was read for the phase already');
  });
  site.forget();
  await withSource(cogs(), lookUp);
  const ranges = site.requests.filter(({ path }) => path.endsWith('.tiff')).map(({ range }) => range);
  assert.deepEqual(ranges, [...new Set(ranges)]);
  assert.ok(ranges.length >= 2);
});

test('a file that the index names and nobody has is a failure, not a hole', async () => {
  site.misbehave(/\.tiff$/, misbehave(404, {}, 'gone'));
  assert.match((await faultOf(cogs())).message, /aa-0000000000-0000000000\.tiff/);
});

test('servers that fail, on the index or on a file, are named', async () => {
  for (const paths of [/\.parquet$/, /\.tiff$/]) {
    site.misbehave(paths, misbehave(500, {}, 'oops'));
    const fault = await faultOf(cogs());
    assert.deepEqual([fault.name, fault.kind], ['ByteSourceError', 'status']);
    assert.match(fault.message, /wanted status 206, got 500/);
    site.behave();
  }
});

test('an error that comes with status 200 is no file', async () => {
  for (const paths of [/\.parquet$/, /\.tiff$/]) {
    site.misbehave(paths, misbehave(200, { 'content-type': 'text/html' }, '<html>Sign in to go on, please</html>'));
    const fault = await faultOf(cogs());
    assert.match(fault.name, /AefIndexError|ByteSourceError|TiffError/);
    site.behave();
  }
});

test('a server that never ends its answer is left at the deadline', async () => {
  for (const paths of [/\.parquet$/, /\.tiff$/]) {
    site.misbehave(
      paths,
      (request, response) =>
        void response
          .writeHead(206, { 'content-range': `${request.headers.range?.replace('=', ' ')}/1000000` })
          .write('x'),
    );
    const start = performance.now();
    const fault = await faultOf(cogs({ deadlineMs: 250 }));
    assert.deepEqual([fault.name, fault.kind], ['ByteSourceError', 'timeout']);
    assert.ok(performance.now() - start < 3_000);
    site.behave();
  }
});

test('every call of a source and its rasters ends at the deadline when the server does not answer', async () => {
  const isLate = { name: 'ByteSourceError', kind: 'timeout' };
  const silent = (): void => {};
  await withSource(cogs({ deadlineMs: 2_000 }), async (source) => {
    const place = await source.at(...PLACE, never);
    assert.ok(place !== null);
    site.misbehave(/\.tiff$/, silent);
    const { raster, x, y } = place;
    await assert.rejects(raster.phase(never), isLate);
    await assert.rejects(raster.window(Math.floor(x), Math.floor(y), 9, 9, never), isLate);
  });
  site.misbehave(/\.parquet$/, silent);
  await withSource(cogs({ deadlineMs: 200 }), async (source) => {
    await assert.rejects(source.at(...PLACE, never), isLate);
    await assert.rejects(source.rasters([-85, 43, -83, 45], null, never), isLate);
  });
  const one = embeddingDataset({ kind: 'cog', url: `${site.base}/x.tiff`, options: { year: 2024, deadlineMs: 200 } });
  await withSource(one, async (source) => {
    await assert.rejects(source.at(...PLACE, never), isLate);
  });
});

test('an address where nobody listens fails as a transport fault', async () => {
  const gone = await openAefSite(folder);
  await gone[Symbol.asyncDispose]();
  const dataset = embeddingDataset({ kind: 'cog-index', url: `${gone.base}/${AEF_LAYOUT.index}` });
  assert.deepEqual((await faultOf(dataset)).kind, 'transport');
  const one = embeddingDataset({ kind: 'cog', url: `${gone.base}/one.tif`, options: { year: 2024 } });
  assert.deepEqual((await faultOf(one)).kind, 'transport');
});

test('after an index could not be had, lookups fail at once for a while', async () => {
  site.misbehave(/\.parquet$/, misbehave(500, {}, 'oops'));
  await withSource(cogs(), async (source) => {
    await assert.rejects(source.at(...PLACE, never));
    const sent = site.requests.length;
    await assert.rejects(source.at(...PLACE, never), /wanted status 206, got 500/);
    assert.equal(site.requests.length, sent);
  });
});

test('a file that was cut short fails where bytes are missing', async () => {
  const path = join(folder, AEF_LAYOUT.base, rows[0].path.slice(AEF_LAYOUT.pathPrefix.length));
  try {
    await truncate(path, 3_000);
    assert.match((await faultOf(cogs())).name, /TiffError|ByteSourceError/);
    await truncate(path, 0);
    assert.match((await faultOf(cogs())).name, /TiffError|ByteSourceError/);
  } finally {
    await writeSite(folder, [{ asset: 'aa', year: 2024, grid }]);
  }
});

test('bytes that are turned over in a block fail to decode', async () => {
  site.misbehave(/\.tiff$/, (request, response) => {
    void import('node:fs/promises').then(async ({ readFile }) => {
      const bytes = await readFile(join(folder, AEF_LAYOUT.base, rows[0].path.slice(AEF_LAYOUT.pathPrefix.length)));
      bytes.fill(0xa5, 20_000);
      serve(request, response, bytes);
    });
  });
  assert.match((await faultOf(cogs())).message, /\.tiff/);
});

test('a file of other content, at another place, or off the lattice is refused with what was wanted', async () => {
  const path = join(folder, AEF_LAYOUT.base, rows[0].path.slice(AEF_LAYOUT.pathPrefix.length));
  const cases: [Partial<Grid>, RegExp][] = [
    [{ transform: [10, 0, 739_575, 0, -10, 4_875_410] }, /wanted pixels of 10 x 10 in EPSG:32616 on the lattice/],
    [{ transform: [20, 0, 739_570, 0, -20, 4_875_410] }, /got pixels of 20 x 20/],
    [{ crs: 'EPSG:32617' }, /got pixels of 10 x 10 in EPSG:32617/],
    [{ crs: 'EPSG:3857' }, /wanted EPSG:4326 or a UTM zone on WGS84, got EPSG:3857/],
    [{ transform: [10, 0, 800_000, 0, -10, 4_875_410] }, /wanted a file that holds the pixels .* of its zone/],
  ];
  try {
    for (const [over, message] of cases) {
      await writeGrid(path, { ...grid, ...over }, { tile: 64 });
      assert.match((await faultOf(cogs())).message, message);
    }
    await writeFile(path, 'this is no TIFF file, whatever its name says');
    assert.match((await faultOf(cogs())).name, /TiffError/);
  } finally {
    await writeSite(folder, [{ asset: 'aa', year: 2024, grid }]);
  }
});

test('an index that leads out of its base is refused, and nothing of it is requested', async () => {
  await writeIndex(folder, [...rows, { ...rows[0], path: 'http://169.254.169.254/latest/meta-data.tiff' }]);
  site.forget();
  const fault = await faultOf(cogs());
  assert.equal(fault.name, 'AefIndexError');
  assert.match(fault.message, /wanted paths of TIFF files that begin with s3:.* got "http:\/\/169/);
  assert.ok(site.requests.every(({ path }) => path.endsWith('.parquet')));
});

test('an index without the columns that are needed says which', async () => {
  await writeIndex(folder, rows, { without: ['path', 'utm_north'] });
  assert.match((await faultOf(cogs())).message, /wanted the columns path or .*, utm_north, got fid, year/);
});

test('an index that claims to be huge is refused by its size', async () => {
  site.misbehave(
    /\.parquet$/,
    misbehave(206, { 'content-range': 'bytes 0-0/9000000000000', 'content-length': 1 }, 'P'),
  );
  assert.match((await faultOf(cogs())).message, /wanted an index of 12 to \d+ bytes, got 9000000000000/);
});

test('a folder without GeoTIFFs, a path with nothing, and a file of something else say so', async () => {
  const cog = (path: string): Dataset => embeddingDataset({ kind: 'cog', path, options: { year: 2024 } });
  const empty = await mkdtemp(join(folder, 'empty-'));
  assert.match((await faultOf(cog(empty))).message, /wanted 1 to 10000 files \*\.tif or \*\.tiff, got 0/);
  assert.match((await faultOf(cog(join(empty, 'none.tif')))).message, /got nothing/);
  await writeFile(join(empty, 'text.tif'), 'hello');
  assert.equal((await faultOf(cog(empty))).name, 'TiffError');
  await unlink(join(empty, 'text.tif'));
});

test('entries that cannot be read are refused when they are opened, before anything is read', async () => {
  await using deps = await openDeps();
  const cases: [Dataset, RegExp][] = [
    [embeddingDataset({ kind: 'cog', path: '/x.tif' }), /wanted the year of the embeddings/],
    [embeddingDataset({ kind: 'cog', path: '/x.tif', options: { year: 2024, deadlineMs: 0 } }), /options\.deadlineMs/],
    [
      embeddingDataset({ kind: 'geojson', path: '/x' }),
      /kind: wanted cog-index, cog, zarr for embeddings, got geojson/,
    ],
    [cogs({ baseUrl: 'file:///etc/' }), /options\.baseUrl: wanted an http or https address/],
    [cogs({ baseUrl: 7 }), /options\.baseUrl: wanted a text, got 7/],
    [cogs({ basePath: '/data' }), /wanted one of baseUrl and basePath/],
    [embeddingDataset({ kind: 'cog-index', path: '/x', options: { basePath: 'data' } }), /wanted an absolute folder/],
  ];
  for (const [dataset, message] of cases) assert.throws(() => openEmbeddings([dataset], deps), message);
});

test('the public datasets open without a network, in order, and other roles are passed over', async () => {
  await using deps = await openDeps();
  const roads = { ...embeddingDataset({ kind: 'geojson', path: '/x' }), role: 'roads' } as const;
  const sources = openEmbeddings([roads, ...PUBLIC_EMBEDDINGS], deps);
  assert.deepEqual(
    sources.map(({ dataset }) => dataset.id),
    ['aef-mosaic', 'aef', 'aef-gcs'],
  );
  for (const { licence, attribution } of PUBLIC_EMBEDDINGS) {
    assert.equal(licence, 'CC-BY-4.0');
    assert.equal(
      attribution,
      'The AlphaEarth Foundations Satellite Embedding dataset is produced by Google and Google DeepMind.',
    );
  }
  await Promise.all(sources.map((source) => source.close()));
  assert.deepEqual(await readdir(deps.dataDir), []);
});

test('two processes that open one folder need one index', async () => {
  await using deps = await openDeps();
  const [first] = openEmbeddings([cogs()], deps);
  await lookUp(first);
  await first.close();
  site.forget();
  site.misbehave(/\.parquet$/, misbehave(500, {}, 'oops'));
  const [second] = openEmbeddings([cogs()], deps);
  await lookUp(second);
  await second.close();
  assert.ok(site.requests.every(({ path }) => !path.endsWith('.parquet')));
});
