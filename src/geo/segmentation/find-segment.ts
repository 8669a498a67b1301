import type { CellArea } from './cell-area.ts';
import type { CodeSource, CodeWindow } from './code-window.ts';
import { type EdgeArea, readEdgeArea } from './edge-area.ts';
import { segmentInEdges, type SegmentInWindow, type Sides } from './segment-in-window.ts';

/** A segment with codes that hold it. */
export interface FoundSegment extends CutSegment {
  /** Codes that hold all of the segment, and the lattice cell of their first pixel. */
  readonly codes: { readonly window: CodeWindow; readonly column: number; readonly row: number };
}

/** A segment on its source's lattice of cells. Cell (c, r) covers the pixels from (2c + phase.x, 2r + phase.y). */
export interface CutSegment {
  /** Column and row of the mask's first cell on the lattice. */
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
  /** `mask[row * width + column]`: 1 for a cell of the segment, else 0. */
  readonly mask: Uint8Array;
  /** Number of cells. */
  readonly area: number;
  /** Lowest cell on the lattice: the same for every point of the segment, and no other segment's. */
  readonly marker: readonly [column: number, row: number];
  /** The largest window cut the segment off, or may have; its shape then depends on where the window lay. */
  readonly truncated: boolean;
  /** Proven to be the same whatever window is read. Only a segment found in the largest window can lack it. */
  readonly proven: boolean;
  /** The window it was cut from, its outermost ring included. */
  readonly within: CellArea;
}

/** How `findSegment` looks. */
interface FindSegmentOptions {
  /** How much higher than its lowest cell a segment's rim is, in 1 - cosine. Default 0.005: 20 segments a km2. */
  readonly depth?: number;
  /**
   * Sides of the windows tried, in cells (of 2 pixels), growing; half of one is how far a window reaches from the point
   * to each side. The last is the cap. Default `DEFAULT_SIDES`.
   */
  readonly sides?: readonly number[];
  readonly signal?: AbortSignal;
}

/** A shallow enough rim to separate stands; measured on real AEF: 20 segments a km2, median 2.4 ha. */
export const DEFAULT_DEPTH = 0.005;

/** 1.3 km to 10 km at 10 m pixels. */
export const DEFAULT_SIDES: readonly number[] = [64, 96, 144, 216, 320, 512];

/**
 * The segment that holds the pixel (`x`, `y`) of a source; `null` when that place has no data. The window around the
 * pixel grows until the segment is proven exact (`segmentInWindow` says how), and only to the sides on which the proof
 * is wanting; what is known of its edge strengths is kept. A segment that is not proven when those sides have reached
 * the cap is the one that the largest window, a square, shows.
 * @throws what the source throws, and the signal's reason between windows; RangeError for `sides` that do not grow.
 */
export async function findSegment(
  source: CodeSource,
  x: number,
  y: number,
  options: FindSegmentOptions = {},
): Promise<FoundSegment | null> {
  const found = await cutSegment(source, x, y, options);
  return found && { ...found, codes: await readCodes(source, found, options.signal) };
}

/** `findSegment` without the codes of the segment. */
export async function cutSegment(
  source: CodeSource,
  x: number,
  y: number,
  options: FindSegmentOptions = {},
): Promise<CutSegment | null> {
  const { depth = DEFAULT_DEPTH, sides = DEFAULT_SIDES, signal } = options;
  assertGrowing(sides);
  const column = Math.floor((x - source.phase.x) / 2);
  const row = Math.floor((y - source.phase.y) / 2);
  let steps: Sides<number> | null = { west: 0, north: 0, east: 0, south: 0 };
  let edges: EdgeArea | null = null;
  let segment: SegmentInWindow | null = null;
  while (steps !== null) {
    signal?.throwIfAborted();
    edges = await readEdgeArea(source, areaAround(column, row, steps, sides), edges, signal);
    segment = segmentInEdges(edges, column - edges.column, row - edges.row, depth);
    if (segment === null) return null;
    steps = segment.proven ? null : nextSteps(steps, segment.open, sides.length - 1);
  }
  return segment && edges && onLattice(segment, edges);
}

/**
 * Whether `findSegment` finds the same segment from a cell, with the same depth and sides: the segment holds the cell and
 * is proven, and the largest window around the cell holds the one that proved it.
 */
export function isFoundFrom(
  found: CutSegment,
  column: number,
  row: number,
  sides: readonly number[] = DEFAULT_SIDES,
): boolean {
  const { within, width, height, mask } = found;
  const [x, y] = [column - found.column, row - found.row];
  if (!found.proven || x < 0 || y < 0 || x >= width || y >= height || mask[y * width + x] === 0) return false;
  const last = sides.length - 1;
  const largest = areaAround(column, row, { west: last, north: last, east: last, south: last }, sides);
  return (
    within.column >= largest.column &&
    within.row >= largest.row &&
    within.column + within.width <= largest.column + largest.width &&
    within.row + within.height <= largest.row + largest.height
  );
}

function assertGrowing(sides: readonly number[]): void {
  if (sides.length > 0 && sides.every((side, i) => Number.isInteger(side) && side > (sides[i - 1] ?? 0))) return;
  throw new RangeError(`wanted sides of windows in whole cells, growing; got ${sides.join(', ') || 'none'}`);
}

/** Cells around those that are segmented, as their neighbours. */
const RING = 1;

/** The window that reaches as far to each side as its step on the ladder of `sides` says. */
function areaAround(column: number, row: number, steps: Sides<number>, sides: readonly number[]): CellArea {
  const before = (step: number) => (sides[step] >> 1) + RING;
  // A window of an even side has its middle right of and below its centre.
  const from = (step: number) => sides[step] - (sides[step] >> 1) + RING;
  return {
    column: column - before(steps.west),
    row: row - before(steps.north),
    width: before(steps.west) + from(steps.east),
    height: before(steps.north) + from(steps.south),
  };
}

/** One step up on the open sides; when they are all at the last, up to that everywhere; null when that has been tried. */
function nextSteps(steps: Sides<number>, open: Sides<boolean>, last: number): Sides<number> | null {
  const up = (side: keyof Sides<number>) => Math.min(last, steps[side] + (open[side] ? 1 : 0));
  const next = { west: up('west'), north: up('north'), east: up('east'), south: up('south') };
  if (SIDES.some((side) => next[side] > steps[side])) return next;
  if (SIDES.every((side) => steps[side] === last)) return null;
  return { west: last, north: last, east: last, south: last };
}

const SIDES = ['west', 'north', 'east', 'south'] as const;

/** Codes of the smallest rectangle that holds a segment. */
export async function readCodes(
  { phase, window }: CodeSource,
  { column, row, width, height }: CellArea,
  signal: AbortSignal | undefined,
): Promise<FoundSegment['codes']> {
  const codes = await window(2 * column + phase.x, 2 * row + phase.y, 2 * width, 2 * height, signal);
  return { window: codes, column, row };
}

function onLattice(segment: SegmentInWindow, edges: CellArea): CutSegment {
  const { width, height, mask, area, truncated, proven } = segment;
  const column = segment.column + edges.column;
  const row = segment.row + edges.row;
  return {
    column,
    row,
    width,
    height,
    mask,
    area,
    marker: [segment.marker[0] + edges.column, segment.marker[1] + edges.row],
    truncated,
    proven,
    within: { column: edges.column, row: edges.row, width: edges.width, height: edges.height },
  };
}

/** Names what decides the cells of a segment; part of its id and of a label store. A change of the cut changes the number. */
export const ALGORITHM = `aef-watershed/1 depth=${DEFAULT_DEPTH}`;
