import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import weights from '../src/geo/segmentation/forest-gate.json' with { type: 'json' };
import { BANDS, type Grid, NODATA } from '../src/geo/segmentation/grid.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import type { DatasetRef, PatchEmbeddings, PatchRaster } from '../src/forest/sources.ts';

/** What covers a cell of a generated raster: no data, open land, or a stand of forest by its number. */
export type Cover = 'nodata' | 'open' | number;

export interface GeneratedRaster {
  /** Cells of 2 x 2 pixels. */
  readonly columns: number;
  readonly rows: number;
  readonly cover: (column: number, row: number) => Cover;
  /** Upper left corner in units of `crs`. */
  readonly corner: readonly [x: number, y: number];
  readonly crs: string;
  /** Side of a pixel in units of `crs`; default 10. */
  readonly pixel?: number;
  /** Where the first cell begins; default 0, 0. */
  readonly phase?: readonly [x: 0 | 1, y: 0 | 1];
}

/** A raster of generated embeddings: every stand is one vector that the forest gate takes for forest, open land is not. */
export function generateGrid({ columns, rows, cover, corner, crs, pixel = 10, phase = [0, 0] }: GeneratedRaster): Grid {
  const width = 2 * columns + phase[0];
  const height = 2 * rows + phase[1];
  const codes = new Int8Array(width * height * BANDS).fill(NODATA);
  for (let y = phase[1]; y < height; y++)
    for (let x = phase[0]; x < width; x++) {
      const vector = vectorOf(cover((x - phase[0]) >> 1, (y - phase[1]) >> 1));
      if (vector !== null) codes.set(vector, (y * width + x) * BANDS);
    }
  return { width, height, codes, transform: [pixel, 0, corner[0], 0, -pixel, corner[1]], crs };
}

export const GENERATED: DatasetRef = { id: 'generated', version: '1', synthetic: false };

export interface GridSource extends PatchEmbeddings {
  readonly raster: PatchRaster;
  /** How often a window was read. */
  readonly reads: () => number;
  /** Longitude and latitude of a place in pixels. */
  readonly placeOf: (x: number, y: number) => LonLat;
}

/** A grid as a dataset of embeddings. */
export function gridSource(
  grid: Grid,
  { phase = [0, 0], dataset = GENERATED }: { phase?: readonly [0 | 1, 0 | 1]; dataset?: DatasetRef } = {},
): GridSource {
  const projection = latticeProjection(grid.crs);
  const [a, , c, , e, f] = grid.transform;
  const out = new Float64Array(2);
  let reads = 0;
  const covers = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < grid.width && y < grid.height;
  const raster: PatchRaster = {
    id: grid.crs,
    year: 2024,
    transform: grid.transform,
    crs: grid.crs,
    phase: async () => ({ x: phase[0], y: phase[1], confidence: 10 }),
    covers,
    version: async () => 'as it was generated',
    async window(x0, y0, width, height, signal) {
      signal.throwIfAborted();
      reads++;
      return windowOfGrid(grid, x0, y0, width, height);
    },
  };
  return {
    dataset,
    raster,
    reads: () => reads,
    placeOf(x, y) {
      projection.toLonLat(a * x + c, e * y + f, out, 0);
      const lon = out[0]!;
      return [lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon, out[1]!];
    },
    async at(lon, lat) {
      projection.toXY(lon, lat, out, 0);
      const x = (out[0]! - c) / a;
      const y = (out[1]! - f) / e;
      return covers(Math.floor(x), Math.floor(y)) ? { raster, x, y } : null;
    },
  };
}

const LENGTH = Math.hypot(...weights.weights);
const VECTORS = new Map<Cover, Int8Array>();

/** A vector of length one as codes: along the weights of the forest gate for a stand, away from them for open land. */
function vectorOf(cover: Cover): Int8Array | null {
  if (cover === 'nodata') return null;
  const known = VECTORS.get(cover);
  if (known !== undefined) return known;
  const sign = cover === 'open' ? -1 : 1;
  const stand = cover === 'open' ? 0 : cover;
  const vector = weights.weights.map(
    (weight, band) => (sign * weight) / LENGTH + 0.06 * Math.sin((stand + 1) * (band + 1) * 0.37),
  );
  const length = Math.hypot(...vector);
  const codes = Int8Array.from(vector, (value) =>
    Math.round(Math.sign(value) * Math.sqrt(Math.abs(value) / length) * 127.5),
  );
  VECTORS.set(cover, codes);
  return codes;
}
