import type { Rings } from './rings.ts';
import { type LabelImage, ringsOf, traceLabels } from './trace-labels.ts';

/** One 4-connected component of a label image. */
interface TracedSegment {
  /** Exterior and holes in pixel corners of the image, moved as requested; the inside on the right. */
  readonly rings: Rings<Int32Array>;
  /** Pixels of the segment. */
  readonly pixels: number;
  /** True when a pixel of it lies in the first or last row or column: it may go on outside the image. */
  readonly touchesEdge: boolean;
}

/**
 * The segment that holds a pixel: its 4-connected component of equal labels, whatever other components carry that label.
 * Null when the pixel is background (0). Throws a RangeError for a pixel outside the image.
 *
 * @param dx columns and `dy` rows by which the rings are moved, from pixels of the image to cells of its lattice.
 */
export function traceSegment(image: LabelImage, column: number, row: number, dx = 0, dy = 0): TracedSegment | null {
  const { width, height, labels } = image;
  if (!(column >= 0 && row >= 0 && column < width && row < height)) {
    throw new RangeError(`wanted a pixel of a ${width} x ${height} image, got column ${column}, row ${row}`);
  }
  if (labels[row * width + column] === 0) return null;
  const { mask, pixels, west, north, east, south } = flood(image, row * width + column);
  const [maskWidth, maskHeight] = [east - west + 1, south - north + 1];
  const cut = new Uint8Array(maskWidth * maskHeight);
  for (let y = 0; y < maskHeight; y++) {
    const from = (north + y) * width + west;
    cut.set(mask.subarray(from, from + maskWidth), y * maskWidth);
  }
  const traced = traceLabels({ width: maskWidth, height: maskHeight, labels: cut });
  return {
    rings: ringsOf(traced, 0, dx + west, dy + north),
    pixels,
    touchesEdge: west === 0 || north === 0 || east === width - 1 || south === height - 1,
  };
}

/** Marks the component of a pixel and finds its bounds, inclusive. Every pixel is pushed once, so the stack never outgrows the image. */
function flood({ width, height, labels }: LabelImage, start: number) {
  const mask = new Uint8Array(width * height);
  const label = labels[start];
  let stack = new Int32Array(1024);
  let depth = 0;
  let pixels = 0;
  let [west, north, east, south] = [width, height, -1, -1];
  mask[start] = 1;
  stack[depth++] = start;
  while (depth > 0) {
    const p = stack[--depth];
    const y = (p / width) | 0;
    const x = p - y * width;
    pixels++;
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < north) north = y;
    if (y > south) south = y;
    if (depth + 4 > stack.length) {
      const grown = new Int32Array(stack.length * 2);
      grown.set(stack);
      stack = grown;
    }
    if (x > 0 && mask[p - 1] === 0 && labels[p - 1] === label) {
      mask[p - 1] = 1;
      stack[depth++] = p - 1;
    }
    if (x < width - 1 && mask[p + 1] === 0 && labels[p + 1] === label) {
      mask[p + 1] = 1;
      stack[depth++] = p + 1;
    }
    if (y > 0 && mask[p - width] === 0 && labels[p - width] === label) {
      mask[p - width] = 1;
      stack[depth++] = p - width;
    }
    if (y < height - 1 && mask[p + width] === 0 && labels[p + width] === label) {
      mask[p + width] = 1;
      stack[depth++] = p + width;
    }
  }
  return { mask, pixels, west, north, east, south };
}
