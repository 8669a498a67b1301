import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { latticeProjection } from '../../../src/geo/outline/lattice.ts';
import { BANDS, type Grid, NODATA } from '../../../src/geo/segmentation/grid.ts';
import type { Dataset } from '../../../src/readers/catalogue/dataset.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../../src/readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { AEF_LAYOUT, openAefSite, type AefSite } from '../../end-to-end/aef-site.ts';
import { needsSharedData, SHARED_DATA } from '../../shared-data.ts';
import { embeddingDataset, openDeps } from './deps.ts';
import { writeSite } from './layouts.ts';
import { cutGrid } from './region.ts';
import { read } from './suite.ts';

/** Real AEF codes of 2024, read through every layout. */

const EXACT = 'aef/wisconsin_exact_1km.tif';
const BOTTOM_UP = 'aef/wisconsin_bottomup_zstd.tif';
const MASKED = 'aef/wisconsin_topdown_nodata.tif';
const WEST = 'aef/wisconsin_west.tif';
const needed = needsSharedData(EXACT);
const never = new AbortController().signal;

let folder = '';
let site: AefSite;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-real-'));
  site = await openAefSite(folder);
});
after(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function withSource<T>(dataset: Dataset, use: (source: EmbeddingSource) => Promise<T>): Promise<T> {
  await using deps = await openDeps();
  const [source] = openEmbeddings([dataset], deps);
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

const local = (path: string): Dataset =>
  embeddingDataset({ kind: 'cog', path: resolve(SHARED_DATA, path), date: '2024' });

async function onlyRaster(source: EmbeddingSource): Promise<EmbeddingRaster> {
  const rasters = await source.rasters([-180, -90, 180, 90], null, never);
  assert.equal(rasters.length, 1);
  return rasters[0];
}

/** All of a file, as a grid. */
function gridOf(path: string): Promise<Grid> {
  return withSource(local(path), async (source) => {
    const { width, height, transform, crs, ...raster } = await onlyRaster(source);
    assert.equal(raster.year, 2024);
    const codes = await read(await onlyRaster(source), { left: 0, top: 0, right: width, bottom: height });
    return { width, height, codes, transform, crs };
  });
}

test('the same square kilometre top-down and bottom-up has the same codes', needed, async () => {
  const exact = await gridOf(EXACT);
  assert.deepEqual([exact.width, exact.height, exact.crs], [97, 97, 'EPSG:32616']);
  const bottomUp = await gridOf(BOTTOM_UP);
  assert.deepEqual(bottomUp.transform, exact.transform);
  assert.deepEqual(Buffer.from(bottomUp.codes), Buffer.from(exact.codes));
});

test('pixels without data stay so, and all others have their codes', needed, async () => {
  const [exact, masked] = [await gridOf(EXACT), await gridOf(MASKED)];
  let without = 0;
  for (let at = 0; at < exact.codes.length; at += BANDS) {
    const pixel = masked.codes.subarray(at, at + BANDS);
    if (pixel[0] === NODATA) {
      without += 1;
      assert.ok(pixel.every((code) => code === NODATA));
    } else assert.deepEqual(Buffer.from(pixel), Buffer.from(exact.codes.subarray(at, at + BANDS)));
  }
  assert.equal(without, 20 * 15 + 3 * 3);
});

test('the codes come back from COGs with an index by HTTP, joined over the edges of four files', needed, async () => {
  const grid = await gridOf(EXACT);
  await writeSite(folder, [
    { asset: 'q', year: 2024, grid: cutGrid(grid, 0, 0, 50, 40) },
    { asset: 'w', year: 2024, grid: cutGrid(grid, 50, 0, 47, 40) },
    { asset: 'e', year: 2024, grid: cutGrid(grid, 0, 40, 50, 57) },
    { asset: 'r', year: 2024, grid: cutGrid(grid, 50, 40, 47, 57) },
  ]);
  const { pathPrefix } = AEF_LAYOUT;
  const options = { pathPrefix, baseUrl: `${site.base}/${AEF_LAYOUT.base}` };
  const dataset = embeddingDataset({ kind: 'cog-index', url: `${site.base}/${AEF_LAYOUT.index}`, options });
  await withSource(dataset, async (source) => {
    const lonLat = new Float64Array(2);
    latticeProjection(grid.crs).toLonLat(grid.transform[2] + 485, grid.transform[5] - 485, lonLat, 0);
    const place = await source.at(lonLat[0], lonLat[1], never);
    assert.ok(place !== null);
    const [left, top] = [Math.floor(place.x) - 48, Math.floor(place.y) - 48];
    const codes = await read(place.raster, { left, top, right: left + 97, bottom: top + 97 });
    assert.deepEqual(Buffer.from(codes), Buffer.from(grid.codes));
  });
});

test('blocks are found where real files have them, at 10 mod 20 m, in every file', needed, async () => {
  for (const path of [EXACT, BOTTOM_UP, MASKED, WEST])
    await withSource(local(path), async (source) => {
      const raster = await onlyRaster(source);
      const { x, y, confidence } = await raster.phase(never);
      const [, , c, , , f] = raster.transform;
      const modulo = (metres: number): number => ((metres % 20) + 20) % 20;
      assert.deepEqual([modulo(c + 10 * x), modulo(f - 10 * y)], [10, 10], path);
      assert.ok(confidence > 5, `${path}: ${confidence}`);
    });
});

test('a folder of real files is one raster, in which the first by name counts', needed, async () => {
  const exact = await gridOf(EXACT);
  const dataset = embeddingDataset({ kind: 'cog', path: resolve(SHARED_DATA, 'aef'), options: { year: 2024 } });
  await withSource(dataset, async (source) => {
    const raster = await onlyRaster(source);
    const left = Math.round((exact.transform[2] - raster.transform[2]) / 10);
    const top = Math.round((raster.transform[5] - exact.transform[5]) / 10);
    const codes = await read(raster, { left, top, right: left + 97, bottom: top + 97 });
    assert.deepEqual(Buffer.from(codes), Buffer.from(exact.codes));
    assert.ok(raster.width >= 560 && raster.height >= 978);
  });
});
