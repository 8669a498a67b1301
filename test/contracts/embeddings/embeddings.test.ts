import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { AEF_LAYOUT } from '../../end-to-end/aef-site.ts';
import { PUBLIC_TILES, writeGrid, writeSite } from './layouts.ts';
import { cutGrid } from './region.ts';
import { openRegionSite, WEST_PLACE } from './region-site.ts';
import { describeEmbeddingSource, read } from './suite.ts';

/** The made region as one GeoTIFF and as a folder of them; the same codes as from COGs with an index. */

const site = openRegionSite(async (folder, { zone16, zone17 }) => {
  await writeGrid(join(folder, 'one.tif'), zone16, { compression: 'deflate', interleave: 'pixel', tile: 256 });
  const tiles = {
    'west/a.tif': cutGrid(zone16, 0, 0, 150, 280),
    'west/b.TIFF': cutGrid(zone16, 130, 0, 190, 280),
    'east/c.tif': zone17,
  };
  for (const [path, grid] of Object.entries(tiles))
    await writeGrid(join(folder, 'tiles', path), grid, { ...PUBLIC_TILES, bottomUp: true });
  await writeSite(folder, [
    { asset: 'b', year: 2024, grid: cutGrid(zone16, 0, 0, 320, 140) },
    { asset: 'a', year: 2024, grid: cutGrid(zone16, 0, 140, 320, 140) },
  ]);
});
const { contract, onDisk, byHttp } = site;
const year = { year: 2024 };

describeEmbeddingSource(contract('one GeoTIFF on disk', () => onDisk('one.tif', 'cog', year)));
describeEmbeddingSource(contract('one GeoTIFF by HTTP', () => byHttp('one.tif', 'cog', year)));
describeEmbeddingSource(contract('a folder of bottom-up files', () => onDisk('tiles', 'cog', year)));

test('every layout gives the same codes for the same ground', async () => {
  const layouts = [
    onDisk('one.tif', 'cog', year),
    onDisk('tiles', 'cog', year),
    byHttp(AEF_LAYOUT.index, 'cog-index', {
      pathPrefix: AEF_LAYOUT.pathPrefix,
      baseUrl: `${site.base()}/${AEF_LAYOUT.base}/`,
    }),
  ];
  const windows: Buffer[] = [];
  for (const dataset of layouts) {
    await using opened = await site.open(dataset);
    const place = await opened.source.at(...WEST_PLACE, new AbortController().signal);
    assert.ok(place !== null);
    const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
    windows.push(Buffer.from(await read(place.raster, { left: x - 90, top: y - 80, right: x + 120, bottom: y + 70 })));
  }
  assert.deepEqual(windows[1], windows[0]);
  assert.deepEqual(windows[2], windows[0]);
});
