import { growArea, type CellArea } from '../cell-area.ts';
import type { CodeSource } from '../code-window.ts';
import { readEdgeArea, type EdgeArea } from '../edge-area.ts';
import { DEFAULT_DEPTH } from '../find-segment.ts';
import { segmentEdges, type Segmentation } from '../segment-edges.ts';
import { maskRing, openSegments } from './label-region-proof.ts';

/** The segments that some cells of a source belong to. */
interface SegmentedCells {
  /** `labels[row * area.width + column]`: number of the cell's segment from 1 on; 0 for a cell that is not wanted, or has no data. */
  readonly labels: Int32Array;
  /** Column and row on the source's lattice of each segment's lowest cell, by number - 1: the same for every window. */
  readonly markers: readonly (readonly [column: number, row: number])[];
  /** 1, by number - 1, for a segment that may be another one in a larger window. */
  readonly unproven: Uint8Array;
}

interface SegmentCellsOptions {
  /** As in `findSegment`. Default `DEFAULT_DEPTH`. */
  readonly depth?: number;
  /** Cells read around the area, growing; the last is the cap. Default `DEFAULT_MARGINS`. */
  readonly margins?: readonly number[];
  readonly signal?: AbortSignal;
}

/** Cells of 20 m: 0.6 km to 5 km around the area. */
const DEFAULT_MARGINS: readonly number[] = [32, 48, 72, 108, 160, 256];

/**
 * Cuts the segments of an area of cells, those of `findSegment`: what is read around the area grows until each segment with a
 * wanted cell is proven to be the same in every larger window (`segmentInWindow` says how). So the answer does not depend on what was
 * read, except for segments that are not proven at the cap. Segments are numbered by their markers, row after row.
 * @param wanted `wanted[row * area.width + column]`: 1 for the cells whose segments are of interest.
 * @throws what the source throws, and the signal's reason.
 */
export async function segmentCells(
  source: CodeSource,
  area: CellArea,
  wanted: Uint8Array,
  options: SegmentCellsOptions = {},
): Promise<SegmentedCells> {
  const { depth = DEFAULT_DEPTH, margins = DEFAULT_MARGINS, signal } = options;
  let known: EdgeArea | null = null;
  for (const [i, margin] of margins.entries()) {
    signal?.throwIfAborted();
    known = await readEdgeArea(source, growArea(area, margin + RING, EVERYWHERE), known, signal);
    const cut = cutInner(known, depth);
    const doubtful = doubtfulSegments(known, cut);
    const found = pick(known, cut, doubtful, area, wanted);
    if (i === margins.length - 1 || !found.unproven.includes(1)) return found;
  }
  throw new RangeError('wanted at least one margin');
}

/** Cells around those that are segmented, as their neighbours. */
const RING = 1;
const EVERYWHERE: CellArea = { column: -(2 ** 30), row: -(2 ** 30), width: 2 ** 31, height: 2 ** 31 };

function cutInner({ values, width, height }: EdgeArea, depth: number): Segmentation {
  const inner = values.slice();
  maskRing(inner, width, height);
  return segmentEdges({ width, height, values: inner }, depth);
}

/** Not 0 at the labels of segments that are open, or next to one that is. */
function doubtfulSegments(edges: EdgeArea, cut: Segmentation): Uint8Array {
  const { labels, width, height } = cut;
  const open = openSegments(edges, cut);
  const doubtful = open.slice();
  for (let row = 1; row < height - 1; row++) {
    for (let cell = row * width + 1, end = cell + width - 2; cell < end; cell++) {
      const label = labels[cell];
      const right = labels[cell + 1];
      const below = labels[cell + width];
      if (right !== label) {
        doubtful[label] |= open[right];
        doubtful[right] |= open[label];
      }
      if (below !== label) {
        doubtful[label] |= open[below];
        doubtful[below] |= open[label];
      }
    }
  }
  doubtful[0] = 0;
  return doubtful;
}

function pick(
  edges: EdgeArea,
  cut: Segmentation,
  doubtful: Uint8Array,
  area: CellArea,
  wanted: Uint8Array,
): SegmentedCells {
  const labels = new Int32Array(area.width * area.height);
  const seen = new Uint8Array(cut.markers.length + 1);
  const from = (area.row - edges.row) * cut.width + area.column - edges.column;
  for (let row = 0, cell = 0; row < area.height; row++)
    for (let column = 0; column < area.width; column++, cell++) {
      if (wanted[cell] !== 1) continue;
      labels[cell] = cut.labels[from + row * cut.width + column];
      seen[labels[cell]] = 1;
    }
  const used = [...cut.markers.keys()].filter((label) => seen[label + 1] === 1);
  // Places in one window are in the same order as those on the lattice.
  used.sort((a, b) => cut.markers[a] - cut.markers[b]);
  const numbers = new Int32Array(cut.markers.length + 1);
  used.forEach((label, i) => (numbers[label + 1] = i + 1));
  for (let cell = 0; cell < labels.length; cell++) labels[cell] = numbers[labels[cell]];
  return {
    labels,
    markers: used.map((label) => {
      const marker = cut.markers[label];
      return [edges.column + (marker % cut.width), edges.row + Math.floor(marker / cut.width)] as const;
    }),
    unproven: Uint8Array.from(used, (label) => (doubtful[label + 1] === 0 ? 0 : 1)),
  };
}
