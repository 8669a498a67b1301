import { metresPerDegreeEast, metresPerDegreeNorth, nearDistance2 } from '../local-metric.ts';

/** Rows of cells in a degree of latitude: cells of 27.8 m. */
const ROWS = 4_000;
/** Rows that share their number of columns: 0.1 degree. */
const BAND = 400;

/**
 * The ground that buildings take, by cells of about 28 m each way, the same all over the world: row `floor((lat + 90) 4000)`, and in a row
 * columns of the width that 28 m have at the middle of its band of 0.1 degree. Cells are laid row by row, only those with buildings.
 */
export interface BuiltUpGrid {
  /** First row, and where each row from it begins in the other arrays; one more for the end. */
  readonly firstRow: number;
  readonly rows: Uint32Array;
  /** Column of each cell, ascending within a row. */
  readonly columns: Uint32Array;
  /** Square metres taken by the cells before each one; one more for the end. */
  readonly before: Float64Array;
}

export interface BuiltUp {
  /** Share of the ground inside the circle that is built up, 0 to 1. */
  readonly share: number;
  /** Whether any cell inside the circle has a building. */
  readonly any: boolean;
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

/** A grid from the footprints of each cell, in square metres by number of cell. Null when there are none. */
export function buildBuiltUpGrid(footprints: ReadonlyMap<number, number>): BuiltUpGrid | null {
  if (footprints.size === 0) return null;
  const cells = Float64Array.from(footprints.keys()).sort();
  const firstRow = Math.floor(cells[0] / 2 ** 21);
  const lastRow = Math.floor(cells[cells.length - 1] / 2 ** 21);
  const rows = shared(Uint32Array, lastRow - firstRow + 2);
  const columns = shared(Uint32Array, cells.length);
  const before = shared(Float64Array, cells.length + 1);
  let row = firstRow;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    for (const own = Math.floor(cell / 2 ** 21); row < own;) rows[++row - firstRow] = i;
    columns[i] = cell % 2 ** 21;
    before[i + 1] = before[i] + Math.max(cellArea(cell), footprints.get(cell) ?? 0);
  }
  rows[lastRow - firstRow + 1] = cells.length;
  return { firstRow, rows, columns, before };
}

/** How much of the ground within so many metres of a place is built up: the cells whose middle lies there. */
export function builtUpAround(grid: BuiltUpGrid, lon: number, lat: number, radiusM: number): BuiltUp {
  const { firstRow, rows, columns, before } = grid;
  const reach = (radiusM / metresPerDegreeNorth(lat)) * 1.01;
  let taken = 0;
  let ground = 0;
  let any = false;
  for (let row = rowOf(lat - reach); row <= rowOf(lat + reach); row++) {
    const perDegree = columnsPerDegree(row);
    const middle = latitudeOf(row);
    const half = halfChord(lon, lat, middle, radiusM);
    if (half < 0) continue;
    const from = Math.ceil((lon + 180 - half) * perDegree - 0.5);
    const to = Math.floor((lon + 180 + half) * perDegree - 0.5);
    if (to < from) continue;
    ground += (to - from + 1) * cellArea(row * 2 ** 21);
    const start = row - firstRow;
    if (start < 0 || start >= rows.length - 1) continue;
    const first = lowerBound(columns, rows[start], rows[start + 1], from);
    const end = lowerBound(columns, first, rows[start + 1], to + 1);
    if (end === first) continue;
    any = true;
    taken += before[end] - before[first];
  }
  return { share: ground === 0 ? 0 : Math.min(1, taken / ground), any };
}

/** Degrees of longitude either side within which places of a parallel lie inside the circle; negative when none do. */
function halfChord(lon: number, lat: number, parallel: number, radiusM: number): number {
  const rest = radiusM * radiusM - nearDistance2(lon, lat, lon, parallel);
  return rest < 0 ? -1 : Math.sqrt(rest) / metresPerDegreeEast((lat + parallel) / 2);
}

function rowOf(lat: number): number {
  return Math.floor((lat + 90) * ROWS);
}

/** Latitude of the middle of a row. */
function latitudeOf(row: number): number {
  return (row + 0.5) / ROWS - 90;
}

function columnsPerDegree(row: number): number {
  const middle = (Math.floor(row / BAND) + 0.5) * (BAND / ROWS) - 90;
  return Math.max(1, Math.round(ROWS * Math.cos((middle * Math.PI) / 180)));
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
