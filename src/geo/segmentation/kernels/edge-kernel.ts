import type { CodeWindow } from '../code-window.ts';
import { BANDS } from '../grid.ts';
import { assertWholeCells, copyCellRow, UNIT } from '../pool-cells.ts';
import { EDGE_KERNEL_WASM } from './edge-kernel.wasm.ts';
import { loadKernel } from './load-kernel.ts';

/** How different each cell is from its neighbours. */
export interface EdgeImage {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** `values[row * width + column]`, 0 (equal) to 2 (opposite), never negative; NaN where the cell is masked. */
  readonly values: Float32Array;
}

/**
 * The edge strength of every cell: the mean of 1 - cosine over those of its 4 neighbours that have data; 0 for a cell
 * that has none, NaN for a masked one. In whole numbers, with WebAssembly SIMD; `edge-strength-plain.ts` among the oracles is
 * the same in plain code, and gives the same bits.
 *
 * The window streams through: each pixel is copied once into a buffer of two rows, which stays in the processor's cache
 * until it is pooled, so the kernel's memory grows with the width of the window and not with its area.
 * @throws RangeError when the window is not a whole number of cells.
 */
export function edgeStrength(window: CodeWindow): EdgeImage {
  return computeRows(window, null);
}

/** Edge strengths, and what a head gives each cell: for one without a direction what it gives a vector of zeros. */
interface RatedImage extends EdgeImage {
  readonly probabilities: Float64Array;
}

/** `edgeStrength`, and with it what `head` gives each cell, 0 to 1. @throws RangeError as `edgeStrength` and `assertHead`. */
export function rateCells(window: CodeWindow, head: LinearHead): RatedImage {
  const probabilities = new Float64Array((window.width / 2) * (window.height / 2));
  return { ...computeRows(window, { head, probabilities }), probabilities };
}

function computeRows(
  window: CodeWindow,
  rated: { readonly head: LinearHead; readonly probabilities: Float64Array } | null,
): EdgeImage {
  assertWholeCells(window);
  const width = window.width / 2;
  const height = window.height / 2;
  const values = new Float32Array(width * height);
  const places = placeRows(width);
  reserve(places.end);
  const codes = new Int8Array(kernel.memory.buffer, places.codes, 4 * width * BANDS);
  const finished = new Float32Array(kernel.memory.buffer, places.out, width);
  const rates = new Float64Array(kernel.memory.buffer, places.rates, width);
  if (rated !== null) {
    assertHead(rated.head);
    new Float64Array(kernel.memory.buffer, places.weights, BANDS).set(rated.head.weights);
  }
  let current = places.first;
  let above = places.second;
  for (let row = 0; row < height; row++) {
    copyCellRow(window, row, codes);
    kernel.poolRow(places.codes, width, current, places.zeros);
    if (rated !== null) {
      kernel.rate(width, current, places.weights, rated.head.bias, places.rates);
      rated.probabilities.set(rates, row * width);
    }
    kernel.linkAcross(width, current);
    if (row > 0) {
      kernel.linkDown(width, above, current);
      kernel.finishRow(width, above, places.out);
      values.set(finished, (row - 1) * width);
    }
    [above, current] = [current, above];
  }
  kernel.finishRow(width, above, places.out);
  values.set(finished, (height - 1) * width);
  return { width, height, values };
}

/** Makes room up to byte `end` and clears it: sums start at zero, and an earlier run had other addresses. */
function reserve(end: number): void {
  const missing = end - kernel.memory.buffer.byteLength;
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / 65_536));
  new Uint8Array(kernel.memory.buffer, FIRST_FREE_BYTE, end - FIRST_FREE_BYTE).fill(0);
}

/** One instance a thread: runs never overlap, because a run is synchronous. */
const kernel = loadEdgeKernel();

/** What `edge-kernel.as` exports. */
interface EdgeKernel {
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number };
  readonly poolRow: (codes: number, cells: number, row: number, zeros: number) => void;
  readonly linkAcross: (cells: number, row: number) => void;
  readonly linkDown: (cells: number, upper: number, lower: number) => void;
  readonly finishRow: (cells: number, row: number, out: number) => void;
  readonly rate: (cells: number, row: number, weights: number, bias: number, out: number) => void;
  readonly rateNear: (cells: number, row: number, weights: number, scale: number, bias: number, out: number) => void;
}

/** The probability of `rateNear` is less than this from that of `rate`. */
export const NEAR: number = 2e-6;

/** What `rateNear` wants of a head: its weights in whole numbers, and what a unit of them is worth. */
interface NearHead {
  readonly weights: Int16Array;
  readonly scale: number;
}

/** Parts of a unit that the second number of a weight counts. */
const NEAR_PARTS = 2 ** 14;

/** @throws RangeError as `assertHead`. */
export function nearHead(head: LinearHead): NearHead {
  assertHead(head);
  const largest = Math.max(...head.weights.map(Math.abs), 2 ** -20);
  // Sums of products stay below 2^31: a component is one of `UNIT`, and all of a vector have the length of one unit.
  const most = Math.min((2 ** 15 - 1) / largest, 2 ** 31 / (1.01 * UNIT * Math.hypot(...head.weights, largest)));
  const unit = 2 ** Math.floor(Math.log2(most));
  const weights = new Int16Array(2 * BANDS);
  for (const [band, weight] of head.weights.entries()) {
    const at = 16 * Math.floor(band / 8) + (band % 8);
    weights[at] = Math.round(weight * unit);
    weights[at + 8] = Math.round((weight * unit - weights[at]) * NEAR_PARTS);
  }
  return { weights, scale: 1 / (unit * UNIT) };
}

/** A logistic regression on AEF vectors of length one. */
export interface LinearHead {
  /** One weight for each of the 64 bands. */
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Most that the sum of a head can come to either way; the kernel knows e^x no further. */
const MAX_LOGIT = 700;

/** @throws RangeError when a head does not have 64 weights, or they are so large that the kernel cannot rate a cell. */
export function assertHead({ weights, bias }: LinearHead): void {
  if (weights.length !== BANDS) throw new RangeError(`a head must have ${BANDS} weights; got ${weights.length}`);
  const most = weights.reduce((sum, weight) => sum + Math.abs(weight), Math.abs(bias));
  // Rounding takes a component of a vector of length one over 1 by far less than the square root of 64 leaves room for.
  if (!(most <= MAX_LOGIT)) throw new RangeError(`a head must add up to at most ${MAX_LOGIT}; got ${most}`);
}

/** A new instance, with memory of its own. */
export function loadEdgeKernel(): EdgeKernel {
  return loadKernel<EdgeKernel>(EDGE_KERNEL_WASM);
}

/** The kernel has no data of its own; this leaves room for what a compiler may put first. */
const FIRST_FREE_BYTE = 1024;

/** Bytes of one row of cells in the kernel's memory; the order of its parts is given in `edge-kernel.as`. */
const CELL_ROW_BYTES = BANDS * 2 + 4 + 1 + 1;

/** Addresses of what the kernel works on. */
interface PlacedRows {
  /** Two rows of pixels. */
  readonly codes: number;
  /** A row of strengths. */
  readonly out: number;
  /** 64 zeros. */
  readonly zeros: number;
  /** Two rows of cells. */
  readonly first: number;
  readonly second: number;
  /** The weights of a head, and a row of what it gives. */
  readonly weights: number;
  readonly rates: number;
  readonly end: number;
}

export function placeRows(cells: number): PlacedRows {
  let end = FIRST_FREE_BYTE;
  const next = (bytes: number): number => {
    const at = end;
    end = (at + bytes + 63) & ~63;
    return at;
  };
  return {
    codes: next(4 * cells * BANDS),
    out: next(cells * 4),
    zeros: next(BANDS),
    first: next(cells * CELL_ROW_BYTES),
    second: next(cells * CELL_ROW_BYTES),
    weights: next(BANDS * 8),
    rates: next(cells * 8 + 16),
    end,
  };
}
