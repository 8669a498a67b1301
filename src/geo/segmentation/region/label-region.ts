import { type CellArea, growArea } from '../cell-area.ts';
import type { CodeSource } from '../code-window.ts';
import { DEFAULT_DEPTH, readCodes } from '../find-segment.ts';
import { meanProbability } from '../forest-gate.ts';
import weights from '../forest-gate.json' with { type: 'json' };
import type { CutWindow } from './cut-area.ts';
import { CELL_STATUS, type CutParts, cutBlock, type MaskedArea } from './label-region-cut.ts';
import { readEdgeRows } from './label-region-edges.ts';
import { type MarkerProofs, PROOF_SIDES } from './label-region-proof.ts';

/** Every cell of an area, row by row. */
export interface LabelledRegion {
  readonly width: number;
  readonly height: number;
  /** The number of the cell's segment (`segmentNumber`); 0 where it has none or is not resolved. */
  readonly labels: Uint32Array;
  /** One of `CELL_STATUS`; never `outside`, of which a raster knows nothing. */
  readonly status: Uint8Array;
  /** Resolved segments whose marker lies in the area. */
  readonly segments: number;
}

export interface LabelRegionOptions {
  /** The cells of the source that can have data. */
  readonly bounds: CellArea;
  /** The cell of the source that is column 0, row 0 for the numbers of segments; not right of or below any marker. */
  readonly origin: { readonly column: number; readonly row: number };
  /** As in `findSegment`. */
  readonly depth?: number;
  /** Sides of the windows that prove a segment, in cells, even and growing. Default `PROOF_SIDES`. */
  readonly sides?: readonly number[];
  /** Side of the blocks that are decided at once, in cells. Default 2048. */
  readonly block?: number;
  /** Default 704 cells a side, 96 and more around. */
  readonly parts?: CutParts;
  readonly signal?: AbortSignal;
  /** Called with how many cells of the area are finished. */
  readonly onProgress?: (cells: number) => void;
}

/** Cells a side of a block. Where it must be cut as a whole, with its surroundings, that takes 36 bytes a cell. */
const BLOCK = 2048;

/** The cut of a part takes 32 MB, memory that the thread keeps for the next. */
const PARTS: CutParts = { side: 704, margins: [96, 160, 320] };

/**
 * Labels every cell of an area with the segment that `findSegment` finds for a point in it, proven, and passes each
 * segment through the forest gate. However a raster is divided into areas and blocks, a cell gets the same number:
 *
 * Call a segment canonical when one of the windows around its own marker proves it. That depends on the raster alone.
 * The surroundings of a block that are cut with it reach as far as the largest of those windows is wide, so for each
 * cell of a canonical segment they hold all of that window, and the cut of a window that holds one that proves a segment
 * has that segment (`segmentInWindow`). So every block finds every canonical segment it touches, whole, with the same
 * marker; and a segment found that is not the cell's own fails the test, because one of its windows would have to
 * prove it. Segments that reach beyond their block are kept when they are canonical. Those that do not are kept when
 * the cut proves them in any way; so of the segments whose surroundings are too large to be decided from their marker,
 * a larger block may resolve a few more.
 *
 * How a block is divided into parts changes nothing: `cutBlock` gives what one cut of the block with its surroundings gives.
 *
 * The codes stream through once; edge strengths and probabilities of a row of blocks are kept, 8 bytes a cell. Probabilities
 * are near ones: codes of a segment are read again where its mean is too close to the threshold for them.
 * @throws what the source throws.
 */
export async function labelRegion(
  source: CodeSource,
  area: CellArea,
  options: LabelRegionOptions,
): Promise<LabelledRegion> {
  const { depth = DEFAULT_DEPTH, sides = PROOF_SIDES, block = BLOCK, parts = PARTS, signal, onProgress } = options;
  const { width, height } = area;
  const labels = new Uint32Array(width * height);
  const status = new Uint8Array(width * height).fill(CELL_STATUS.nodata);
  const labelOf = numbering(options.origin);
  const proofs: MarkerProofs = new Map();
  let segments = 0;
  let finished = 0;
  for await (const { window, top, left, place } of windowsOf(source, area, { ...options, sides, block })) {
    const out = { labels, status, start: (place.row - area.row) * width + place.column - area.column, stride: width };
    const inWindow = { ...place, column: place.column - left, row: place.row - top };
    const number = (column: number, row: number) => labelOf(left + column, top + row);
    const meanOf = async (segment: MaskedArea): Promise<number> => {
      const cells = { ...segment, column: left + segment.column, row: top + segment.row };
      return meanProbability({ ...cells, codes: await readCodes(source, cells, signal) }, weights);
    };
    segments += await cutBlock(window, inWindow, { depth, sides, parts, labelOf: number, proofs, meanOf }, out);
    onProgress?.((finished += place.width * place.height));
    signal?.throwIfAborted();
  }
  return { width, height, labels, status, segments };
}

/** How a segment gets its number, for those who read it elsewhere. Counted are the cells of the array. */
export const SEGMENT_NUMBER_RULE = '(row % 65535) * 65536 + (column % 65536) + 1 of the lowest cell of the segment';

/** The number of a segment whose marker lies `column` right of and `row` below the origin: above 0, below 2^32. */
export function segmentNumber(column: number, row: number): number {
  return (row % 65_535) * 65_536 + (column % 65_536) + 1;
}

/**
 * How many segments have their marker in an area `width` cells wide whose first cell is `column` right of and `row` below the
 * origin: a marker is the cell that has its segment's number itself.
 */
export function countMarkers(labels: Uint32Array, width: number, column: number, row: number): number {
  let markers = 0;
  for (let start = 0, y = row; start < labels.length; start += width, y++) {
    let number = segmentNumber(column, y);
    for (let i = 0; i < width; i++) {
      if (labels[start + i] === number) markers++;
      // `segmentNumber` of the next cell.
      number += number % 65_536 === 0 ? -65_535 : 1;
    }
  }
  return markers;
}

function numbering(origin: LabelRegionOptions['origin']) {
  return (column: number, row: number): number => {
    const [x, y] = [column - origin.column, row - origin.row];
    if (x < 0 || y < 0) throw new RangeError(`wanted markers from the origin on, got column ${x}, row ${y}`);
    return segmentNumber(x, y);
  };
}

type Divided = LabelRegionOptions & Required<Pick<LabelRegionOptions, 'sides' | 'block'>>;

/** The blocks of an area with their surroundings, from the north and the west. */
async function* windowsOf(source: CodeSource, area: CellArea, { bounds, sides, block, signal }: Divided) {
  const reach = sides[sides.length - 1];
  // One more than the raster: where it ends, the ring of the window has no data.
  const known = growArea(bounds, 1, WITHOUT_END);
  const region = growArea(area, reach, known);
  const rows = readEdgeRows(source, region, weights, signal);
  const capacity = Math.min(block + 2 * reach, region.height) * region.width;
  const edges = new Float32Array(capacity);
  const probabilities = new Float32Array(capacity);
  let top = region.row;
  let bottom = region.row;
  for (let row = area.row; row < area.row + area.height; row += block) {
    const band = { ...area, row, height: Math.min(block, area.row + area.height - row) };
    const wanted = growArea(band, reach, region);
    if (wanted.width === 0 || wanted.height === 0) continue;
    const kept = Math.max(0, bottom - wanted.row) * region.width;
    const dropped = (wanted.row - top) * region.width;
    edges.copyWithin(0, dropped, dropped + kept);
    probabilities.copyWithin(0, dropped, dropped + kept);
    top = wanted.row;
    await rows.read(top + wanted.height - bottom, edges, probabilities, (bottom - top) * region.width);
    bottom = top + wanted.height;
    for (let column = area.column; column < area.column + area.width; column += block) {
      const place = { ...band, column, width: Math.min(block, area.column + area.width - column) };
      const reached = growArea(place, reach, region);
      if (reached.width > 0) yield windowOf(reached, place);
    }
  }

  function windowOf(reached: CellArea, place: CellArea) {
    const { width, height, column: left } = reached;
    const start = left - region.column;
    const ends = {
      west: left === known.column,
      north: top === known.row,
      east: left + width === known.column + known.width,
      south: top + height === known.row + known.height,
    };
    const window: CutWindow = { width, height, values: edges, probabilities, start, stride: region.width, ends };
    return { window, top, left, place: growArea(place, 0, reached) };
  }
}

const WITHOUT_END: CellArea = { column: -(2 ** 40), row: -(2 ** 40), width: 2 ** 41, height: 2 ** 41 };
