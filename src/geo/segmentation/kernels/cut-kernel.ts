import { CUT_KERNEL_WASM } from './cut-kernel.wasm.ts';
import type { EdgeImage } from './edge-kernel.ts';
import { loadKernel } from './load-kernel.ts';

/** What `cut-kernel.as` exports. Addresses are bytes of its memory; images in it have rows `width + 2` numbers apart. */
interface CutKernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly prepare: (width: number, height: number) => number;
  readonly cut: (depth: number) => number;
  readonly labels: () => number;
  readonly markers: () => number;
  readonly segment: (column: number, row: number, depth: number) => number;
  readonly found: () => number;
  readonly mask: () => number;
}

/**
 * Writes an image into the cutting kernel, hands it to `run` and gives what that gives. The kernel takes some 40 bytes a
 * cell of its own memory, which a thread keeps for the next call, up to 64 MiB.
 * @throws RangeError when `depth` is not above 0, or the image has more than 2^25 cells or does not fit in memory.
 */
export function withCutKernel<T>(image: EdgeImage, depth: number, run: (kernel: CutKernel) => T): T {
  assertDepth(depth);
  const { width, height, values } = image;
  if (width * height > MAX_CELLS) throw tooLarge(image);
  kept ??= loadKernel<CutKernel>(CUT_KERNEL_WASM);
  const kernel = kept;
  const start = (kernel.prepare(width, height) >>> 0) / 4;
  if (start === 0) throw tooLarge(image);
  const strengths = new Float32Array(kernel.memory.buffer);
  for (let row = 0; row < height; row++) {
    strengths.set(values.subarray(row * width, (row + 1) * width), start + row * (width + 2));
  }
  const result = run(kernel);
  if (kernel.memory.buffer.byteLength > KEPT_BYTES) kept = undefined;
  return result;
}

/** Needs 1.3 GiB. */
const MAX_CELLS = 2 ** 25;

function tooLarge({ width, height }: EdgeImage): RangeError {
  return new RangeError(`an image must have at most ${MAX_CELLS} cells and fit in memory; got ${width} x ${height}`);
}

const KEPT_BYTES = 64 * 1024 * 1024;

/** One instance a thread: runs never overlap, because a run is synchronous. */
let kept: CutKernel | undefined;

/** @throws RangeError when `depth` is not above 0. */
export function assertDepth(depth: number): void {
  if (!(depth > 0)) throw new RangeError(`depth must be above 0; got ${depth}`);
}
