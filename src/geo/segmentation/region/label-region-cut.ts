import type { CellArea } from '../cell-area.ts';
import { FOREST_FROM } from '../forest-gate.ts';
import { type EdgeWindow, maskRing, openSegments, provesMarker } from './label-region-proof.ts';
import { type Segmentation, segmentEdges } from '../segment-edges.ts';

/** What a cell of a label store can be. */
export const CELL_STATUS = { outside: 0, nodata: 1, background: 2, forest: 3, unresolved: 4 } as const;

/** Edge strengths around a block of cells, and the probability of forest of each cell. */
export interface CutWindow extends EdgeWindow {
  /** That of the window's cell is at `start + row * stride + column`. */
  readonly probabilities: { readonly values: Float64Array; readonly start: number; readonly stride: number };
}

interface CutOptions {
  readonly depth: number;
  readonly sides: readonly number[];
  /** The number of a segment from the column and row of its marker in the window. */
  readonly labelOf: (column: number, row: number) => number;
}

/** Where a block's labels and states go: at `start + row * stride + column`. */
interface BlockOutput {
  readonly labels: Uint32Array;
  readonly status: Uint8Array;
  readonly start: number;
  readonly stride: number;
}

/**
 * Cuts a window and writes what the cells of its block are; `block` is in cells of the window. Returns how many resolved
 * segments have their marker in the block.
 */
export function cutBlock(window: CutWindow, block: CellArea, options: CutOptions, out: BlockOutput): number {
  const inner = window.values.slice();
  maskRing(inner, window.width, window.height);
  const cut = segmentEdges({ width: window.width, height: window.height, values: inner }, options.depth);
  const tally = tallySegments(window, cut, block);
  const { states, numbers, segments } = decide(window, cut, tally, block, options);
  for (let row = 0; row < block.height; row++) {
    let from = (block.row + row) * window.width + block.column;
    const begin = out.start + row * out.stride;
    for (let to = begin, end = begin + block.width; to < end; to++, from++) {
      const label = cut.labels[from];
      out.status[to] = states[label];
      out.labels[to] = numbers[label];
    }
  }
  return segments;
}

/** Sums over each segment, by label. */
interface Tally {
  readonly area: Uint32Array;
  /** Cells in the block. */
  readonly inBlock: Uint32Array;
  /** Added up in raster order, as `meanProbability` does: the same sum to the last bit. */
  readonly probability: Float64Array;
  /** 1 when the segment or one next to it is open. */
  readonly doubtful: Uint8Array;
}

function tallySegments(window: CutWindow, cut: Segmentation, block: CellArea): Tally {
  const { labels, width, height, markers } = cut;
  const { values, start, stride } = window.probabilities;
  const area = new Uint32Array(markers.length + 1);
  const inBlock = new Uint32Array(markers.length + 1);
  const probability = new Float64Array(markers.length + 1);
  const open = openSegments(window, cut);
  const doubtful = open.slice();
  for (let row = 1; row < height - 1; row++) {
    let from = start + row * stride + 1;
    for (let cell = row * width + 1, end = cell + width - 2; cell < end; cell++, from++) {
      const label = labels[cell];
      area[label]++;
      probability[label] += values[from];
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
  for (let row = block.row; row < block.row + block.height; row++) {
    const first = row * width + block.column;
    for (let cell = first; cell < first + block.width; cell++) inBlock[labels[cell]]++;
  }
  return { area, inBlock, probability, doubtful };
}

/**
 * State and number of each label. A segment that lies in the block alone is no other block's concern: the proof within
 * this window is enough. One that goes on in another block must be decided alike there, so that counts which both can see.
 */
function decide(window: CutWindow, cut: Segmentation, tally: Tally, block: CellArea, options: CutOptions) {
  const states = new Uint8Array(cut.markers.length + 1);
  const numbers = new Uint32Array(cut.markers.length + 1);
  states[0] = CELL_STATUS.nodata;
  let segments = 0;
  for (let label = 1; label < states.length; label++) {
    if (tally.inBlock[label] === 0) continue;
    const marker = cut.markers[label - 1];
    const column = marker % cut.width;
    const row = (marker - column) / cut.width;
    const isWithin = tally.inBlock[label] === tally.area[label];
    const isProven =
      (isWithin && tally.doubtful[label] === 0) || provesMarker(window, column, row, options.depth, options.sides);
    if (!isProven) {
      states[label] = CELL_STATUS.unresolved;
      continue;
    }
    const isForest = tally.probability[label] / tally.area[label] >= FOREST_FROM;
    states[label] = isForest ? CELL_STATUS.forest : CELL_STATUS.background;
    numbers[label] = options.labelOf(column, row);
    if (isInside(column, row, block)) segments++;
  }
  return { states, numbers, segments };
}

function isInside(column: number, row: number, block: CellArea): boolean {
  return (
    column >= block.column && row >= block.row && column < block.column + block.width && row < block.row + block.height
  );
}
