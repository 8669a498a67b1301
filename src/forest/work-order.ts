import type { LonLat } from '../geo/shapes/shape.ts';

/** Side of a square of neighbouring points, in degrees: about a block of 256 pixels of 10 m. */
const SQUARE = 0.025;

/** Points that lie in one square, by their places in the batch. */
type Neighbours = readonly number[];

/**
 * Places of the points of a batch, grouped so that a worker which takes group after group reads each block of embeddings
 * about once: neighbouring points together, squares row by row, every other row backwards. Null stands for no point and
 * is left out.
 */
export function workOrder(points: readonly (LonLat | null)[]): readonly Neighbours[] {
  const squares = new Map<string, { readonly column: number; readonly row: number; readonly members: number[] }>();
  for (const [i, point] of points.entries()) {
    if (point === null) continue;
    const column = Math.floor(point[0] / SQUARE);
    const row = Math.floor(point[1] / SQUARE);
    const key = `${column} ${row}`;
    const square = squares.get(key);
    if (square === undefined) squares.set(key, { column, row, members: [i] });
    else square.members.push(i);
  }
  const backwards = (row: number): 1 | -1 => (row % 2 === 0 ? 1 : -1);
  return [...squares.values()]
    .toSorted((a, b) => a.row - b.row || backwards(a.row) * (a.column - b.column))
    .map(({ members }) => members);
}
