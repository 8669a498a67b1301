import type { Footprints } from './footprint-sums.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../local-metric.ts';
import { FEATURE_SCALE } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';

/** Rows of cells in a degree of latitude: cells of 27.8 m. */
const ROWS = 4_000;
/** Rows that share their number of columns: 0.1 degree. */
const BAND = 400;

/** Rows and columns of cells in a tile; whole tiles make a band. */
const TILE_ROWS = 10;
const TILE_COLUMNS = 32;

/**
 * The ground that buildings take, by cells of about 28 m each way, the same all over the world: row `floor((lat + 90) 4000)`, and in a row
 * columns of the width that 28 m have at the middle of its band of 0.1 degree. Cells are kept in tiles of 10 rows and 32 columns, so that
 * a circle touches few places of the memory; only tiles with buildings are there, laid row by row.
 */
export interface BuiltUpGrid {
  /** First row of tiles, and where each row from it begins in `columns`; one more for the end. */
  readonly firstRow: number;
  readonly rows: Uint32Array;
  /** Column of each tile, ascending within a row. */
  readonly columns: Uint32Array;
  /** A bit for each cell with buildings, lowest bit west: ten rows for each tile, from the south. */
  readonly bits: Uint32Array;
  /** Cells whose footprints are larger than they are: where those of each tile begin, one more for the end. */
  readonly excesses: Uint32Array;
  /** Row times 32 plus column inside the tile, and by how many square metres the footprints are larger. */
  readonly excessCells: Uint16Array;
  readonly excessM2: Float64Array;
}

/** The cell of a place in degrees, as one number. */
export function builtUpCell(lon: number, lat: number): number {
  const row = rowOf(lat);
  return row * 2 ** 21 + Math.floor((lon + 180) * columnsPerDegree(row));
}

/** Square metres a cell of buildings takes: all of it, or the footprints when they are larger. */
export function cellArea(cell: number): number {
  const row = Math.floor(cell / 2 ** 21);
  const lat = latitudeOf(row);
  return (metresPerDegreeNorth(lat) / ROWS) * (metresPerDegreeEast(lat) / columnsPerDegree(row));
}

/** A grid from the footprints of each cell, which are numbered as by `builtUpOrder`. Null when there are none. */
export function buildBuiltUpGrid({ cells, m2 }: Footprints): BuiltUpGrid | null {
  if (cells.length === 0) return null;
  const tiles = countTiles(cells);
  const firstRow = tileRowOf(cells[0]);
  const lastRow = tileRowOf(cells[cells.length - 1]);
  const grid = {
    firstRow,
    rows: shared(Uint32Array, lastRow - firstRow + 2),
    columns: shared(Uint32Array, tiles),
    bits: shared(Uint32Array, tiles * TILE_ROWS),
    excesses: shared(Uint32Array, tiles + 1),
  };
  const excessCells: number[] = [];
  const excessM2: number[] = [];
  let row = firstRow;
  let tile = -1;
  let last = -1;
  for (let i = 0; i < cells.length; i++) {
    const ordered = cells[i];
    const own = Math.floor(ordered / TILE_CELLS);
    if (own !== last) {
      tile++;
      for (const next = tileRowOf(ordered); row < next;) grid.rows[++row - firstRow] = tile;
      grid.columns[tile] = own % TILES_A_ROW;
      grid.excesses[tile] = excessM2.length;
      last = own;
    }
    const inside = ordered % TILE_CELLS;
    grid.bits[tile * TILE_ROWS + Math.floor(inside / TILE_COLUMNS)] |= 1 << (inside % TILE_COLUMNS);
    const cell = cellOf(ordered);
    const excess = m2[i] - cellArea(cell);
    if (excess <= 0) continue;
    excessCells.push(inside);
    excessM2.push(excess);
  }
  grid.rows[lastRow - firstRow + 1] = tiles;
  grid.excesses[tiles] = excessM2.length;
  const kept = { cells: shared(Uint16Array, excessM2.length), m2: shared(Float64Array, excessM2.length) };
  kept.cells.set(excessCells);
  kept.m2.set(excessM2);
  return { ...grid, excessCells: kept.cells, excessM2: kept.m2 };
}

const TILE_CELLS = TILE_ROWS * TILE_COLUMNS;
const TILES_A_ROW = 2 ** 21 / TILE_COLUMNS;

/** The number of a cell by which those of a tile stand together, row by row: row of tiles, column of tiles, row, column. */
export function builtUpOrder(cell: number): number {
  const row = Math.floor(cell / 2 ** 21);
  const column = cell % 2 ** 21;
  const tile = Math.floor(row / TILE_ROWS) * TILES_A_ROW + Math.floor(column / TILE_COLUMNS);
  return tile * TILE_CELLS + (row % TILE_ROWS) * TILE_COLUMNS + (column % TILE_COLUMNS);
}

function cellOf(ordered: number): number {
  const tile = Math.floor(ordered / TILE_CELLS);
  const inside = ordered % TILE_CELLS;
  const row = Math.floor(tile / TILES_A_ROW) * TILE_ROWS + Math.floor(inside / TILE_COLUMNS);
  return row * 2 ** 21 + (tile % TILES_A_ROW) * TILE_COLUMNS + (inside % TILE_COLUMNS);
}

function tileRowOf(ordered: number): number {
  return Math.floor(ordered / (TILE_CELLS * TILES_A_ROW));
}

/** Tiles that some cell of a sorted list lies in. */
function countTiles(ordered: Float64Array): number {
  let tiles = 0;
  let last = -1;
  for (const cell of ordered) {
    const tile = Math.floor(cell / TILE_CELLS);
    if (tile !== last) tiles++;
    last = tile;
  }
  return tiles;
}

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

function rowOf(lat: number): number {
  return Math.floor((lat + 90) * ROWS);
}

/** Latitude of the middle of a row. */
function latitudeOf(row: number): number {
  return (row + 0.5) / ROWS - 90;
}

/** Columns in a degree of longitude of each band, from the south pole. */
const COLUMNS = Int32Array.from({ length: (180 * ROWS) / BAND }, (_, band) => {
  const middle = (band + 0.5) * (BAND / ROWS) - 90;
  return Math.max(1, Math.round(ROWS * Math.cos((middle * Math.PI) / 180)));
});

function columnsPerDegree(row: number): number {
  return COLUMNS[Math.min(COLUMNS.length - 1, Math.max(0, Math.floor(row / BAND)))];
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

function shared<T>(type: new (buffer: SharedArrayBuffer) => T, length: number): T {
  const bytes = (type as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
  return new type(new SharedArrayBuffer(length * bytes));
}
