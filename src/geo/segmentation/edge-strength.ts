import type { CodeWindow } from './code-window.ts';
import { BANDS } from './grid.ts';
import { poolCells, UNIT, type CellVectors } from './pool-cells.ts';

/** How different each cell is from its neighbours. */
export interface EdgeImage {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** `values[row * width + column]`, 0 (equal) to 2 (opposite), never negative; NaN where the cell is masked. */
  readonly values: Float32Array;
}

/** Multiplied by the number of neighbours, the divisor that makes a sum of squared distances a mean of 1 - cosine. */
const SQUARED_DISTANCE_UNIT = 2 * UNIT * UNIT;

/**
 * The edge strength of every cell: the mean of 1 - cosine over those of its 4 neighbours that have data; 0 for a cell
 * that has none. For vectors of length one, 1 - cosine is half the squared distance, an exact integer here.
 *
 * The plain version, and the oracle of `edgeStrength` in `edge-kernel.ts`, which gives the same bits.
 */
export function edgeStrengthPlain(window: CodeWindow): EdgeImage {
  const cells = poolCells(window);
  const { width, height } = cells;
  const values = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      values[row * width + column] = edgeOfCell(cells, row, column);
    }
  }
  return { width, height, values };
}

function edgeOfCell(cells: CellVectors, row: number, column: number): number {
  const { width, height, valid } = cells;
  const cell = row * width + column;
  if (!valid[cell]) return Number.NaN;
  const neighbours: number[] = [];
  if (row > 0) neighbours.push(cell - width);
  if (column > 0) neighbours.push(cell - 1);
  if (column < width - 1) neighbours.push(cell + 1);
  if (row < height - 1) neighbours.push(cell + width);
  let sum = 0;
  let count = 0;
  for (const neighbour of neighbours) {
    if (!valid[neighbour]) continue;
    sum += squaredDistance(cells.units, cell * BANDS, neighbour * BANDS);
    count++;
  }
  return count === 0 ? 0 : sum / (count * SQUARED_DISTANCE_UNIT);
}

function squaredDistance(units: Int16Array, a: number, b: number): number {
  let sum = 0;
  for (let band = 0; band < BANDS; band++) sum += (units[a + band] - units[b + band]) ** 2;
  return sum;
}
