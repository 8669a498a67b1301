import type { FoundSegment } from './find-segment.ts';
import weights from './forest-gate.json' with { type: 'json' };
import { BANDS, NODATA } from './grid.ts';
import { copyCellRow, poolCell, UNIT } from './pool-cells.ts';
import { EDGE_KERNEL_WASM } from './kernels/edge-kernel.wasm.ts';
import { loadKernel } from './kernels/load-kernel.ts';

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
  const probability = meanProbability(segment, HEAD);
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

/** A logistic regression on AEF vectors of length one. */
export interface LinearHead {
  /** One weight for each of the 64 bands. */
  readonly weights: readonly number[];
  readonly bias: number;
}

/**
 * The mean over the cells of a segment of what `head` gives for the cell's pooled vector, 0 to 1. Added up in raster
 * order, band after band, so that the sum is the same to the last bit wherever it is made.
 * @throws RangeError when the head does not have 64 weights.
 */
export function meanProbability(segment: FoundSegment, head: LinearHead): number {
  if (head.weights.length !== BANDS) {
    throw new RangeError(`a head must have ${BANDS} weights; got ${head.weights.length}`);
  }
  const { window, column, row } = segment.codes;
  const { pixels, units, pool } = reserve(window.width / 2);
  const from = (segment.column - column) * BANDS;
  let sum = 0;
  for (let maskRow = 0; maskRow < segment.height; maskRow++) {
    copyCellRow(window, segment.row + maskRow - row, pixels);
    pool();
    const start = maskRow * segment.width;
    for (let cell = 0; cell < segment.width; cell++) {
      if (segment.mask[start + cell] === 1) sum += probability(units, from + cell * BANDS, head);
    }
  }
  return sum / segment.area;
}

/** What a head gives for the vector of length one at 64 places of `units` from `at`, 0 to 1. */
function probability(units: Int16Array, at: number, { weights, bias }: LinearHead): number {
  let logit = 0;
  for (let band = 0; band < BANDS; band++) logit += weights[band] * units[at + band];
  return 1 / (1 + Math.exp(-(bias + logit / UNIT)));
}

/** Two rows of pixels and the row of cells that `pool` makes of them, in the memory of the edge kernel. */
function reserve(cells: number) {
  const zeros = FIRST_FREE_BYTE;
  const codes = zeros + BANDS;
  const row = codes + 4 * cells * BANDS;
  const { memory, poolRow } = kernel;
  const missing = row + cells * CELL_ROW_BYTES - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  const { buffer } = memory;
  return {
    pixels: new Int8Array(buffer, codes, 4 * cells * BANDS),
    units: new Int16Array(buffer, row, cells * BANDS),
    pool: () => poolRow(codes, cells, row, zeros),
  };
}

/** More than `edge-kernel.as` writes for a cell. The 64 zeros before the codes are never written. */
const CELL_ROW_BYTES = BANDS * 2 + 8;
const FIRST_FREE_BYTE = 1024;

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly poolRow: (codes: number, cells: number, row: number, zeros: number) => void;
}

/** One instance a thread, apart from that of `edgeStrength`, whose memory is laid out otherwise. */
const kernel = loadKernel<Kernel>(EDGE_KERNEL_WASM);
