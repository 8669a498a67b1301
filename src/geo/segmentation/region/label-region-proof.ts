import type { CellArea } from '../cell-area.ts';
import type { EdgeImage } from '../kernels/edge-kernel.ts';
import { segmentInEdges } from '../segment-in-window.ts';
import type { Segmentation } from '../segment-edges.ts';

/**
 * Sides of the windows, in cells and even, that a segment's proof is looked for in: centred on its marker, growing. The
 * last says how large a resolved segment can be, and how far around an area its edge strengths must be known.
 */
export const PROOF_SIDES: readonly number[] = [96, 192, 320];

/** Edge strengths around some area, in a larger image; the outermost cells serve as neighbours of those within only. */
export interface EdgeWindow {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** As those of an `EdgeImage`; that of the window's cell is at `start + row * stride + column`. */
  readonly values: Float32Array;
  readonly start: number;
  readonly stride: number;
  /** Whether what lies beyond each side is known to have no data, because the raster ends there. */
  readonly ends: { readonly west: boolean; readonly north: boolean; readonly east: boolean; readonly south: boolean };
}

/** By the number of a marker: the side of the window that proves its segment, 0 when none of them does. */
export type MarkerProofs = Map<number, number>;

/**
 * The side of the first window around the cell at `column`, `row`, the marker of a segment of the cut of `image`, that proves
 * that segment to be the same in every larger window (`segmentInWindow` says how); 0 when none does; null when `image`
 * does not reach far enough around to know, which counts as no. The answer hangs on nothing but the raster and where the marker
 * lies in it.
 * @param fits whether the window of a side can prove it at all.
 */
export function provingSide(
  image: EdgeWindow,
  column: number,
  row: number,
  depth: number,
  sides: readonly number[],
  fits: (side: number) => boolean,
): number | null {
  for (const side of sides) {
    if (!isHeld(image, column, row, side)) return null;
    if (!fits(side)) continue;
    const middle = side / 2 + 1;
    const window = cutOut(image, squareAround(column, row, side));
    if (segmentInEdges(window, middle, middle, depth)?.proven) return side;
  }
  return 0;
}

/** The window of a side around a cell, with a ring of one cell. */
export function squareAround(column: number, row: number, side: number): CellArea {
  const middle = side / 2 + 1;
  return { column: column - middle, row: row - middle, width: side + 2, height: side + 2 };
}

/** Whether all is known of the window of a side around a cell. */
export function isHeld({ ends, ...image }: EdgeWindow, column: number, row: number, side: number): boolean {
  const { column: left, row: top, width, height } = squareAround(column, row, side);
  if ((left < 0 && !ends.west) || (top < 0 && !ends.north)) return false;
  return (left + width <= image.width || ends.east) && (top + height <= image.height || ends.south);
}

/** Sides of an area, as the bits of `cut-kernel.as`. */
export const SIDE = { north: 1, west: 2, east: 4, south: 8 } as const;

/** At the label of each segment on which sides it borders a cell with data in the outermost ring of the image. */
export function openSegments({ width, height, values }: EdgeImage, { labels, markers }: Segmentation): Uint8Array {
  const open = new Uint8Array(markers.length + 1);
  const last = (height - 1) * width;
  for (let column = 1; column < width - 1; column++) {
    if (!Number.isNaN(values[column])) open[labels[column + width]] |= SIDE.north;
    if (!Number.isNaN(values[last + column])) open[labels[last + column - width]] |= SIDE.south;
  }
  for (let row = 1; row < height - 1; row++) {
    if (!Number.isNaN(values[row * width])) open[labels[row * width + 1]] |= SIDE.west;
    if (!Number.isNaN(values[row * width + width - 1])) open[labels[row * width + width - 2]] |= SIDE.east;
  }
  // Cells without data are walls wherever they go on.
  open[0] = 0;
  return open;
}

/** A rectangle of an image, in its cells; without data where it reaches beyond. */
export function cutOut(image: EdgeWindow, area: CellArea): EdgeImage {
  const { width, height } = area;
  const values = new Float32Array(width * height);
  const from = Math.max(0, area.column);
  const to = Math.min(image.width, area.column + width);
  const isInside = from === area.column && to - from === width && area.row >= 0 && area.row + height <= image.height;
  if (!isInside) values.fill(Number.NaN);
  for (let row = Math.max(0, -area.row); row < height && area.row + row < image.height; row++) {
    const start = image.start + (area.row + row) * image.stride;
    if (from < to) values.set(image.values.subarray(start + from, start + to), row * width + from - area.column);
  }
  return { width, height, values };
}

/** Takes the data off the outermost cells of `out`. */
export function maskRing(out: Float32Array, width: number, height: number): void {
  out.fill(Number.NaN, 0, width).fill(Number.NaN, (height - 1) * width, height * width);
  for (let row = 1; row < height; row++) out.fill(Number.NaN, row * width - 1, row * width + 1);
}
