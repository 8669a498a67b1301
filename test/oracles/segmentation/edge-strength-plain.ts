import type { CodeWindow } from '../../../src/geo/segmentation/code-window.ts';
import { BANDS } from '../../../src/geo/segmentation/grid.ts';
import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';
import { poolCells, UNIT, type CellVectors } from '../../../src/geo/segmentation/pool-cells.ts';

/** Multiplied by the number of neighbours, the divisor that makes a sum of squared distances a mean of 1 - cosine. */
const SQUARED_DISTANCE_UNIT = 2 * UNIT * UNIT;

/**
 * The edge strength of every cell: the mean of 1 - cosine over those of its 4 neighbours that have data; 0 for a cell
 * that has none. For vectors of length one, 1 - cosine is half the squared distance, an exact integer here.
 *
 * The oracle of `edgeStrength` in `edge-kernel.ts`, which gives the same bits.
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
