import type { FoundSegment } from './find-segment.ts';
import { BANDS } from './grid.ts';
import { copyCellRow, poolCell, UNIT } from './pool-cells.ts';

/** A logistic regression on AEF vectors of length one. */
export interface LinearHead {
  /** One weight for each of the 64 bands. */
  readonly weights: readonly number[];
  readonly bias: number;
}

/**
 * The mean over the cells of a segment of what `head` gives for the cell's pooled vector, 0 to 1.
 * @throws RangeError when the head does not have 64 weights.
 */
export function meanProbability(segment: FoundSegment, head: LinearHead): number {
  if (head.weights.length !== BANDS) {
    throw new RangeError(`a head must have ${BANDS} weights; got ${head.weights.length}`);
  }
  const { window, column, row } = segment.codes;
  const pixels = new Int8Array(2 * window.width * BANDS);
  const units = new Int16Array(BANDS);
  let sum = 0;
  for (let maskRow = 0; maskRow < segment.height; maskRow++) {
    copyCellRow(window, segment.row + maskRow - row, pixels);
    for (let maskColumn = 0; maskColumn < segment.width; maskColumn++) {
      if (segment.mask[maskRow * segment.width + maskColumn] === 0) continue;
      poolCell(pixels, window.width, segment.column + maskColumn - column, units, 0);
      sum += probability(units, head);
    }
  }
  return sum / segment.area;
}

function probability(units: Int16Array, { weights, bias }: LinearHead): number {
  let logit = 0;
  for (let band = 0; band < BANDS; band++) logit += weights[band] * units[band];
  return 1 / (1 + Math.exp(-(bias + logit / UNIT)));
}
