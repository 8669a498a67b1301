import type { CodeWindow } from './code-window.ts';
import { withCutKernel } from './kernels/cut-kernel.ts';
import { type EdgeImage, edgeStrength } from './kernels/edge-kernel.ts';

/** One segment as its window shows it; all places are cells of the window. */
export interface SegmentInWindow {
  /** Column and row of the mask's first cell. */
  readonly column: number;
  readonly row: number;
  /** Size of the smallest rectangle that holds the segment. */
  readonly width: number;
  readonly height: number;
  /** `mask[row * width + column]`: 1 for a cell of the segment, else 0. */
  readonly mask: Uint8Array;
  /** Number of cells. */
  readonly area: number;
  /** Column and row of the segment's lowest cell, which no other segment has. */
  readonly marker: readonly [column: number, row: number];
  /** The segment goes on, or may go on, where the window ends. */
  readonly truncated: boolean;
  /** Every window that holds this one gives the same segment. */
  readonly proven: boolean;
  /** Sides of the window on which it must be larger for a proof: where the segment, or one next to it, may go on. */
  readonly open: Sides<boolean>;
}

/** Something for each side of a window. */
export interface Sides<T> {
  readonly west: T;
  readonly north: T;
  readonly east: T;
  readonly south: T;
}

/**
 * The segment of the cell at `column`, `row` of a window; `null` where that cell has no data or lies in the outermost
 * ring of cells, which only serves as the neighbours of those within.
 *
 * The proof of exactness. Call a segment open when one of its cells borders a ring cell that has data. When neither the
 * segment nor any segment next to it is open, more raster around the window cannot change it:
 * 1. Its marker stays one. A way out of the segment that stayed below marker + depth would end in a segment next to it,
 *    and one of the two markers would not have been deep enough. The same holds for the markers next to it; and cells
 *    that were too shallow to be markers stay so, because more raster only adds ways to lower ground.
 * 2. The flood reaches none of its cells earlier. Water from outside would have to enter the segments next to it through
 *    a cell of the window that has another label; where that would be earlier than the flood within, both cells lie
 *    under the same water and would have had the same label.
 * 3. So each of its cells is reached from the same neighbour, by the total order of `Relief`, which windows share.
 * @throws RangeError as `edgeStrength` and `segmentEdges` do.
 */
export function segmentInWindow(
  window: CodeWindow,
  column: number,
  row: number,
  depth: number,
): SegmentInWindow | null {
  return segmentInEdges(edgeStrength(window), column, row, depth);
}

/**
 * `segmentInWindow` for edge strengths that are known already; `segmentInEdgesPlain` with WebAssembly SIMD. Of the
 * labels it decides those of the segment and of the cells next to it and along the ring, no others.
 */
export function segmentInEdges(image: EdgeImage, column: number, row: number, depth: number): SegmentInWindow | null {
  const { width, height } = image;
  return withCutKernel(image, depth, (kernel) => {
    // The kernel trusts what it is given.
    if (!(column > 0 && row > 0 && column < width - 1 && row < height - 1)) return null;
    const area = kernel.segment(column, row, depth);
    if (area === 0) return null;
    const [left, top, right, bottom, place, own, neighbours] = new Int32Array(
      kernel.memory.buffer,
      kernel.found() >>> 0,
      7,
    );
    const size = { width: right - left + 1, height: bottom - top + 1 };
    const stride = width + 2;
    return {
      column: left,
      row: top,
      ...size,
      mask: new Uint8Array(kernel.memory.buffer, kernel.mask() >>> 0, size.width * size.height).slice(),
      area,
      marker: [(place % stride) - 1, Math.floor(place / stride) - 1],
      truncated: own !== 0,
      proven: (own | neighbours) === 0,
      open: sidesOf(own | neighbours),
    };
  });
}

/** From the bits of `cut-kernel.as`. */
function sidesOf(bits: number): Sides<boolean> {
  return { north: (bits & 1) > 0, west: (bits & 2) > 0, east: (bits & 4) > 0, south: (bits & 8) > 0 };
}
