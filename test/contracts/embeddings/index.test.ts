import { join } from 'node:path';
import { BANDS } from '../../../src/geo/segmentation/grid.ts';
import { AEF_LAYOUT } from '../../end-to-end/aef-site.ts';
import { writeSite } from './layouts.ts';
import { cutGrid } from './region.ts';
import { EAST_PLACE, openRegionSite } from './region-site.ts';
import { describeEmbeddingSource } from './suite.ts';

/** The made region as COGs with an index: two zones, two years, files that overlap, from disk and by HTTP. */

const site = openRegionSite(async (folder, { zone16, zone17 }) => {
  const junk = { ...cutGrid(zone16, 100, 90, 90, 80), codes: new Int8Array(90 * 80 * BANDS).fill(99) };
  await writeSite(folder, [
    { asset: 'aa', year: 2024, grid: cutGrid(zone16, 0, 0, 150, 130) },
    { asset: 'bb', year: 2024, grid: cutGrid(zone16, 150, 0, 170, 130) },
    { asset: 'cc', year: 2024, grid: cutGrid(zone16, 0, 130, 150, 150) },
    { asset: 'dd', year: 2024, grid: cutGrid(zone16, 120, 110, 200, 170) },
    // Behind all others: none of its pixels may be seen.
    { asset: 'zz', year: 2024, grid: junk },
    { asset: 'ee', year: 2024, grid: zone17 },
    { asset: 'old', year: 2023, grid: junk },
  ]);
});
const { contract, onDisk, byHttp } = site;
const { index, pathPrefix, base } = AEF_LAYOUT;

describeEmbeddingSource(
  contract('COGs with an index on disk', () =>
    onDisk(index, 'cog-index', { pathPrefix, basePath: join(site.folder(), base) }),
  ),
);
describeEmbeddingSource(
  contract('COGs with an index by HTTP', () =>
    byHttp(index, 'cog-index', { pathPrefix, baseUrl: `${site.base()}/${base}/` }),
  ),
);
describeEmbeddingSource(
  contract(
    'COGs of the next zone by HTTP',
    () => byHttp(index, 'cog-index', { pathPrefix, baseUrl: `${site.base()}/${base}` }),
    { inside: EAST_PLACE, bbox: [-83.985, 43.984, -83.983, 43.986] },
  ),
);
