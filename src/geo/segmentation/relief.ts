import type { EdgeImage } from './edge-strength.ts';

/**
 * An edge image as the flood sees it: strength is height. One row and column of masked cells is added on every side, so
 * that the four neighbours of a cell are always there. A place is an index into the padded arrays.
 *
 * The total order of places, everywhere in the flood: a place is lower than another if its strength is smaller or, when
 * they are equal, if it comes first in raster order. With that no two places are equal, and the result is defined.
 */
export interface Relief {
  /** Distance between a place and the one below it. */
  readonly stride: number;
  /** Bits of the strength as a 32-bit float: not negative, so they order as integers do. `MASKED` where masked. */
  readonly heights: Int32Array;
  /** The same memory as numbers. */
  readonly strengths: Float32Array;
  /** First place that is not padding, and the last. */
  readonly first: number;
  readonly last: number;
}

/** Higher than any strength. */
export const MASKED = 0x7fff_ffff;

/** Lays out `image` with its padding. A cell is masked where the image has NaN. */
export function makeRelief(image: EdgeImage): Relief {
  const { width, height, values } = image;
  const stride = width + 2;
  const heights = new Int32Array(stride * (height + 2)).fill(MASKED);
  const strengths = new Float32Array(heights.buffer);
  for (let row = 0; row < height; row++) {
    strengths.set(values.subarray(row * width, (row + 1) * width), (row + 1) * stride + 1);
  }
  for (let place = 0; place < heights.length; place++) {
    if (heights[place] > INFINITY_BITS || heights[place] < 0) heights[place] = MASKED;
  }
  return { stride, heights, strengths, first: stride + 1, last: (height + 1) * stride - 2 };
}

const INFINITY_BITS = 0x7f80_0000;

/** The total order of places. */
export function isLower(heights: Int32Array, a: number, b: number): boolean {
  return heights[a] < heights[b] || (heights[a] === heights[b] && a < b);
}
