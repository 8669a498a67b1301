import { cellArea, cellOf, TILE_CELLS, TILE_COLUMNS, TILE_ROWS, tileRowOf, TILES_A_ROW } from './built-up-cells.ts';
import type { Footprints } from './footprint-sums.ts';

/**
 * The ground that buildings take, by cells of about 28 m each way; see `built-up-cells.ts`. They are kept in tiles of 10 rows and 32 columns, so that
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
