import type { CellArea } from '../cell-area.ts';
import { type CutKernel, withCutKernel } from '../kernels/cut-kernel.ts';
import type { EdgeWindow } from './label-region-proof.ts';

/** Edge strengths around a block of cells, and the probability of forest of each cell. */
export interface CutWindow extends EdgeWindow {
  /** Laid out as `values`; each less than `NEAR` from the true one. */
  readonly probabilities: Float32Array;
}

/** Labels of a cut: that of a cell is `labels[start + row * stride + column]`, 1 and more, or 0 where it is masked. */
export interface LabelRows {
  readonly width: number;
  readonly height: number;
  readonly labels: Int32Array;
  readonly start: number;
  readonly stride: number;
}

/** An area of a window, cut into segments, and sums over them by label: all in memory that the next cut takes. */
export interface AreaCut extends LabelRows {
  /** Segments; their labels are 1 to `count`. */
  readonly count: number;
  /** Column and row in the area of the lowest cell of a segment. */
  marker(label: number): readonly [column: number, row: number];
  /** Cells of each segment. */
  readonly cells: Int32Array;
  /** Probabilities of their cells, added up. */
  readonly probability: Float64Array;
  /** Bits of `SIDE`, on which the segment or one next to it borders a cell with data in the outermost ring of the area. */
  readonly doubtful: Int32Array;
  /** Cells of a segment in the block at `2 * label`, and in the part of it after that. */
  readonly inside: Int32Array;
  /** Hands rows of `part` to `take`, one after the other: for each cell what its label has in `numbers` and `states`. */
  paint(
    numbers: Uint32Array,
    states: Uint8Array,
    take: (row: number, numbers: Uint32Array, states: Uint8Array) => void,
  ): void;
}

/**
 * Cuts an area of a window, whose outermost cells serve as neighbours only, and hands it to `use`. `block` and `part` are what
 * lies in the area of a block and of a part of it; all are in cells of the window.
 */
export function cutArea<T>(
  window: CutWindow,
  area: CellArea,
  block: CellArea,
  part: CellArea,
  depth: number,
  use: (cut: AreaCut) => T,
): T {
  const start = window.start + area.row * window.stride + area.column;
  const image = { width: area.width, height: area.height, values: window.values, start, stride: window.stride };
  return withCutKernel(
    image,
    depth,
    (kernel) => {
      const count = kernel.cutInside(depth);
      tally(kernel, count, window, area, block, part);
      return use(openCut(kernel, count, area, part));
    },
    'region',
  );
}

function tally(
  kernel: CutKernel,
  count: number,
  window: CutWindow,
  area: CellArea,
  block: CellArea,
  part: CellArea,
): void {
  kernel.beginTally(count);
  const row = new Float32Array(kernel.memory.buffer, kernel.weightRow() >>> 0, area.width);
  for (let y = 1; y < area.height - 1; y++) {
    const from = window.start + (area.row + y) * window.stride + area.column;
    row.set(window.probabilities.subarray(from, from + area.width));
    kernel.tallyRow(y, ...columnsIn(block, area, y), ...columnsIn(part, area, y));
  }
}

/** The columns of a row of the area that lie in a rectangle, from and up to. */
function columnsIn({ column, row, width, height }: CellArea, area: CellArea, y: number): [from: number, end: number] {
  const isInside = area.row + y >= row && area.row + y < row + height;
  return isInside ? [column - area.column, column - area.column + width] : [0, 0];
}

function openCut(kernel: CutKernel, count: number, area: CellArea, part: CellArea): AreaCut {
  const { buffer } = kernel.memory;
  const stride = area.width + 2;
  const places = new Int32Array(buffer, kernel.markers() >>> 0, count);
  return {
    width: area.width,
    height: area.height,
    labels: new Int32Array(buffer),
    start: (kernel.labels() >>> 0) / 4,
    stride,
    count,
    marker: (label) => [(places[label - 1] % stride) - 1, Math.floor(places[label - 1] / stride) - 1],
    cells: new Int32Array(buffer, kernel.areas() >>> 0, count + 1),
    probability: new Float64Array(buffer, kernel.weights() >>> 0, count + 1),
    doubtful: new Int32Array(buffer, kernel.doubts() >>> 0, count + 1),
    inside: new Int32Array(buffer, kernel.inside() >>> 0, 2 * (count + 1)),
    paint(numbers, states, take) {
      new Uint32Array(buffer, kernel.numbers() >>> 0, count + 1).set(numbers);
      new Uint8Array(buffer, kernel.states() >>> 0, count + 1).set(states);
      const ofRow = new Uint32Array(buffer, kernel.paintedNumbers() >>> 0, part.width);
      const statesOfRow = new Uint8Array(buffer, kernel.paintedStates() >>> 0, part.width);
      for (let row = part.row; row < part.row + part.height; row++) {
        kernel.paintRow(row - area.row, part.column - area.column, part.width);
        take(row, ofRow, statesOfRow);
      }
    },
  };
}
