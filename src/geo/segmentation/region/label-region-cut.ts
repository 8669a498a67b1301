import { type CellArea, growArea } from '../cell-area.ts';
import { FOREST_FROM } from '../forest-gate.ts';
import { NEAR } from '../kernels/edge-kernel.ts';
import { closedSegments, type ClosedSegments } from './closed-segments.ts';
import { type AreaCut, cutArea, type CutWindow } from './cut-area.ts';
import { isHeld, type MarkerProofs, provingSide, SIDE } from './label-region-proof.ts';

/** What a cell of a label store can be. */
export const CELL_STATUS = { outside: 0, nodata: 1, background: 2, forest: 3, unresolved: 4 } as const;

/** From here on: of a cell at work whose segment no part has proven, and the sides on which that part was too small. */
const PENDING = 240;

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
  /** The true mean probability of forest over the cells of a segment, which are in cells of the window. */
  readonly meanOf: (segment: MaskedArea) => Promise<number>;
}

/** The cells of a segment: 1 in `mask`, as many as `area` says. */
export interface MaskedArea extends CellArea {
  readonly mask: Uint8Array;
  readonly area: number;
}

/** A segment whose mean is so close to the threshold that its true one must be known. */
interface CloseCall extends MaskedArea {
  readonly number: number;
  /** What has been written of it. */
  readonly state: number;
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
  readonly closeCalls: CloseCall[];
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
  const work: Work = { window, block, options, out, closeCalls: [] };
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
  if (!isDone) segments += cutPart(work, block, whole, 'last');
  for (const call of work.closeCalls) await settle(work, call);
  return segments;
}

/** Writes the true state of a segment where it is another one. */
async function settle({ block, options, out }: Work, call: CloseCall): Promise<void> {
  const state = (await options.meanOf(call)) >= FOREST_FROM ? CELL_STATUS.forest : CELL_STATUS.background;
  if (state === call.state) return;
  const cells = growArea(call, 0, block);
  for (let row = cells.row; row < cells.row + cells.height; row++) {
    const first = out.start + (row - block.row) * out.stride + cells.column - block.column;
    for (let at = first; at < first + cells.width; at++) if (out.labels[at] === call.number) out.status[at] = state;
  }
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
  const { window, block, options } = work;
  const inBlock = growArea(block, 0, area);
  return cutArea(window, area, inBlock, part, options.depth, (cut) => writePart(work, part, area, cut, time));
}

function writePart(work: Work, part: CellArea, area: CellArea, cut: AreaCut, time: 'first' | 'again' | 'last'): number {
  const { block, options, out } = work;
  const at = (column: number, row: number): number =>
    out.start + (row - block.row) * out.stride + column - block.column;
  const states = new Uint8Array(cut.count + 1);
  const numbers = new Uint32Array(cut.count + 1);
  states[0] = CELL_STATUS.nodata;
  let closed: ClosedSegments | null = null;
  let segments = 0;
  for (let label = 1; label < states.length; label++) {
    const [inBlock, inPart] = [cut.inside[2 * label], cut.inside[2 * label + 1]];
    if (inPart === 0) continue;
    const isSure = cut.doubtful[label] === 0;
    if (!isSure && time !== 'last') {
      states[label] = PENDING + cut.doubtful[label];
      continue;
    }
    const marker = cut.marker(label);
    const column = area.column + marker[0];
    const row = area.row + marker[1];
    // A segment that lies in the block alone is no other block's concern: the proof within this window is enough. One that
    // goes on in another block must be decided alike there, so that counts which both can see.
    const isWithin = isSure && inBlock === cut.cells[label];
    const number = options.labelOf(column, row);
    if (!isWithin) {
      closed ??= closedSegments(cut);
      if (!isCanonical(work, column, row, number, { cut, marker, label, isSure, closed })) {
        states[label] = CELL_STATUS.unresolved;
        continue;
      }
    }
    const mean = cut.probability[label] / cut.cells[label];
    states[label] = mean >= FOREST_FROM ? CELL_STATUS.forest : CELL_STATUS.background;
    numbers[label] = number;
    if (Math.abs(mean - FOREST_FROM) < 2 * NEAR)
      work.closeCalls.push({ ...maskOf(cut, label, area), number, state: states[label] });
    if (isInside(column, row, part) && (time === 'first' || out.status[at(column, row)] >= PENDING)) segments++;
  }
  cut.paint(numbers, states, (row, numbersOfRow, statesOfRow) => {
    const begin = at(part.column, row);
    if (time === 'first') {
      out.status.set(statesOfRow, begin);
      out.labels.set(numbersOfRow, begin);
      return;
    }
    for (let i = 0; i < part.width; i++) {
      // Without a segment: in the ring of an area that ends within the part; cells without data are not PENDING.
      if (out.status[begin + i] < PENDING || statesOfRow[i] === CELL_STATUS.nodata) continue;
      out.status[begin + i] = statesOfRow[i];
      out.labels[begin + i] = numbersOfRow[i];
    }
  });
  return segments;
}

/** A segment that a cut of an area found. */
interface FoundLabel {
  readonly cut: AreaCut;
  /** Column and row of its lowest cell in the area. */
  readonly marker: readonly [column: number, row: number];
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
  const fits = (side: number): boolean => !found.isSure || !reachesRing(found, side);
  const side =
    found.closed.provingSide(found.label, found.marker, sides) ?? provingSide(window, column, row, depth, sides, fits);
  if (side === null) return false;
  proofs.set(number, side);
  return side > 0;
}

/** Whether a segment has a cell in the outermost ring of the window of a side around its marker; no where the cut ends before it. */
function reachesRing({ cut, label, marker }: FoundLabel, side: number): boolean {
  const { labels, start, stride, width, height } = cut;
  const left = marker[0] - side / 2 - 1;
  const top = marker[1] - side / 2 - 1;
  const last = side + 1;
  if (left < 0 || top < 0 || left + last >= width || top + last >= height) return false;
  const north = start + top * stride + left;
  const south = north + last * stride;
  for (let i = 0; i <= last; i++) {
    if (labels[north + i] === label || labels[south + i] === label) return true;
    if (labels[north + i * stride] === label || labels[north + i * stride + last] === label) return true;
  }
  return false;
}

/** The cells of a segment, in the window that the area is in. */
function maskOf(cut: AreaCut, label: number, area: CellArea): MaskedArea {
  const { labels, start, stride, width, height } = cut;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      if (labels[start + row * stride + column] !== label) continue;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = row;
    }
  }
  const box = { column: area.column + left, row: area.row + top, width: right - left + 1, height: bottom - top + 1 };
  const mask = new Uint8Array(box.width * box.height);
  for (let i = 0; i < mask.length; i++) {
    const [column, row] = [left + (i % box.width), top + Math.floor(i / box.width)];
    if (labels[start + row * stride + column] === label) mask[i] = 1;
  }
  return { ...box, mask, area: cut.cells[label] };
}

function isInside(column: number, row: number, area: CellArea): boolean {
  return column >= area.column && row >= area.row && column < area.column + area.width && row < area.row + area.height;
}
