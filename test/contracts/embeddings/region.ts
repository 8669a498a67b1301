import { BANDS, type Grid, NODATA } from '../../../src/geo/segmentation/grid.ts';
import { latticeProjection } from '../../../src/geo/outline/lattice.ts';

/** A made region at the edge of two zones, 84 degrees west, 44 degrees north, where the files of both overlap. */
export interface Region {
  readonly zone16: Grid;
  readonly zone17: Grid;
}

const NORTH = 4_876_010;
const WIDTH = 320;
const HEIGHT = 280;

/** Columns and rows of the upper left corner that has no data. */
const NODATA_CORNER = 20;

/**
 * Codes that come in 2 x 2 blocks as real ones do, with edges at 10 mod 20 m: neighbours inside a block differ little,
 * blocks differ more, and places far apart altogether. A corner and a hole of 3 x 3 pixels have no data. Each zone has
 * blocks of its own, as in the real files.
 */
export function makeRegion(): Region {
  return { zone16: makeGrid('EPSG:32616', 738_970), zone17: makeGrid('EPSG:32617', 258_950) };
}

function makeGrid(crs: string, west: number): Grid {
  const codes = new Int8Array(WIDTH * HEIGHT * BANDS);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const isMasked = x + y < NODATA_CORNER || (x >= 220 && x < 223 && y >= 170 && y < 173);
      const at = (y * WIDTH + x) * BANDS;
      if (isMasked) codes.fill(NODATA, at, at + BANDS);
      else writePixel(codes, at, west / 10 + x, NORTH / 10 - 1 - y);
    }
  }
  return { width: WIDTH, height: HEIGHT, codes, transform: [10, 0, west, 0, -10, NORTH], crs };
}

/** `east` and `north` count pixels from the origin of the zone to the pixel's lower left corner. */
function writePixel(out: Int8Array, at: number, east: number, north: number): void {
  const [blockEast, blockNorth] = [Math.floor((east - 1) / 2), Math.floor((north - 1) / 2)];
  for (let band = 0; band < BANDS; band++) {
    const stand = 90 * Math.sin(blockEast / 31 + band) * Math.cos(blockNorth / 23 - 2 * band);
    const block = (hash(blockEast, blockNorth, band) - 0.5) * 30;
    const pixel = (hash(east, -north, band) - 0.5) * 6;
    out[at + band] = Math.max(-127, Math.min(127, Math.round(stand + block + pixel)));
  }
}

/** A number in [0, 1) for three whole numbers. */
function hash(a: number, b: number, c: number): number {
  let mixed = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 4_294_967_296;
}

/** A cut of a grid with its own transform. */
export function cutGrid(grid: Grid, left: number, top: number, width: number, height: number): Grid {
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++) {
    const start = ((top + y) * grid.width + left) * BANDS;
    codes.set(grid.codes.subarray(start, start + width * BANDS), y * width * BANDS);
  }
  const [a, b, c, d, e, f] = grid.transform;
  return { width, height, codes, transform: [a, b, c + a * left, d, e, f + e * top], crs: grid.crs };
}

/** West, south, east, north of a grid in units of its CRS. */
export function boundsOf({ width, height, transform }: Grid): [number, number, number, number] {
  const [a, , c, , e, f] = transform;
  return [c, f + e * height, c + a * width, f];
}

/** The same in degrees: a box around all of it. */
export function degreesOf(grid: Grid): [number, number, number, number] {
  const [west, south, east, north] = boundsOf(grid);
  const projection = latticeProjection(grid.crs);
  const place = new Float64Array(2);
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i <= 32; i++) {
    for (const [x, y] of [
      [west + ((east - west) * i) / 32, south],
      [west + ((east - west) * i) / 32, north],
      [west, south + ((north - south) * i) / 32],
      [east, south + ((north - south) * i) / 32],
    ]) {
      projection.toLonLat(x, y, place, 0);
      box[0] = Math.min(box[0], place[0]);
      box[1] = Math.min(box[1], place[1]);
      box[2] = Math.max(box[2], place[0]);
      box[3] = Math.max(box[3], place[1]);
    }
  }
  return box;
}
