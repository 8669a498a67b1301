import type { CodeWindow } from './code-window.ts';
import { edgeStrength } from './edge-kernel.ts';
import type { EdgeImage } from './edge-strength.ts';
import { segmentEdges } from './segment-edges.ts';
import type { Segmentation } from './segmentation.ts';

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
}

/**
 * The segment of the cell at `column`, `row` of a window; `null` where that cell has no data or lies in the outermost
 * ring of cells, which only serves as the neighbours of those within.
 *
 * The proof of exactness. Call a segment open when one of its cells borders a ring cell that has data. When neither the
 * segment nor any segment beside it is open, more raster around the window cannot change it:
 * 1. Its marker stays one. A way out of the segment that stayed below marker + depth would end in a segment beside it,
 *    and one of the two markers would not have been deep enough. The same holds for the markers beside it; and cells
 *    that were too shallow to be markers stay so, because more raster only adds ways to lower ground.
 * 2. The flood reaches none of its cells earlier. Water from outside would have to enter the segments beside it through
 *    a cell of the window that has another label; where that would be earlier than the flood within, both cells lie
 *    under the same water and would have had the same label.
 * 3. So each of its cells is reached from the same neighbour, by the total order of `Relief`, which windows share.
 */
export function segmentInWindow(
  window: CodeWindow,
  column: number,
  row: number,
  depth: number,
): SegmentInWindow | null {
  const whole = edgeStrength(window);
  const cut = segmentEdges(withoutRing(whole), depth);
  const label = cut.labels[row * cut.width + column];
  return label === 0 ? null : describe(cut, label, openSegments(whole, cut));
}

/** Edge strengths of the outermost cells lack neighbours, so they are masked. */
function withoutRing({ width, height, values }: EdgeImage): EdgeImage {
  const inner = values.slice();
  inner.fill(Number.NaN, 0, width).fill(Number.NaN, (height - 1) * width);
  for (let row = 1; row < height; row++) inner.fill(Number.NaN, row * width - 1, row * width + 1);
  return { width, height, values: inner };
}

/** 1 at the labels of segments that border a cell with data in the ring. */
function openSegments({ width, height, values }: EdgeImage, { labels, markers }: Segmentation): Uint8Array {
  const open = new Uint8Array(markers.length + 1);
  const look = (ring: number, within: number) => {
    if (!Number.isNaN(values[ring])) open[labels[within]] = 1;
  };
  const last = (height - 1) * width;
  for (let column = 1; column < width - 1; column++) {
    look(column, column + width);
    look(last + column, last + column - width);
  }
  for (let row = 1; row < height - 1; row++) {
    look(row * width, row * width + 1);
    look(row * width + width - 1, row * width + width - 2);
  }
  return open;
}

function describe(cut: Segmentation, label: number, open: Uint8Array): SegmentInWindow {
  const { width, labels } = cut;
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  let area = 0;
  let besideOpen = 0;
  // The ring has no labels, so every cell of a segment has four neighbours.
  for (let cell = labels.indexOf(label), end = labels.lastIndexOf(label); cell <= end; cell++) {
    if (labels[cell] !== label) continue;
    area++;
    besideOpen |=
      open[labels[cell - width]] | open[labels[cell - 1]] | open[labels[cell + 1]] | open[labels[cell + width]];
    const column = cell % width;
    const row = (cell - column) / width;
    bounds.left = Math.min(bounds.left, column);
    bounds.right = Math.max(bounds.right, column);
    bounds.top = Math.min(bounds.top, row);
    bounds.bottom = row;
  }
  const size = { width: bounds.right - bounds.left + 1, height: bounds.bottom - bounds.top + 1 };
  const mask = new Uint8Array(size.width * size.height);
  for (let row = 0; row < size.height; row++) {
    const start = (bounds.top + row) * width + bounds.left;
    for (let column = 0; column < size.width; column++) {
      mask[row * size.width + column] = labels[start + column] === label ? 1 : 0;
    }
  }
  const marker = cut.markers[label - 1];
  return {
    column: bounds.left,
    row: bounds.top,
    ...size,
    mask,
    area,
    marker: [marker % width, Math.floor(marker / width)],
    truncated: open[label] === 1,
    proven: open[label] === 0 && besideOpen === 0,
  };
}
