import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BANDS, NODATA } from '../../../src/geo/segmentation/grid.ts';
import type { Dataset } from '../../../src/readers/catalogue/dataset.ts';
import type { EmbeddingSource } from '../../../src/readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../../src/readers/embeddings/open-embeddings.ts';
import { AEF_LAYOUT, openAefSite, type AefSite } from '../../end-to-end/aef-site.ts';
import { embeddingDataset, openDeps } from './deps.ts';
import { codesAt, EDGE_PLACES, edgeCogs, type EdgePlace } from './edges.ts';
import { writeSite } from './layouts.ts';
import { writeMosaic } from './mosaic.ts';
import { read } from './suite.ts';

/** Places at the edges of files, zones, hemispheres and the world: one zone answers, with the codes under the place. */

const never = new AbortController().signal;
const YEAR = 2024;
/** Half the side of the windows, in pixels. */
const SIDE = 20;

let folder = '';
let site: AefSite;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstmile-edges-'));
  const cogs = edgeCogs(YEAR);
  await writeSite(folder, cogs);
  await writeMosaic(
    join(folder, AEF_LAYOUT.mosaic),
    cogs.map(({ grid }) => ({ grid, year: YEAR })),
  );
  site = await openAefSite(folder);
});
after(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const LAYOUTS: Readonly<Record<string, () => Dataset>> = {
  'COGs with an index by HTTP': () =>
    embeddingDataset({
      kind: 'cog-index',
      url: `${site.base}/${AEF_LAYOUT.index}`,
      options: { pathPrefix: AEF_LAYOUT.pathPrefix, baseUrl: `${site.base}/${AEF_LAYOUT.base}` },
    }),
  'a folder of files': () =>
    embeddingDataset({ kind: 'cog', path: join(folder, AEF_LAYOUT.base), options: { year: YEAR } }),
};

for (const [layout, dataset] of Object.entries(LAYOUTS)) {
  describe(layout, () => {
    for (const place of EDGE_PLACES)
      it(`answers a place ${place.name} from its own zone`, () =>
        withSource(dataset(), (source) => checkExactly(source, place)));
  });
}

describe('a mosaic in degrees by HTTP', () => {
  const open = (): Dataset => embeddingDataset({ kind: 'zarr', url: `${site.base}/${AEF_LAYOUT.mosaic}` });
  for (const place of EDGE_PLACES)
    it(`answers a place ${place.name} from its own zone`, () =>
      withSource(open(), (source) => checkNearly(source, place)));
});

/** The raster of the place's own zone, and column and row of the place to within a millimetre of where PROJ has it. */
async function find(source: EmbeddingSource, { lon, lat, zones: [zone] }: EdgePlace) {
  const found = await source.at(lon, lat, never);
  assert.ok(found !== null);
  const { raster, x, y } = found;
  assert.equal(raster.crs, `EPSG:${zone.epsg}`);
  const [a, , c, , e, f] = raster.transform;
  assert.ok(Math.hypot(a * x + c - zone.x, e * y + f - zone.y) < 1e-3);
  assert.ok(raster.covers(Math.floor(x), Math.floor(y)));
  const rasters = await source.rasters([lon - 1e-4, lat - 1e-4, lon + 1e-4, lat + 1e-4], YEAR, never);
  assert.ok(rasters.some(({ crs }) => crs === raster.crs));
  const rect = { left: Math.floor(x) - SIDE, top: Math.floor(y) - SIDE, right: 0, bottom: 0 };
  const codes = await read(raster, { ...rect, right: rect.left + 2 * SIDE, bottom: rect.top + 2 * SIDE });
  return { raster, rect, codes };
}

/** A window over the edge holds the pixels of the place's zone alone, whatever lies beyond. */
async function checkExactly(source: EmbeddingSource, place: EdgePlace): Promise<void> {
  const { raster, rect, codes } = await find(source, place);
  const [a, , c, , e, f] = raster.transform;
  for (let i = 0; i < 4 * SIDE * SIDE; i++) {
    const east = Math.round(c / a) + rect.left + (i % (2 * SIDE));
    const north = Math.round(f / -e) - 1 - (rect.top + Math.floor(i / (2 * SIDE)));
    const wanted = codesAt(place.zones[0].epsg, east, north);
    assert.deepEqual(codes.subarray(i * BANDS, (i + 1) * BANDS), wanted, `pixel ${i}`);
  }
}

/** A window over the edge has no hole; the place has the pixel of one of its zones, or a neighbour of it. */
async function checkNearly(source: EmbeddingSource, place: EdgePlace): Promise<void> {
  const { codes } = await find(source, place);
  for (let i = 0; i < codes.length; i += BANDS) assert.notEqual(codes[i], NODATA, `pixel ${i / BANDS}`);
  const at = (SIDE * 2 * SIDE + SIDE) * BANDS;
  const got = codes.subarray(at, at + BANDS);
  const near = place.zones.flatMap(({ epsg, x, y }) =>
    [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => codesAt(epsg, Math.floor(x / 10) + dx, Math.floor(y / 10) + dy))),
  );
  assert.ok(
    near.some((wanted) => Buffer.from(wanted).equals(Buffer.from(got))),
    `got the codes ${got.slice(0, 4)}`,
  );
}

async function withSource(dataset: Dataset, use: (source: EmbeddingSource) => Promise<void>): Promise<void> {
  await using deps = await openDeps();
  const [source] = openEmbeddings([dataset], deps);
  try {
    await use(source);
  } finally {
    await source.close();
  }
}
