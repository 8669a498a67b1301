import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';
import { segmentEdgesPlain } from './segment-edges-plain.ts';
import type { SegmentInWindow } from '../../../src/geo/segmentation/segment-in-window.ts';
import type { Segmentation } from '../../../src/geo/segmentation/segment-edges.ts';

/** `segmentInEdges` as it is defined: from the labels of the whole window. Its oracle. */
export function segmentInEdgesPlain(
  image: EdgeImage,
  column: number,
  row: number,
  depth: number,
): SegmentInWindow | null {
  const cut = segmentEdgesPlain(withoutRing(image), depth);
  const label = cut.labels[row * cut.width + column];
  return label === 0 ? null : describe(cut, label, openSides(image, cut));
}

/** Edge strengths of the outermost cells lack neighbours, so they are masked. */
function withoutRing({ width, height, values }: EdgeImage): EdgeImage {
  const isRing = (column: number, row: number) =>
    column === 0 || row === 0 || column === width - 1 || row === height - 1;
  return {
    width,
    height,
    values: values.map((value, cell) => (isRing(cell % width, Math.floor(cell / width)) ? Number.NaN : value)),
  };
}

/** By label, the sides on which a cell of the segment borders a cell with data in the ring: north 1, west 2, east 4, south 8. */
function openSides({ width, height, values }: EdgeImage, { labels, markers }: Segmentation): Uint8Array {
  const open = new Uint8Array(markers.length + 1);
  const look = (ring: number, within: number, side: number) => {
    if (!Number.isNaN(values[ring]) && labels[within] > 0) open[labels[within]] |= side;
  };
  const last = (height - 1) * width;
  for (let column = 1; column < width - 1; column++) {
    look(column, column + width, 1);
    look(last + column, last + column - width, 8);
  }
  for (let row = 1; row < height - 1; row++) {
    look(row * width, row * width + 1, 2);
    look(row * width + width - 1, row * width + width - 2, 4);
  }
  return open;
}

function describe({ width, labels, markers }: Segmentation, label: number, open: Uint8Array): SegmentInWindow {
  const cells = [...labels.keys()].filter((cell) => labels[cell] === label);
  const columns = cells.map((cell) => cell % width);
  const rows = cells.map((cell) => Math.floor(cell / width));
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  const size = { width: Math.max(...columns) - left + 1, height: Math.max(...rows) - top + 1 };
  const mask = new Uint8Array(size.width * size.height);
  let beside = 0;
  for (const [i, cell] of cells.entries()) {
    mask[(rows[i] - top) * size.width + columns[i] - left] = 1;
    // The ring has no labels, so every cell of a segment has four neighbours.
    for (const neighbour of [cell - width, cell - 1, cell + 1, cell + width]) beside |= open[labels[neighbour]];
  }
  const marker = markers[label - 1];
  const sides = open[label] | beside;
  return {
    column: left,
    row: top,
    ...size,
    mask,
    area: cells.length,
    marker: [marker % width, Math.floor(marker / width)],
    truncated: open[label] !== 0,
    proven: sides === 0,
    open: { north: (sides & 1) > 0, west: (sides & 2) > 0, east: (sides & 4) > 0, south: (sides & 8) > 0 },
  };
}
