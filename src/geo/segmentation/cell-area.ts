/** A rectangle of cells on the lattice of a source. */
export interface CellArea {
  /** Column and row of its first cell. */
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/** The area with `cells` more on every side, as far as it lies in `within`. */
export function growArea(area: CellArea, cells: number, within: CellArea): CellArea {
  const column = Math.max(area.column - cells, within.column);
  const row = Math.max(area.row - cells, within.row);
  const right = Math.min(area.column + area.width + cells, within.column + within.width);
  const bottom = Math.min(area.row + area.height + cells, within.row + within.height);
  return { column, row, width: Math.max(0, right - column), height: Math.max(0, bottom - row) };
}
