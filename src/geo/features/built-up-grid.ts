import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';

/*
 * Cells of about 28 m each way, the same all over the world: row `floor((lat + 90) 4000)`, and in a row columns of the width that 28 m
 * have at the middle of its band of 0.1 degree.
 */

/** Rows of cells in a degree of latitude: cells of 27.8 m. */
export const ROWS = 4_000;
/** Rows that share their number of columns: 0.1 degree. */
const BAND = 400;

/** Rows and columns of cells in a tile; whole tiles make a band. */
export const TILE_ROWS = 10;
export const TILE_COLUMNS = 32;

const TILE_CELLS = TILE_ROWS * TILE_COLUMNS;
const TILES_A_ROW = 2 ** 21 / TILE_COLUMNS;

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

export function rowOf(lat: number): number {
  return Math.floor((lat + 90) * ROWS);
}

/** Latitude of the middle of a row. */
export function latitudeOf(row: number): number {
  return (row + 0.5) / ROWS - 90;
}

/** Columns in a degree of longitude of each band, from the south pole. */
const COLUMNS = Int32Array.from({ length: (180 * ROWS) / BAND }, (_, band) => {
  const middle = (band + 0.5) * (BAND / ROWS) - 90;
  return Math.max(1, Math.round(ROWS * Math.cos((middle * Math.PI) / 180)));
});

export function columnsPerDegree(row: number): number {
  return COLUMNS[Math.min(COLUMNS.length - 1, Math.max(0, Math.floor(row / BAND)))];
}

/**
 * The ground that buildings take, by cells of about 28 m each way. They are kept in tiles of 10 rows and 32 columns, so that
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

function shared<T>(
  type: { new (buffer: SharedArrayBuffer): T; readonly BYTES_PER_ELEMENT: number },
  length: number,
): T {
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT));
}

/** Square metres of footprints by cell; cells ascend. */
export interface Footprints {
  readonly cells: Float64Array;
  readonly m2: Float64Array;
}

/** Cells gathered at once; then they are laid down in order. */
const RUN = 500_000;

/** Adds up footprints by the number of a cell, for any number of cells: in runs that are merged at the end. */
export class FootprintSums {
  #open = new Map<number, number>();
  #runs: Footprints[] = [];

  add(cell: number, m2: number): void {
    this.#open.set(cell, (this.#open.get(cell) ?? 0) + m2);
    if (this.#open.size >= RUN) this.#layDown();
  }

  /** Everything added; empty afterwards. */
  finish(): Footprints {
    this.#layDown();
    let runs = this.#runs;
    this.#runs = [];
    while (runs.length > 1) {
      const merged: Footprints[] = [];
      for (let i = 0; i < runs.length; i += 2) merged.push(i + 1 < runs.length ? merge(runs[i], runs[i + 1]) : runs[i]);
      runs = merged;
    }
    return runs[0] ?? { cells: new Float64Array(0), m2: new Float64Array(0) };
  }

  #layDown(): void {
    if (this.#open.size === 0) return;
    const cells = Float64Array.from(this.#open.keys()).sort();
    this.#runs.push({ cells, m2: cells.map((cell) => this.#open.get(cell) ?? 0) });
    this.#open = new Map();
  }
}

function merge(a: Footprints, b: Footprints): Footprints {
  const cells = new Float64Array(a.cells.length + b.cells.length);
  const m2 = new Float64Array(cells.length);
  let count = 0;
  for (let i = 0, j = 0; i < a.cells.length || j < b.cells.length; count++) {
    const left = i < a.cells.length ? a.cells[i] : Infinity;
    const right = j < b.cells.length ? b.cells[j] : Infinity;
    cells[count] = Math.min(left, right);
    m2[count] = (left <= right ? a.m2[i++] : 0) + (right <= left ? b.m2[j++] : 0);
  }
  return { cells: cells.slice(0, count), m2: m2.slice(0, count) };
}
