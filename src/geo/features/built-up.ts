import {
  type BuiltUpGrid,
  columnsPerDegree,
  latitudeOf,
  rowOf,
  ROWS,
  TILE_COLUMNS,
  TILE_ROWS,
} from './built-up-grid.ts';
import { FEATURE_SCALE } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';

/**
 * Of each row of the row of tiles that is looked at: first and last column inside the circle, none where the first is larger, and square
 * metres of a cell.
 */
const froms = new Int32Array(TILE_ROWS);
const tos = new Int32Array(TILE_ROWS);
const areas = new Float64Array(TILE_ROWS);

/** The share of the ground within so many metres of the place of a frame that is built up, 0 to 1: of the cells whose middle lies there. */
export function builtUpAround(grid: BuiltUpGrid, frame: LocalFrame, radiusM: number): number {
  const lon = frame.x / FEATURE_SCALE;
  const lat = frame.y / FEATURE_SCALE;
  const reach = (radiusM / (frame.north * FEATURE_SCALE)) * 1.01;
  const first = rowOf(lat - reach);
  const last = rowOf(lat + reach);
  let taken = 0;
  let ground = 0;
  for (let tileRow = Math.floor(first / TILE_ROWS); tileRow * TILE_ROWS <= last; tileRow++) {
    const perDegree = columnsPerDegree(tileRow * TILE_ROWS);
    let west = 0x7fffffff;
    let east = -1;
    for (let i = 0; i < TILE_ROWS; i++) {
      layRow(frame, lon, tileRow * TILE_ROWS + i, i, perDegree, radiusM);
      if (tos[i] < froms[i]) continue;
      ground += (tos[i] - froms[i] + 1) * areas[i];
      if (froms[i] < west) west = froms[i];
      if (tos[i] > east) east = tos[i];
    }
    const start = tileRow - grid.firstRow;
    if (east < west || start < 0 || start >= grid.rows.length - 1) continue;
    taken += takenBetween(grid, start, west, east);
    // Columns beyond the antimeridian are those of the other side.
    const turn = 360 * perDegree;
    if (west < 0) taken += takenATurnAway(grid, start, west, east, turn);
    else if (east >= turn) taken += takenATurnAway(grid, start, west, east, -turn);
  }
  return ground === 0 ? 0 : Math.min(1, taken / ground);
}

/** Works out which columns of a row lie inside the circle around the place of a frame, and how large its cells are. */
function layRow(frame: LocalFrame, lon: number, row: number, i: number, perDegree: number, radiusM: number): void {
  const { y, east, eastSlope, north, northSlope } = frame;
  const dy = latitudeOf(row) * FEATURE_SCALE - y;
  const away = dy * (north + northSlope * dy);
  const rest = radiusM * radiusM - away * away;
  froms[i] = 1;
  tos[i] = 0;
  if (rest < 0) return;
  const half = Math.sqrt(rest) / ((east + eastSlope * dy) * FEATURE_SCALE);
  froms[i] = Math.ceil((lon + 180 - half) * perDegree - 0.5);
  tos[i] = Math.floor((lon + 180 + half) * perDegree - 0.5);
  const perUnit = (north + 2 * northSlope * dy) * (east + 2 * eastSlope * dy);
  areas[i] = (perUnit * FEATURE_SCALE * FEATURE_SCALE) / (ROWS * perDegree);
}

function takenATurnAway(grid: BuiltUpGrid, row: number, west: number, east: number, turn: number): number {
  for (let i = 0; i < TILE_ROWS; i++) {
    froms[i] += turn;
    tos[i] += turn;
  }
  return takenBetween(grid, row, west + turn, east + turn);
}

/** Square metres that the cells of a row of tiles take from one column to another. */
function takenBetween(grid: BuiltUpGrid, row: number, west: number, east: number): number {
  const end = grid.rows[row + 1];
  const lastColumn = Math.floor(east / TILE_COLUMNS);
  let taken = 0;
  for (
    let tile = lowerBound(grid.columns, grid.rows[row], end, Math.floor(west / TILE_COLUMNS));
    tile < end && grid.columns[tile] <= lastColumn;
    tile++
  )
    taken += takenIn(grid, tile);
  return taken;
}

/** Square metres that the cells of a tile take inside the columns that are looked at. */
function takenIn(grid: BuiltUpGrid, tile: number): number {
  const { columns, bits, excesses, excessCells, excessM2 } = grid;
  const west = columns[tile] * TILE_COLUMNS;
  let taken = 0;
  for (let i = 0; i < TILE_ROWS; i++) {
    const from = Math.max(0, froms[i] - west);
    const to = Math.min(TILE_COLUMNS - 1, tos[i] - west);
    if (from > to) continue;
    const inside = bits[tile * TILE_ROWS + i] & (ALL << from) & (ALL >>> (TILE_COLUMNS - 1 - to));
    if (inside !== 0) taken += bitCount(inside) * areas[i];
  }
  for (let k = excesses[tile]; k < excesses[tile + 1]; k++) {
    const row = Math.floor(excessCells[k] / TILE_COLUMNS);
    const column = west + (excessCells[k] % TILE_COLUMNS);
    if (column >= froms[row] && column <= tos[row]) taken += excessM2[k];
  }
  return taken;
}

const ALL = 0xffff_ffff;

/** Number of bits that are set in a word of 32. */
function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Index of the first value from `start` on that is not below `value`. */
function lowerBound(values: Uint32Array, start: number, end: number, value: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
