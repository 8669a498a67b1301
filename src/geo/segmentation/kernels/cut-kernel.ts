import { CUT_KERNEL_WASM } from './cut-kernel.wasm.ts';
import type { EdgeImage } from './edge-kernel.ts';
import { loadKernel } from './load-kernel.ts';

/** What `cut-kernel.as` exports. Addresses are bytes of its memory; images in it have rows `width + 2` numbers apart. */
export interface CutKernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly prepare: (width: number, height: number) => number;
  readonly cut: (depth: number) => number;
  readonly labels: () => number;
  readonly markers: () => number;
  readonly segment: (column: number, row: number, depth: number) => number;
  readonly found: () => number;
  readonly mask: () => number;
  readonly cutInside: (depth: number) => number;
  readonly beginTally: (count: number) => void;
  readonly tallyRow: (row: number, from: number, end: number, partFrom: number, partEnd: number) => void;
  readonly weightRow: () => number;
  readonly areas: () => number;
  readonly weights: () => number;
  readonly doubts: () => number;
  readonly inside: () => number;
  readonly numbers: () => number;
  readonly states: () => number;
  readonly paintRow: (row: number, column: number, count: number) => void;
  readonly paintedNumbers: () => number;
  readonly paintedStates: () => number;
}

/** Edge strengths of a window; its first one is at `start`, and rows are `stride` apart. Default: 0 and `width`. */
interface StrengthRows extends EdgeImage {
  readonly start?: number;
  readonly stride?: number;
}

/**
 * Writes an image into the cutting kernel, hands it to `run` and gives what that gives. The kernel takes some 40 bytes a
 * cell of its own memory, which a thread keeps for the next call, up to 64 MiB.
 * @param use a run for a region may run windows meanwhile: each has a kernel of its own.
 * @throws RangeError when `depth` is not above 0, or the image has more than 2^25 cells or does not fit in memory.
 */
export function withCutKernel<T>(
  image: StrengthRows,
  depth: number,
  run: (kernel: CutKernel) => T,
  use: keyof typeof kept = 'window',
): T {
  assertDepth(depth);
  const { width, height, values, start = 0, stride = width } = image;
  if (width * height > MAX_CELLS) throw tooLarge(image);
  const kernel = (kept[use] ??= loadKernel<CutKernel>(CUT_KERNEL_WASM));
  const first = (kernel.prepare(width, height) >>> 0) / 4;
  if (first === 0) throw tooLarge(image);
  const strengths = new Float32Array(kernel.memory.buffer);
  for (let row = 0; row < height; row++) {
    const from = start + row * stride;
    strengths.set(values.subarray(from, from + width), first + row * (width + 2));
  }
  const result = run(kernel);
  if (kernel.memory.buffer.byteLength > KEPT_BYTES) kept[use] = null;
  return result;
}

/** Needs 1.3 GiB. */
const MAX_CELLS = 2 ** 25;

function tooLarge({ width, height }: EdgeImage): RangeError {
  return new RangeError(`an image must have at most ${MAX_CELLS} cells and fit in memory; got ${width} x ${height}`);
}

const KEPT_BYTES = 64 * 1024 * 1024;

/** One instance a thread for each use: runs of one use never overlap, because a run is synchronous. */
const kept: { window: CutKernel | null; region: CutKernel | null } = { window: null, region: null };

/** @throws RangeError when `depth` is not above 0. */
export function assertDepth(depth: number): void {
  if (!(depth > 0)) throw new RangeError(`depth must be above 0; got ${depth}`);
}
