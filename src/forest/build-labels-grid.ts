import { type Lattice, placeOnLattice } from '../geo/outline/lattice.ts';
import { utmZoneOfEpsg } from '../geo/crs/utm.ts';
import type { CellArea } from '../geo/segmentation/code-window.ts';

/** What of a raster decides where its labels lie. */
interface GridRaster {
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  /** North-up, from pixel corners to units of `crs`. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly crs: string;
}

/** The arrays that take the labels of a raster, on its lattice of cells. */
export interface LabelGrid {
  readonly lattice: Lattice;
  /** Column and row of the arrays' first cell on the lattice. */
  readonly column: number;
  readonly row: number;
  /** Cells in a row of the arrays, and rows: whole shards. */
  readonly width: number;
  readonly height: number;
  readonly chunk: number;
  readonly shard: number;
  /** The cells of the raster that can have data, in cells of the arrays. */
  readonly bounds: CellArea;
  /** The cell of the raster's own count that is the arrays' first: what a raster counts as cell 0 covers pixels `phase`, +1. */
  readonly origin: { readonly column: number; readonly row: number };
}

/**
 * Cells a side of a chunk, which a lookup reads, and of a shard, which is one file and one task. Most segments are some 10
 * cells wide, so a smaller chunk means less to decode; at 256 the median cold lookup takes half as long again.
 */
const LABEL_CHUNK = 128;
const LABEL_SHARD = 4096;

/**
 * The array of a UTM zone is the same whatever the raster holds of it, and its shards begin at easting 500,000 and at the
 * equator, as the files of the public embeddings do: a shard of 4096 cells of 20 m is one such file of 81,920 m.
 */
const ZONE = { easting: 500_000, west: 7, east: 7, beyondEquator: 3, poleward: 125 } as const;

/**
 * Lays out the arrays of a raster whose blocks of 2 x 2 pixels begin at `phase`. A zone of UTM has its fixed array; any
 * other raster one from its first cell on. `chunk` and `shard` are cells a side; a shard is a whole number of chunks.
 * @throws RangeError for a raster that is not north-up or reaches beyond its zone's array.
 */
export function labelGrid(
  raster: GridRaster,
  phase: { readonly x: 0 | 1; readonly y: 0 | 1 },
  { chunk = LABEL_CHUNK, shard = LABEL_SHARD }: { readonly chunk?: number; readonly shard?: number } = {},
): LabelGrid {
  const [a, , c, , e, f] = raster.transform;
  const cellTransform = [2 * a, 0, c + phase.x * a, 0, 2 * e, f + phase.y * e];
  const first = placeOnLattice(cellTransform, raster.crs);
  // A phase of 1 leaves half a cell before the first whole one.
  const own: CellArea = {
    column: first.column - phase.x,
    row: first.row - phase.y,
    width: Math.floor((raster.width - 1 - phase.x) / 2) + 1 + phase.x,
    height: Math.floor((raster.height - 1 - phase.y) / 2) + 1 + phase.y,
  };
  const place = zoneArray(first.lattice) ?? ownArray(own, shard);
  const bounds = { ...own, column: own.column - place.column, row: own.row - place.row };
  const isInside =
    bounds.column >= 0 &&
    bounds.row >= 0 &&
    bounds.column + bounds.width <= place.width &&
    bounds.row + bounds.height <= place.height;
  if (!isInside)
    throw new RangeError(
      `wanted a raster within the ${place.width} x ${place.height} cells of ${raster.crs}, got ${bounds.width} x ${bounds.height} cells from ${bounds.column}, ${bounds.row}`,
    );
  const origin = { column: place.column - first.column, row: place.row - first.row };
  return { lattice: first.lattice, ...place, chunk, shard, bounds, origin };
}

function zoneArray({ crs, originX, originY, cellWidth, cellHeight }: Lattice): CellArea | null {
  const zone = utmZoneOfEpsg(Number(/^EPSG:(\d+)$/.exec(crs)?.[1]));
  if (zone === null) return null;
  const equator = zone.north ? 0 : 10_000_000;
  const { west, east, beyondEquator, poleward } = ZONE;
  const [north, south] = zone.north ? [poleward, beyondEquator] : [beyondEquator, poleward];
  return {
    column: Math.floor((ZONE.easting - originX) / cellWidth) - west * LABEL_SHARD,
    row: Math.floor((originY - equator) / cellHeight) - north * LABEL_SHARD,
    width: (west + east) * LABEL_SHARD,
    height: (north + south) * LABEL_SHARD,
  };
}

function ownArray({ column, row, width, height }: CellArea, shard: number): CellArea {
  return { column, row, width: Math.ceil(width / shard) * shard, height: Math.ceil(height / shard) * shard };
}
