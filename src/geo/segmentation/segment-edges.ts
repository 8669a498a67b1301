import { withCutKernel } from './kernels/cut-kernel.ts';
import type { EdgeImage } from './kernels/edge-kernel.ts';

/** A window cut into segments. */
export interface Segmentation {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** `labels[row * width + column]`: 1 to `markers.length`, or 0 where the cell is masked. */
  readonly labels: Int32Array;
  /** The lowest cell of each segment, `row * width + column`: that of label `n` at `n - 1`, in raster order. */
  readonly markers: Int32Array;
}

/**
 * `segmentEdgesPlain` with WebAssembly SIMD; gives the same labels, always. Cuts an edge image into segments: the
 * watershed of its minima of depth `depth`, 4-connected, with one tie rule: of equal strengths, the cell that comes
 * first in raster order counts as lower.
 * @param depth how much higher than its lowest cell a segment's rim must be for it to stand alone, in units of
 * 1 - cosine; above 0.
 * @throws RangeError when `depth` is not above 0, or the image has more than 2^25 cells or does not fit in memory.
 */
export function segmentEdges(image: EdgeImage, depth: number): Segmentation {
  const { width, height } = image;
  return withCutKernel(image, depth, (kernel) => {
    const count = kernel.cut(depth);
    const numbers = new Int32Array(kernel.memory.buffer);
    const labels = new Int32Array(width * height);
    const from = (kernel.labels() >>> 0) / 4;
    const stride = width + 2;
    for (let row = 0; row < height; row++) {
      labels.set(numbers.subarray(from + row * stride, from + row * stride + width), row * width);
    }
    const markersAt = (kernel.markers() >>> 0) / 4;
    const markers = numbers.slice(markersAt, markersAt + count);
    for (let i = 0; i < count; i++) markers[i] = cellAt(markers[i], width);
    return { width, height, labels, markers };
  });
}

/** The cell of a place in the kernel's padded arrays. */
function cellAt(place: number, width: number): number {
  const row = Math.floor(place / (width + 2)) - 1;
  return row * width + (place % (width + 2)) - 1;
}
