import { join } from 'node:path';
import { latticeProjection } from '../../../src/geo/outline/lattice.ts';
import { BANDS, NODATA } from '../../../src/geo/segmentation/grid.ts';
import type { EmbeddingRaster } from '../../../src/readers/embeddings/embedding-source.ts';
import { AEF_LAYOUT } from '../../end-to-end/aef-site.ts';
import { MOSAIC, writeMosaic } from './mosaic.ts';
import { openRegionSite } from './region-site.ts';
import { describeEmbeddingSource } from './suite.ts';

/** The made region as a mosaic in degrees, which has the nearest pixel of it everywhere. */

const { zone16, ...site } = openRegionSite((folder, region) =>
  writeMosaic(join(folder, AEF_LAYOUT.mosaic), [{ grid: region.zone16, year: 2025 }]),
);

/** Parts of a mosaic's pixel by which its reader may take a neighbour. */
const SLACK = 0.01;

describeEmbeddingSource(
  site.contract('a mosaic in degrees by HTTP', () => site.byHttp(AEF_LAYOUT.mosaic, 'zarr'), {
    year: 2025,
    learnsCoverage: true,
    // One small region of a world: the places where the blocks of a zone are looked for are empty.
    blockEdge: null,
    expected: (raster, x, y) => throughMosaic(raster, x, y, 0, 0),
    tolerated: (raster, x, y) =>
      [-SLACK, SLACK].flatMap((dx) => [-SLACK, SLACK].map((dy) => throughMosaic(raster, x, y, dx, dy))),
  }),
);

/** The pixel of the region that holds the centre of the mosaic's pixel that holds the centre of a pixel, moved by a part of it. */
function throughMosaic({ transform, crs }: EmbeddingRaster, x: number, y: number, dx: number, dy: number): Int8Array {
  const { west, north, pixel } = MOSAIC;
  const projection = latticeProjection(crs);
  const place = new Float64Array(2);
  projection.toLonLat(transform[0] * (x + 0.5) + transform[2], transform[4] * (y + 0.5) + transform[5], place, 0);
  const column = Math.floor((place[0] - west) / pixel + dx);
  const row = Math.floor((north - place[1]) / pixel + dy);
  projection.toXY(west + (column + 0.5) * pixel, north - (row + 0.5) * pixel, place, 0);
  const [a, , c, , e, f] = zone16.transform;
  const [left, top] = [Math.floor((place[0] - c) / a), Math.floor((place[1] - f) / e)];
  const isInside = left >= 0 && top >= 0 && left < zone16.width && top < zone16.height;
  const at = (top * zone16.width + left) * BANDS;
  return isInside ? zone16.codes.subarray(at, at + BANDS) : new Int8Array(BANDS).fill(NODATA);
}
