import { metresPerDegreeEast, metresPerDegreeNorth } from '../local-metric.ts';

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

export const TILE_CELLS = TILE_ROWS * TILE_COLUMNS;
export const TILES_A_ROW = 2 ** 21 / TILE_COLUMNS;

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

export function cellOf(ordered: number): number {
  const tile = Math.floor(ordered / TILE_CELLS);
  const inside = ordered % TILE_CELLS;
  const row = Math.floor(tile / TILES_A_ROW) * TILE_ROWS + Math.floor(inside / TILE_COLUMNS);
  return row * 2 ** 21 + (tile % TILES_A_ROW) * TILE_COLUMNS + (inside % TILE_COLUMNS);
}

export function tileRowOf(ordered: number): number {
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
