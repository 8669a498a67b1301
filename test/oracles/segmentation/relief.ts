import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';

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
  for (let cell = 0, row = 1; row <= height; row++) {
    for (let place = row * stride + 1; place <= row * stride + width; place++, cell++) {
      // Adding zero makes a negative zero positive, whose bits order as they should.
      if (!Number.isNaN(values[cell])) strengths[place] = values[cell] + 0;
    }
  }
  return { stride, heights, strengths, first: stride + 1, last: (height + 1) * stride - 2 };
}

/** The total order of places. */
export function isLower(heights: Int32Array, a: number, b: number): boolean {
  return heights[a] < heights[b] || (heights[a] === heights[b] && a < b);
}
