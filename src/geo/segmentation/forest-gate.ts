import type { FoundSegment } from './find-segment.ts';
import weights from './forest-gate.json' with { type: 'json' };
import { BANDS, NODATA } from './grid.ts';
import { copyCellRow, poolCell, UNIT } from './pool-cells.ts';
import { assertHead, type LinearHead, loadEdgeKernel, placeRows } from './kernels/edge-kernel.ts';

/** Whether a segment is forest, and how sure that is. */
interface ForestGate {
  /** Mean over the segment's cells, 0 to 1. */
  readonly probability: number;
  readonly isForest: boolean;
}

/**
 * Decides forest or background from a segment's mean probability of forest.
 * Logistic regression on 2,880 Dynamic World points of four regions and points in intact tropical forest; tested on
 * regions it was not fitted on, it separates with an area under the curve of 0.96 to 0.99.
 */
export function forestGate(segment: FoundSegment): ForestGate {
  return gateOf(meanProbability(segment, HEAD));
}

/** Forest or background, of the mean probability of a segment. */
export function gateOf(probability: number): ForestGate {
  return { probability, isForest: probability >= FOREST_FROM };
}

/**
 * The probability of forest of one pixel by itself, 0 to 1, as the gate would have it of a segment of nothing else; null
 * where it has no data. `codes` are its 64 bands.
 */
export function pixelForest(codes: Int8Array): number | null {
  if (codes.includes(NODATA)) return null;
  // A cell of four such pixels has the vector of the one.
  const cell = new Int8Array(4 * BANDS);
  for (let pixel = 0; pixel < 4; pixel++) cell.set(codes, pixel * BANDS);
  const units = new Int16Array(BANDS);
  return poolCell(cell, 2, 0, units, 0) ? probability(units, 0, HEAD) : null;
}

/** The probability of forest of a cell whose vector is at 64 places of `units` from `at`, 0 to 1. */
export function cellForest(units: Int16Array, at: number): number {
  return probability(units, at, HEAD);
}

/** A segment is forest from this mean probability on. */
export const FOREST_FROM = 0.5;

const HEAD: LinearHead = weights;

/**
 * The mean over the cells of a segment of what `head` gives for the cell's pooled vector, 0 to 1. Added up in raster
 * order, band after band, so that the sum is the same to the last bit wherever it is made.
 * @throws RangeError as `assertHead`.
 */
export function meanProbability(segment: MeasuredSegment, head: LinearHead): number {
  assertHead(head);
  const { window, column, row } = segment.codes;
  const { pixels, rates, rate } = reserve(window.width / 2, head);
  const from = segment.column - column;
  let sum = 0;
  for (let maskRow = 0; maskRow < segment.height; maskRow++) {
    copyCellRow(window, segment.row + maskRow - row, pixels);
    rate();
    const start = maskRow * segment.width;
    for (let cell = 0; cell < segment.width; cell++) {
      if (segment.mask[start + cell] === 1) sum += rates[from + cell];
    }
  }
  return sum / segment.area;
}

/** What is known of a segment whose mean is taken. */
type MeasuredSegment = Pick<FoundSegment, 'column' | 'row' | 'width' | 'height' | 'mask' | 'area' | 'codes'>;

/** What a head gives for the vector of length one at 64 places of `units` from `at`, 0 to 1. */
function probability(units: Int16Array, at: number, { weights, bias }: LinearHead): number {
  let logit = 0;
  for (let band = 0; band < BANDS; band++) logit += weights[band] * units[at + band];
  return 1 / (1 + Math.exp(-(bias + logit / UNIT)));
}

/** Two rows of pixels, and what `rate` makes of them: the probability of each cell. */
function reserve(cells: number, head: LinearHead) {
  const { codes, first, zeros, weights, rates, end } = placeRows(cells);
  const { memory, poolRow, rate } = kernel;
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  const { buffer } = memory;
  // An earlier run had other addresses.
  new Uint8Array(buffer, zeros, BANDS).fill(0);
  new Float64Array(buffer, weights, BANDS).set(head.weights);
  return {
    pixels: new Int8Array(buffer, codes, 4 * cells * BANDS),
    rates: new Float64Array(buffer, rates, cells),
    rate() {
      poolRow(codes, cells, first, zeros);
      rate(cells, first, weights, head.bias, rates);
    },
  };
}

/** One instance a thread, apart from that of `edgeStrength`. */
const kernel = loadEdgeKernel();
