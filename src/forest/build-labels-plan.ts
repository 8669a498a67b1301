import { type Lattice, latticeProjection, placeOnLattice } from '../geo/outline/lattice.ts';
import { type CellArea, growArea } from '../geo/segmentation/cell-area.ts';
import { utmZoneOfEpsg } from '../geo/crs/utm.ts';

/** Which chunks of which shard are to be labelled: the work of one task. */
export interface LabelTile {
  /** Column and row of the shard among the shards of the arrays. */
  readonly column: number;
  readonly row: number;
  /** Chunks of the shard, row by row; 1 where the chunk is to be labelled. */
  readonly chunks: Uint8Array;
}

/** What a plan needs to know of a raster. Pixels are counted from its upper left corner. */
export interface PlannedRaster {
  readonly width: number;
  readonly height: number;
  covers(x: number, y: number): boolean;
}

/** Where the blocks of 2 x 2 pixels begin. */
type BlockStart = { readonly x: 0 | 1; readonly y: 0 | 1 };

/** West, south, east, north in degrees. */
export type DegreeBox = readonly [west: number, south: number, east: number, north: number];

/** Points along each side of a box in degrees, whose sides are curves on the raster. */
const SIDE_POINTS = 33;
/** Degrees from its central meridian up to which a zone's projection is used; its files end well before. */
const ZONE_REACH = 10;

/** The cells of the arrays that a box in degrees touches, within the raster. */
export function cellsOfBox({ lattice, column, row, bounds }: LabelGrid, box: DegreeBox): CellArea {
  const [west, south, east, north] = clipped(lattice.crs, box);
  if (!(west <= east)) return { ...bounds, width: 0, height: 0 };
  const projection = latticeProjection(lattice.crs);
  const xy = new Float64Array(2);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < 4 * SIDE_POINTS; i++) {
    const share = (i % SIDE_POINTS) / (SIDE_POINTS - 1);
    const side = Math.floor(i / SIDE_POINTS);
    const lon = side < 2 ? west + share * (east - west) : side === 2 ? west : east;
    const lat = side === 0 ? south : side === 1 ? north : south + share * (north - south);
    projection.toXY(lon, lat, xy, 0);
    left = Math.min(left, (xy[0] - lattice.originX) / lattice.cellWidth);
    right = Math.max(right, (xy[0] - lattice.originX) / lattice.cellWidth);
    top = Math.min(top, (lattice.originY - xy[1]) / lattice.cellHeight);
    bottom = Math.max(bottom, (lattice.originY - xy[1]) / lattice.cellHeight);
  }
  const first = { column: Math.floor(left) - column, row: Math.floor(top) - row };
  const area = {
    ...first,
    width: Math.floor(right) - column - first.column + 1,
    height: Math.floor(bottom) - row - first.row + 1,
  };
  return growArea(area, 0, bounds);
}

/** Above this number of chunks shards are looked at first, and left out when none of their probes lies in a file. */
const MANY_CHUNKS = 65_536;

/** The tiles that label every chunk which touches `area` (in cells of the arrays) and where the raster has a file. */
export function planTiles(grid: LabelGrid, raster: PlannedRaster, area: CellArea, phase: BlockStart): LabelTile[] {
  if (area.width === 0 || area.height === 0) return [];
  const { chunk, shard } = grid;
  const isLarge = (area.width / chunk) * (area.height / chunk) > MANY_CHUNKS;
  const tiles: LabelTile[] = [];
  for (let row = Math.floor(area.row / shard); row * shard < area.row + area.height; row++) {
    for (let column = Math.floor(area.column / shard); column * shard < area.column + area.width; column++) {
      const whole = { column: column * shard, row: row * shard, width: shard, height: shard };
      if (isLarge && !isTouched(grid, raster, growArea(whole, 0, grid.bounds), phase)) continue;
      const chunks = planShard(grid, raster, growArea(whole, 0, area), phase);
      if (chunks.includes(1)) tiles.push({ column, row, chunks });
    }
  }
  return tiles;
}

/** The chunks of a shard that the part of the area in it touches. */
function planShard(grid: LabelGrid, raster: PlannedRaster, area: CellArea, phase: BlockStart): Uint8Array {
  const { chunk, shard } = grid;
  const perShard = shard / chunk;
  const chunks = new Uint8Array(perShard * perShard);
  for (let cy = Math.floor(area.row / chunk); cy * chunk < area.row + area.height; cy++) {
    for (let cx = Math.floor(area.column / chunk); cx * chunk < area.column + area.width; cx++) {
      const cells = { column: cx * chunk, row: cy * chunk, width: chunk, height: chunk };
      if (isTouched(grid, raster, growArea(cells, 0, grid.bounds), phase))
        chunks[(cy % perShard) * perShard + (cx % perShard)] = 1;
    }
  }
  return chunks;
}

/** The smallest rectangle of cells of the arrays that holds the chunks of a tile. */
export function areaOfTile({ chunk, shard }: LabelGrid, { column, row, chunks }: LabelTile): CellArea {
  const perShard = shard / chunk;
  let [left, top, right, bottom] = [perShard, perShard, 0, 0];
  for (let i = 0; i < chunks.length; i++) {
    if (chunks[i] === 0) continue;
    left = Math.min(left, i % perShard);
    right = Math.max(right, (i % perShard) + 1);
    top = Math.min(top, Math.floor(i / perShard));
    bottom = Math.max(bottom, Math.floor(i / perShard) + 1);
  }
  return {
    column: column * shard + left * chunk,
    row: row * shard + top * chunk,
    width: (right - left) * chunk,
    height: (bottom - top) * chunk,
  };
}

/** Places along each side of a chunk or shard that are looked at: 32 pixels apart in a chunk, 1,024 in a shard. */
const PROBES = 9;

/** Whether the raster has a file somewhere in an area. */
function isTouched(grid: LabelGrid, raster: PlannedRaster, cells: CellArea, phase: BlockStart): boolean {
  if (cells.width === 0 || cells.height === 0) return false;
  const left = Math.max(0, 2 * (cells.column + grid.origin.column) + phase.x);
  const top = Math.max(0, 2 * (cells.row + grid.origin.row) + phase.y);
  const right = Math.min(raster.width, 2 * (cells.column + cells.width + grid.origin.column) + phase.x) - 1;
  const bottom = Math.min(raster.height, 2 * (cells.row + cells.height + grid.origin.row) + phase.y) - 1;
  for (let i = 0; i < PROBES; i++) {
    const y = top + Math.round(((bottom - top) * i) / (PROBES - 1));
    for (let j = 0; j < PROBES; j++) {
      if (raster.covers(left + Math.round(((right - left) * j) / (PROBES - 1)), y)) return true;
    }
  }
  return false;
}

/** The part of a box that a zone's projection can take; EPSG:4326 takes all of it. */
function clipped(crs: string, [west, south, east, north]: DegreeBox): DegreeBox {
  const zone = Number(/^EPSG:32[67](\d\d)$/.exec(crs)?.[1]);
  if (!(zone >= 1)) return [west, south, east, north];
  const meridian = zone * 6 - 183;
  // A box at the antimeridian may lie a whole turn from the zone's meridian.
  const turn = 360 * Math.round(((west + east) / 2 - meridian) / 360);
  return [
    Math.max(west - turn, meridian - ZONE_REACH),
    Math.max(south, -85),
    Math.min(east - turn, meridian + ZONE_REACH),
    Math.min(north, 85),
  ];
}

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
