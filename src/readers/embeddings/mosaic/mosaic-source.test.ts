import assert from 'node:assert/strict';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import {
  attributesOfMosaic,
  MOSAIC,
  sampleGrid,
  serveFolder,
  writeMosaic,
  type FolderSite,
} from '../../../../test/contracts/embeddings/mosaic.ts';
import { needsSharedData } from '../../../../test/shared-data.ts';
import { type CodeWindow, windowOfGrid } from '../../../geo/segmentation/code-window.ts';
import { findSegment, type FoundSegment } from '../../../geo/segmentation/find-segment.ts';
import { BANDS, type Grid, NODATA } from '../../../geo/segmentation/grid.ts';
import { latticeProjection } from '../../../geo/outline/lattice.ts';
import { createHostGates } from '../../io/concurrency.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { remoteSource } from '../../io/remote.ts';
import type { Dataset } from '../../catalogue/dataset.ts';
import { openZarrWriter, writeZarrArray, writeZarrGroup } from '../../formats/zarr/write-zarr.ts';
import { ZarrError } from '../../formats/zarr/zarr-array.ts';
import { createBlockMemory, withBlockCache } from '../blocks/block-cache.ts';
import { createDecoder } from '../decode/decoder.ts';
import type { EmbeddingPlace, EmbeddingSource } from '../embedding-source.ts';
import { openMosaic, type MosaicDeps } from './mosaic-source.ts';

const signal = AbortSignal.any([]);
const needsSamples = needsSharedData('aef/wisconsin_west.tif');
const root = mkdtempSync(join(tmpdir(), 'mosaic-'));
after(() => rm(root, { recursive: true }));

const decoder = createDecoder({ threads: 1 });
after(() => decoder.close());
const gateOf = createHostGates(16);
const retries = { attempts: 2, baseMs: 1, maxDelayMs: 1 };
let nextFolder = 0;

function depsOf(changes: Partial<MosaicDeps> = {}): MosaicDeps {
  const dataDir = join(root, `data-${nextFolder++}`);
  const remote: MosaicDeps['remote'] = (url) => remoteSource(url, { gateOf, cache: null, retries });
  return { dataDir, remote, decoder, cached: (blocks) => blocks, ...changes };
}

function datasetAt(place: { url: string } | { path: string }, options: Dataset['options'] = {}): Dataset {
  return {
    id: 'mosaic',
    role: 'embeddings',
    kind: 'zarr',
    ...place,
    coverage: { bbox: [-88.84, 44.24, -88.74, 44.34] },
    version: '1',
    date: null,
    licence: 'CC-BY-4.0',
    attribution: 'AEF',
    synthetic: false,
    options,
  };
}

const open = (path: string, options?: Dataset['options']): EmbeddingSource =>
  openMosaic(datasetAt({ path }, options), depsOf());

/** Longitude and latitude of the centre of a grid's pixel. */
function placeOf({ transform: [a, , c, , e, f], crs }: Grid, x: number, y: number): readonly [number, number] {
  const out = new Float64Array(2);
  latticeProjection(crs).toLonLat(a * (x + 0.5) + c, e * (y + 0.5) + f, out, 0);
  return [out[0], out[1]];
}

async function placeIn(source: EmbeddingSource, grid: Grid, x: number, y: number): Promise<EmbeddingPlace> {
  const place = await source.at(...placeOf(grid, x, y), signal);
  assert.ok(place);
  return place;
}

/** All codes of a window. */
function codesOf({ width, height, copyRow }: CodeWindow): Int8Array {
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++) copyRow(y, codes.subarray(y * width * BANDS, (y + 1) * width * BANDS));
  return codes;
}

/** Column and row on the zone's lattice of the first pixel of a grid. */
const cornerOf = ({ transform: [, , c, , , f] }: Grid): readonly [number, number] => [c / 10, (10_200_000 - f) / 10];

describe('a mosaic made from a UTM raster', needsSamples, () => {
  const grid = sampleGrid('wisconsin_west') as Grid;
  const folder = join(root, 'west');
  before(() => writeMosaic(folder, [{ grid, year: 2024 }]));

  it('is a raster of the zone with the pixels of the raster, 99 of 100 of them', async () => {
    const { raster } = await placeIn(open(folder), grid, 280, 489);
    assert.equal(raster.id, 'EPSG:32616');
    assert.equal(raster.crs, 'EPSG:32616');
    assert.equal(raster.year, 2024);
    assert.deepEqual(raster.transform, [10, 0, 0, 0, -10, 10_200_000]);
    const back = codesOf(await raster.window(...cornerOf(grid), grid.width, grid.height, signal));
    let same = 0;
    for (let pixel = 0; pixel < grid.width * grid.height; pixel++) {
      const at = pixel * BANDS;
      let band = 0;
      while (band < BANDS && back[at + band] === grid.codes[at + band]) band++;
      if (band === BANDS) same++;
    }
    assert.ok(same / (grid.width * grid.height) > 0.99, `${same} of ${grid.width * grid.height}`);
  });

  it('puts a place on the pixel it is in', async () => {
    const [left, top] = cornerOf(grid);
    for (const [x, y] of [
      [0, 0],
      [559, 977],
      [123, 456],
    ]) {
      const place = await placeIn(open(folder), grid, x, y);
      assert.deepEqual([Math.floor(place.x), Math.floor(place.y)], [left + x, top + y]);
    }
  });

  it('has the blocks of the raster, found at a fixed place whatever is queried first', async () => {
    for (const [x, y] of [
      [10, 10],
      [500, 900],
    ]) {
      const { raster } = await placeIn(open(folder), grid, x, y);
      const phase = await raster.phase(signal);
      assert.deepEqual([phase.x, phase.y], [1, 1]);
      assert.ok(phase.confidence > 3);
      assert.deepEqual(await raster.phase(signal), phase);
    }
  });

  it('gives the segments of the raster', async () => {
    const memory = createBlockMemory();
    const deps = depsOf({ cached: (blocks) => withBlockCache(blocks, { memory, disk: null }) });
    const source = openMosaic(datasetAt({ path: folder }), deps);
    const [left, top] = cornerOf(grid);
    const overlaps: number[] = [];
    for (let i = 0; i < 40; i++) {
      const [x, y] = [80 + ((i * 331) % 400), 80 + ((i * 577) % 800)];
      const here = await findSegment({ phase: { x: 0, y: 0 }, window: windowFrom(grid) }, x, y);
      const { raster } = await placeIn(source, grid, x, y);
      const there = await findSegment(
        {
          phase: await raster.phase(signal),
          window: (...rect) => raster.window(rect[0], rect[1], rect[2], rect[3], signal),
        },
        left + x,
        top + y,
      );
      assert.ok(here && there);
      // Cell 0 of the zone begins at pixel 1, the raster's first pixel is an odd one.
      overlaps.push(overlap(here, there, (left - 1) / 2, (top - 1) / 2));
    }
    overlaps.sort((a, b) => a - b);
    assert.ok(overlaps[4] > 0.9, `tenth: ${overlaps[4]}`);
    assert.ok(overlaps[20] > 0.995, `median: ${overlaps[20]}`);
  });

  it('gives a pixel the same codes in every window', async () => {
    const { raster } = await placeIn(open(folder), grid, 280, 489);
    const [left, top] = cornerOf(grid);
    const large = windowOfCodes(await raster.window(left + 200, top + 400, 120, 110, signal));
    for (const [x, y, side] of [
      [207, 411, 40],
      [250, 431, 33],
    ]) {
      const small = codesOf(await raster.window(left + x, top + y, side, side, signal));
      assert.deepEqual(small, codesOf(windowOfGrid(large, x - 200, y - 400, side, side)));
    }
  });

  it('is no data next to the raster, and not covered where no chunk is stored', async () => {
    const source = open(folder);
    const { raster } = await placeIn(source, grid, 0, 0);
    const [left, top] = cornerOf(grid);
    const beside = await raster.window(left - 40, top - 4, 8, 8, signal);
    assert.ok(codesOf(beside).every((code) => code === NODATA));
    assert.equal(raster.covers(left - 40, top - 4), true);
    const far = await raster.window(left - 5000, top, 4, 4, signal);
    assert.ok(codesOf(far).every((code) => code === NODATA));
    assert.equal(raster.covers(left - 5000, top), false);
    assert.equal(raster.covers(left, 0), false);
    for (const [lon, lat] of [
      [-88.79, 45],
      [2, 48],
      [-88.79, -44.3],
      [0, 89],
      [0, -89],
    ] as const)
      assert.equal(await source.at(lon, lat, signal), null);
  });

  it('lists the rasters of the zones that a box touches', async () => {
    const source = open(folder);
    const names = async (box: readonly [number, number, number, number], year: number | null) =>
      (await source.rasters(box, year, signal)).map(({ id, year: of }) => `${id} ${of}`);
    assert.deepEqual(await names([-88.8, 44.2, -88.7, 44.3], 2024), ['EPSG:32616 2024']);
    assert.deepEqual(await names([-90.1, -0.1, -89.9, 0.1], null), [
      'EPSG:32615 2025',
      'EPSG:32616 2025',
      'EPSG:32715 2025',
      'EPSG:32716 2025',
    ]);
    assert.deepEqual(await names([179.9, 60, -179.9, 60.1], 2017), ['EPSG:32601 2017', 'EPSG:32660 2017']);
    assert.deepEqual(await names([-88.8, 44.2, -88.7, 44.3], 2016), []);
    assert.deepEqual(await names([-88.8, 83.9, -88.7, 84], 2024), []);
  });
});

describe('the year of a place', needsSamples, () => {
  it('is the newest that stores it, also where another place has a newer one', async () => {
    const folder = join(root, 'years');
    const small = sampleGrid('wisconsin_exact_1km') as Grid;
    // 40 km further south.
    const other: Grid = { ...small, transform: [10, 0, 358_410, 0, -10, 4_866_600] };
    await writeMosaic(folder, [
      { grid: small, year: 2019 },
      { grid: small, year: 2023 },
      { grid: other, year: 2018 },
    ]);
    const source = open(folder);
    assert.equal((await placeIn(source, small, 40, 40)).raster.year, 2023);
    assert.equal((await placeIn(source, other, 40, 40)).raster.year, 2018);
  });

  it('comes from the attributes, else from the coordinate, else from what the public mosaic documents', async () => {
    const small = sampleGrid('wisconsin_exact_1km') as Grid;
    const { years: _, ...others } = attributesOfMosaic();
    const yearIn = async (folder: string) => (await placeIn(open(folder), small, 40, 40)).raster.year;
    const silent = join(root, 'silent');
    await writeMosaic(silent, [{ grid: small, year: 2023 }], { attributes: {} });
    assert.equal(await yearIn(silent), 2023);
    await writeTime(silent, [2030, 2031, 2032, 2033, 2034, 2035, 2036, 2037, 2038]);
    assert.equal(await yearIn(silent), 2036);
    const started = join(root, 'started');
    await writeMosaic(started, [{ grid: small, year: 2023 }], { attributes: { ...others, start_year: 2001 } });
    assert.equal(await yearIn(started), 2007);
  });
});

describe('an array that is no mosaic of AEF codes', needsSamples, () => {
  const small = sampleGrid('wisconsin_exact_1km') as Grid;
  for (const [what, attributes, message] of [
    ['lies in another CRS', { 'proj:code': 'EPSG:3857' }, /proj:code: wanted "EPSG:4326", got "EPSG:3857"/],
    ['runs north', { 'spatial:transform': [1, 0, 0, 0, 1, 0] }, /spatial:transform: wanted a north-up transform/],
    ['has other years than steps', { years: [2024] }, /years: wanted 9 different years, got \[2024\]/],
    ['has years that are none', { start_year: 'soon' }, /years: wanted 9 different years, got "soon"/],
  ] as const) {
    it(`is refused when it ${what}`, async () => {
      const folder = join(root, what);
      await writeMosaic(folder, [], { attributes });
      await assert.rejects(open(folder).at(...placeOf(small, 40, 40), signal), { name: 'ZarrError', message });
    });
  }

  it('is refused when it is cut or typed in another way', async () => {
    for (const [i, changes, message] of [
      [0, { chunkShape: [1, 64, 128, 128] }, /chunk_shape: wanted 1,64,256,256/],
      [1, { fillValue: 0 }, /data_type: wanted int8 with fill value -128, got "int8 with fill value 0"/],
      [2, { shape: [9, 32, 512, 512], chunkShape: [1, 32, 256, 256] }, /shape: wanted time, 64 bands, y, x/],
      [3, { dimensionNames: ['time', 'band', 'x', 'y'] }, /dimension_names: wanted time, band, y, x/],
    ] as const) {
      const folder = join(root, `cut-${i}`);
      await writeZarrGroup(folder, {});
      await writeZarrArray(join(folder, 'embeddings'), {
        shape: [9, 64, 512, 512],
        chunkShape: [1, 64, 256, 256],
        shardShape: null,
        dataType: 'int8',
        fillValue: NODATA,
        dimensionNames: ['time', 'band', 'y', 'x'],
        attributes: attributesOfMosaic(),
        zstdLevel: 1,
        ...changes,
      });
      await assert.rejects(open(folder).at(-88, 44, signal), { name: 'ZarrError', message });
    }
  });

  it('or is not there at all fails, and is looked for again', async () => {
    const folder = join(root, 'later');
    const source = open(folder);
    await assert.rejects(source.at(-88, 44, signal), ByteSourceError);
    await writeMosaic(folder, [{ grid: small, year: 2020 }]);
    assert.equal((await placeIn(source, small, 40, 40)).raster.year, 2020);
  });
});

describe('a mosaic over HTTP', needsSamples, () => {
  const grid = sampleGrid('wisconsin_exact_1km') as Grid;
  const folder = join(root, 'served');
  let site: FolderSite;
  before(async () => {
    await writeMosaic(folder, [{ grid, year: 2024 }]);
    site = await serveFolder(folder);
  });
  after(() => site[Symbol.asyncDispose]());

  const openRemote = (changes: Partial<MosaicDeps> = {}, options: Dataset['options'] = {}): EmbeddingSource =>
    openMosaic(datasetAt({ url: site.url }, options), depsOf(changes));

  it('costs one range request a chunk once its shard is known', async () => {
    const source = openRemote();
    const { raster } = await placeIn(source, grid, 40, 40);
    site.requests.length = 0;
    const [left, top] = cornerOf(grid);
    await raster.window(left + 38, top + 38, 4, 4, signal);
    assert.equal(site.requests.length, 1);
    await placeIn(source, grid, 45, 45);
    assert.equal(site.requests.length, 1);
  });

  it('queries each year once at sea, and not again soon', async () => {
    const source = openRemote();
    assert.equal(await source.at(-30, 44, signal), null);
    site.requests.length = 0;
    assert.equal(await source.at(-30.01, 44.01, signal), null);
    assert.deepEqual(site.requests, []);
    assert.equal(await source.at(-140, 44, signal), null);
    assert.equal(site.requests.length, MOSAIC.years);
  });

  for (const [what, status, headers, body] of [
    ['answers 500', 500, {}, 'no'],
    ['answers 200 with an error page', 200, { 'content-type': 'text/html' }, '<html>error</html>'],
    ['answers 403', 403, {}, '<Error><Code>AccessDenied</Code></Error>'],
    ['answers another range than was asked for', 206, { 'content-range': 'bytes 0-1/2' }, 'no'],
  ] as const) {
    it(`fails, and never gives no data, when the server ${what}`, async () => {
      const source = openRemote();
      const { raster } = await placeIn(source, grid, 40, 40);
      site.intercept = (_request, response) => {
        response.writeHead(status, headers).end(body);
        return true;
      };
      try {
        const [left, top] = cornerOf(grid);
        await assert.rejects(raster.window(left, top, 8, 8, signal), isTyped);
        await assert.rejects(openRemote().at(...placeOf(grid, 40, 40), signal), isTyped);
      } finally {
        site.intercept = null;
      }
      assert.ok(await placeIn(source, grid, 40, 40));
    });
  }

  it('fails in time when the server does not answer', async () => {
    const source = openRemote({}, { deadlineMs: 1_500 });
    site.intercept = () => true;
    try {
      await assert.rejects(source.at(...placeOf(grid, 40, 40), signal), { name: 'ByteSourceError', kind: 'timeout' });
    } finally {
      site.intercept = null;
    }
    assert.ok(await placeIn(source, grid, 40, 40));
  });

  it('ends with the reason of the caller who gives up', async () => {
    const source = openRemote();
    const controller = new AbortController();
    site.intercept = () => {
      controller.abort(new Error('given up'));
      return true;
    };
    try {
      await assert.rejects(source.at(...placeOf(grid, 40, 40), controller.signal), /given up/);
    } finally {
      site.intercept = null;
    }
  });

  it('without the shard of a place does not cover it, and without its array fails', async () => {
    site.intercept = (request, response) => {
      if (!request.url?.includes('/c/')) return false;
      response.writeHead(404).end();
      return true;
    };
    try {
      assert.equal(await openRemote().at(...placeOf(grid, 40, 40), signal), null);
    } finally {
      site.intercept = null;
    }
    const nothing = openMosaic(datasetAt({ url: `${site.url}/nothing` }), depsOf());
    await assert.rejects(nothing.at(...placeOf(grid, 40, 40), signal), { name: 'ByteSourceError', status: 404 });
  });

  it('with a damaged shard fails by its checksum, or because it is too short', async () => {
    const row = Math.floor(Math.floor((MOSAIC.north - placeOf(grid, 40, 40)[1]) / MOSAIC.pixel) / MOSAIC.shard);
    const column = Math.floor(Math.floor((placeOf(grid, 40, 40)[0] - MOSAIC.west) / MOSAIC.pixel) / MOSAIC.shard);
    const path = join(folder, `embeddings/c/7/0/${row}/${column}`);
    const good = await readFile(path);
    const [left, top] = cornerOf(grid);
    for (const [damage, message] of [
      [(bytes: Buffer) => (bytes[1000] ^= 1), /crc32c: the checksum does not match/],
      [(bytes: Buffer) => (bytes[bytes.length - 100] ^= 1), /checksum of the shard index/],
    ] as const) {
      const bytes = Buffer.from(good);
      damage(bytes);
      await writeFile(path, bytes);
      const read = async () => {
        const { raster } = await placeIn(openRemote(), grid, 40, 40);
        await raster.window(left, top, 97, 97, signal);
      };
      await assert.rejects(read, (error) => error instanceof ZarrError && message.test(error.message));
    }
    await truncate(path, 1000);
    await assert.rejects(openRemote().at(...placeOf(grid, 40, 40), signal), ZarrError);
    await writeFile(path, good);
    assert.ok(await placeIn(openRemote(), grid, 40, 40));
  });

  it('is queried again a day later, and stays as it was when it cannot be', async () => {
    let now = 0;
    const failures: string[] = [];
    const reportFailure = (id: string, error: unknown) => failures.push(`${id}: ${(error as Error).message}`);
    const source = openRemote({ now: () => now, reportFailure });
    await placeIn(source, grid, 40, 40);
    now = 86_400_001;
    site.intercept = (_request, response) => {
      response.writeHead(403).end();
      return true;
    };
    try {
      assert.ok(await placeIn(source, grid, 40, 40));
    } finally {
      site.intercept = null;
    }
    assert.equal(failures.length, 1);
    assert.match(failures[0], /^mosaic: the mosaic could not be checked for a newer version: .*403/);
  });
});

function isTyped(error: unknown): boolean {
  return error instanceof ByteSourceError || error instanceof ZarrError;
}

function windowFrom(grid: Grid) {
  return async (x0: number, y0: number, width: number, height: number) => windowOfGrid(grid, x0, y0, width, height);
}

function windowOfCodes(window: CodeWindow): Grid {
  const { width, height } = window;
  return { width, height, codes: codesOf(window), transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

/** Intersection over union of two segments; the second counts cells from `left`, `top` on. */
function overlap(here: FoundSegment, there: FoundSegment, left: number, top: number): number {
  let both = 0;
  for (let cell = 0; cell < here.mask.length; cell++) {
    if (here.mask[cell] === 0) continue;
    const column = here.column + (cell % here.width) + left - there.column;
    const row = here.row + Math.floor(cell / here.width) + top - there.row;
    if (column >= 0 && row >= 0 && column < there.width && row < there.height)
      both += there.mask[row * there.width + column];
  }
  return both / (here.area + there.area - both);
}

async function writeTime(folder: string, years: readonly number[]): Promise<void> {
  await writeZarrArray(join(folder, 'time'), {
    shape: [years.length],
    chunkShape: [years.length],
    shardShape: null,
    dataType: 'int32',
    fillValue: 0,
    dimensionNames: ['time'],
    attributes: {},
    zstdLevel: 1,
  });
  const writer = await openZarrWriter(join(folder, 'time'), signal);
  await writer?.writeShard([0], [{ index: [0], values: Int32Array.from(years) }], { signal });
}
