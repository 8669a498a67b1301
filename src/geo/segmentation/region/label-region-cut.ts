import { type CellArea, growArea } from '../cell-area.ts';
import { FOREST_FROM } from '../forest-gate.ts';
import { closedSegments, type ClosedSegments } from './closed-segments.ts';
import { type Segmentation, segmentEdges } from '../segment-edges.ts';
import {
  cutOut,
  type EdgeWindow,
  isHeld,
  type MarkerProofs,
  maskRing,
  openSegments,
  provingSide,
  SIDE,
} from './label-region-proof.ts';

/** What a cell of a label store can be. */
export const CELL_STATUS = { outside: 0, nodata: 1, background: 2, forest: 3, unresolved: 4 } as const;

/** From here on: of a cell at work whose segment no part has proven, and the sides on which that part was too small. */
const PENDING = 240;

/** Edge strengths around a block of cells, and the probability of forest of each cell. */
export interface CutWindow extends EdgeWindow {
  /** Laid out as `values`. */
  readonly probabilities: Float64Array;
}

/** How a block is divided for its cuts; which way changes none of its labels. */
export interface CutParts {
  /** Cells a side of the parts that are cut first. */
  readonly side: number;
  /** How many cells around a part are cut with it; then, growing, around those of its cells that are not sure. */
  readonly margins: readonly number[];
}

interface CutOptions {
  readonly depth: number;
  readonly sides: readonly number[];
  readonly parts: CutParts;
  /** The number of a segment from the column and row of its marker in the window. */
  readonly labelOf: (column: number, row: number) => number;
  /** What is known of markers of the raster by their numbers; is added to. */
  readonly proofs: MarkerProofs;
}

/** Where a block's labels and states go: at `start + row * stride + column`. */
interface BlockOutput {
  readonly labels: Uint32Array;
  readonly status: Uint8Array;
  readonly start: number;
  readonly stride: number;
}

/** A block of cells of a window, at work. */
interface Work {
  readonly window: CutWindow;
  readonly block: CellArea;
  readonly options: CutOptions;
  readonly out: BlockOutput;
}

/**
 * Cuts a window and writes what the cells of its block are; `block` is in cells of the window. Returns how many resolved
 * segments have their marker in the block.
 *
 * What is written is what one cut of the whole window gives, but most of it comes from cuts of small parts, whose arrays
 * fit in the processor's cache: a segment that such a cut proves is the same in the whole window. The others, long ones at
 * the edges of parts and those next to them, are cut again with more around them, and what is left in the end with the
 * whole window.
 */
export async function cutBlock(
  window: CutWindow,
  block: CellArea,
  options: CutOptions,
  out: BlockOutput,
): Promise<number> {
  const work: Work = { window, block, options, out };
  const { side, margins } = options.parts;
  const whole = { column: 0, row: 0, width: window.width, height: window.height };
  // Where segments are large, cuts that prove nothing shall not take longer than that of the whole window.
  let left = window.width * window.height;
  let segments = 0;
  let isDone = true;
  for (const part of partsOf(block, side)) {
    segments += cutPart(work, part, growArea(part, margins[0], whole), 'first');
    for (const square of partsOf(part, SQUARE)) {
      let pending = pendingIn(work, square);
      const steps = { west: 0, north: 0, east: 0, south: 0 };
      while (pending !== null && stepUp(steps, pending.open, margins.length - 1)) {
        const area = growSides(pending, steps, margins, whole);
        if ((left -= area.width * area.height) < 0) break;
        segments += cutPart(work, growArea(part, 0, area), area, 'again');
        pending = pendingIn(work, square);
      }
      isDone &&= pending === null;
    }
    // A part takes a tenth of a second: what else runs in this thread has its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return isDone ? segments : segments + cutPart(work, block, whole, 'last');
}

/** Cells a side of the squares in which those of a part that are not sure are looked for. */
const SQUARE = 128;

function* partsOf({ column: west, row: north, width, height }: CellArea, side: number): Iterable<CellArea> {
  for (let row = north; row < north + height; row += side) {
    for (let column = west; column < west + width; column += side) {
      yield { column, row, width: Math.min(side, west + width - column), height: Math.min(side, north + height - row) };
    }
  }
}

/** Cells that are PENDING, and the sides on which more must be cut with them. */
interface PendingCells extends CellArea {
  readonly open: number;
}

/** The rectangle of the cells of a square that are PENDING; null when none is. */
function pendingIn({ block, out }: Work, square: CellArea): PendingCells | null {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  let open = 0;
  for (let row = square.row; row < square.row + square.height; row++) {
    const first = out.start + (row - block.row) * out.stride + square.column - block.column;
    for (let i = 0; i < square.width; i++) {
      if (out.status[first + i] < PENDING) continue;
      open |= out.status[first + i] - PENDING;
      west = Math.min(west, square.column + i);
      east = Math.max(east, square.column + i + 1);
      north = Math.min(north, row);
      south = row + 1;
    }
  }
  return west === Infinity ? null : { column: west, row: north, width: east - west, height: south - north, open };
}

/** Goes to the next margin on the open sides; whether there was one on any of them. */
function stepUp(steps: Record<keyof typeof SIDE, number>, open: number, last: number): boolean {
  let isUp = false;
  for (const side of ['west', 'north', 'east', 'south'] as const) {
    if (!(open & SIDE[side]) || steps[side] >= last) continue;
    steps[side]++;
    isUp = true;
  }
  return isUp;
}

/** An area with the margin of its step on each side, as far as `whole` goes. */
function growSides(
  area: CellArea,
  steps: Record<keyof typeof SIDE, number>,
  margins: readonly number[],
  whole: CellArea,
): CellArea {
  const [west, north] = [margins[steps.west], margins[steps.north]];
  const width = area.width + west + margins[steps.east];
  const height = area.height + north + margins[steps.south];
  return growArea({ column: area.column - west, row: area.row - north, width, height }, 0, whole);
}

/**
 * Cuts an area of the window and writes what the cells of `part` are, PENDING where that is not sure; but the `last` time,
 * with the whole window, all is decided. All but the `first` time only cells that are PENDING are written. Returns how many
 * resolved segments have their marker among the written cells.
 */
function cutPart(work: Work, part: CellArea, area: CellArea, time: 'first' | 'again' | 'last'): number {
  const { window, block, options, out } = work;
  const image = cutOut(window, area);
  const inner = image.values.slice();
  maskRing(inner, area.width, area.height);
  const cut = segmentEdges({ ...image, values: inner }, options.depth);
  const tally = tallySegments(window, area, cut, openSegments(image, cut));
  const inBlock = countIn(cut, area, growArea(block, 0, area));
  const inPart = countIn(cut, area, part);
  const at = (column: number, row: number): number =>
    out.start + (row - block.row) * out.stride + column - block.column;
  const states = new Uint8Array(cut.markers.length + 1);
  const numbers = new Uint32Array(cut.markers.length + 1);
  states[0] = CELL_STATUS.nodata;
  let closed: ClosedSegments | null = null;
  let segments = 0;
  for (let label = 1; label < states.length; label++) {
    if (inPart[label] === 0) continue;
    const isSure = tally.doubtful[label] === 0;
    if (!isSure && time !== 'last') {
      states[label] = PENDING + tally.doubtful[label];
      continue;
    }
    const marker = cut.markers[label - 1];
    const column = area.column + (marker % area.width);
    const row = area.row + Math.floor(marker / area.width);
    // A segment that lies in the block alone is no other block's concern: the proof within this window is enough. One that
    // goes on in another block must be decided alike there, so that counts which both can see.
    const isWithin = isSure && inBlock[label] === tally.area[label];
    const number = options.labelOf(column, row);
    if (!isWithin) {
      closed ??= closedSegments(cut);
      const found = { cut, area, label, isSure, closed };
      if (!isCanonical(work, column, row, number, found)) {
        states[label] = CELL_STATUS.unresolved;
        continue;
      }
    }
    states[label] = stateOf(tally.probability[label], tally.area[label]);
    numbers[label] = number;
    if (isInside(column, row, part) && (time === 'first' || out.status[at(column, row)] >= PENDING)) segments++;
  }
  for (let row = part.row; row < part.row + part.height; row++) {
    const from = (row - area.row) * area.width + part.column - area.column;
    const begin = at(part.column, row);
    for (let i = 0; i < part.width; i++) {
      if (time !== 'first' && out.status[begin + i] < PENDING) continue;
      const label = cut.labels[from + i];
      // In the ring of an area that ends within the part; cells without data are not PENDING.
      if (label === 0 && time !== 'first') continue;
      out.status[begin + i] = states[label];
      out.labels[begin + i] = numbers[label];
    }
  }
  return segments;
}

/** A segment that a cut of an area found. */
interface FoundLabel {
  readonly cut: Segmentation;
  readonly area: CellArea;
  readonly label: number;
  /** Whether it is the same in the whole window. */
  readonly isSure: boolean;
  readonly closed: ClosedSegments;
}

/**
 * Whether one of the windows around the marker of a segment proves it: from what is known of the marker, or by what lies around it
 * in the cut, or by cutting windows; but of a segment that is sure, not those that do not hold it.
 */
function isCanonical(
  { window, options }: Work,
  column: number,
  row: number,
  number: number,
  found: FoundLabel,
): boolean {
  const { depth, sides, proofs } = options;
  const known = proofs.get(number);
  if (known !== undefined) return known > 0 && isHeld(window, column, row, known);
  const fits = (side: number): boolean => !found.isSure || !reachesRing(found, column, row, side);
  const side = found.closed.provingSide(found.label, sides) ?? provingSide(window, column, row, depth, sides, fits);
  if (side === null) return false;
  proofs.set(number, side);
  return side > 0;
}

/** Whether a segment has a cell in the outermost ring of the window of a side around a place; no where the cut ends before it. */
function reachesRing({ cut, area, label }: FoundLabel, column: number, row: number, side: number): boolean {
  const left = column - side / 2 - 1 - area.column;
  const top = row - side / 2 - 1 - area.row;
  const last = side + 1;
  if (left < 0 || top < 0 || left + last >= area.width || top + last >= area.height) return false;
  const { labels, width } = cut;
  const north = top * width + left;
  const south = north + last * width;
  for (let i = 0; i <= last; i++) {
    if (labels[north + i] === label || labels[south + i] === label) return true;
    if (labels[north + i * width] === label || labels[north + i * width + last] === label) return true;
  }
  return false;
}

/** Sums over each segment, by label. */
interface Tally {
  readonly area: Uint32Array;
  /** Added up in raster order, as `meanProbability` does: the same sum to the last bit. */
  readonly probability: Float64Array;
  /** The sides on which the segment or one next to it is open. */
  readonly doubtful: Uint8Array;
}

function tallySegments(window: CutWindow, area: CellArea, cut: Segmentation, open: Uint8Array): Tally {
  const { labels, width, height, markers } = cut;
  const cells = new Uint32Array(markers.length + 1);
  const probability = new Float64Array(markers.length + 1);
  const doubtful = open.slice();
  for (let row = 1; row < height - 1; row++) {
    let from = window.start + (area.row + row) * window.stride + area.column + 1;
    for (let cell = row * width + 1, end = cell + width - 2; cell < end; cell++, from++) {
      const label = labels[cell];
      cells[label]++;
      probability[label] += window.probabilities[from];
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
  return { area: cells, probability, doubtful };
}

/** Cells of each segment of an area in a part of it, by label. */
function countIn({ labels, markers }: Segmentation, area: CellArea, part: CellArea): Uint32Array {
  const counts = new Uint32Array(markers.length + 1);
  for (let row = part.row; row < part.row + part.height; row++) {
    const first = (row - area.row) * area.width + part.column - area.column;
    for (let cell = first; cell < first + part.width; cell++) counts[labels[cell]]++;
  }
  return counts;
}

function stateOf(probability: number, area: number): number {
  return probability / area >= FOREST_FROM ? CELL_STATUS.forest : CELL_STATUS.background;
}

function isInside(column: number, row: number, area: CellArea): boolean {
  return column >= area.column && row >= area.row && column < area.column + area.width && row < area.row + area.height;
}
