import { CUT_KERNEL_WASM } from './cut-kernel.wasm.ts';
import type { EdgeImage } from './edge-strength.ts';
import { loadKernel } from './load-kernel.ts';
import { assertDepth } from './segment-edges-plain.ts';
import type { Segmentation } from './segmentation.ts';

/**
 * `segmentEdgesPlain` with WebAssembly SIMD; gives the same labels, always. Cuts an edge image into segments: the
 * watershed of its minima of depth `depth`, 4-connected, with one tie rule: of equal strengths, the cell that comes
 * first in raster order counts as lower.
 *
 * Takes some 36 bytes a cell of the kernel's own memory, which a thread keeps for the next call, up to 64 MiB.
 * @param depth how much higher than its lowest cell a segment's rim must be for it to stand alone, in units of
 * 1 - cosine; above 0.
 * @throws RangeError when `depth` is not above 0, or the image has more than 2^25 cells or does not fit in memory.
 */
export function segmentEdges(image: EdgeImage, depth: number): Segmentation {
  assertDepth(depth);
  const { width, height, values } = image;
  if (width * height > MAX_CELLS) throw tooLarge(image);
  const stride = width + 2;
  kernel ??= loadKernel<Kernel>(CUT_KERNEL_WASM);
  const { memory, prepare, cut, labels: labelsAt, markers: markersAt } = kernel;
  const start = prepare(width, height) / 4;
  if (start === 0) throw tooLarge(image);
  const strengths = new Float32Array(memory.buffer);
  for (let row = 0; row < height; row++) {
    strengths.set(values.subarray(row * width, (row + 1) * width), start + row * stride);
  }
  const count = cut(depth);
  const numbers = new Int32Array(memory.buffer);
  const labels = new Int32Array(width * height);
  const from = labelsAt() / 4;
  for (let row = 0; row < height; row++) {
    labels.set(numbers.subarray(from + row * stride, from + row * stride + width), row * width);
  }
  const markers = numbers.slice(markersAt() / 4, markersAt() / 4 + count);
  if (memory.buffer.byteLength > KEPT_BYTES) kernel = undefined;
  return { width, height, labels, markers: markers.map((place) => cellAt(place, width)) };
}

/** The cell of a place in the padded arrays. */
function cellAt(place: number, width: number): number {
  const row = Math.floor(place / (width + 2)) - 1;
  return row * width + (place % (width + 2)) - 1;
}

/** Needs 1.2 GiB; addresses are signed 32-bit numbers in places. */
const MAX_CELLS = 2 ** 25;

function tooLarge({ width, height }: EdgeImage): RangeError {
  return new RangeError(`an image must have at most ${MAX_CELLS} cells and fit in memory; got ${width} x ${height}`);
}

interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly prepare: (width: number, height: number) => number;
  readonly cut: (depth: number) => number;
  readonly labels: () => number;
  readonly markers: () => number;
}

const KEPT_BYTES = 64 * 1024 * 1024;

/** One instance a thread: runs never overlap, because a run is synchronous. */
let kernel: Kernel | undefined;
