import type { CellArea } from './cell-area.ts';
import head from './forest-gate.json' with { type: 'json' };

/** An area of cells with the edge strength of each; NaN where it has no data. */
interface StrengthArea extends CellArea {
  readonly values: Float32Array;
}

/** Also with the probability of forest of each, as `rateCells` gives them. */
interface RatedArea extends StrengthArea {
  /** `probabilities[row * width + column]`; of a cell without data it means nothing. */
  readonly probabilities: Float64Array;
}

/** What was computed of the cells of rasters, so that they need not be read and pooled again: 12 bytes a cell in place of 256. */
export interface CellMemory {
  /** The cells of one raster. `raster` names its bytes with their version, its lattice and the phase of its blocks. */
  of(raster: string): KnownCells;
  /** Writes what is new to the store, if there is one. Never rejects. */
  save(): Promise<void>;
}

/** Where cells are kept for other processes and later starts. Neither method ever rejects: a store that fails has nothing. */
export interface CellStore {
  /** What was put under a key, when it has so many bytes; else null. */
  get(key: string, length: number): Promise<Uint8Array | null>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** Cells of one raster that were computed before. */
export interface KnownCells {
  /** Reads what the store has of an area and the memory has not. Never rejects. */
  load(area: CellArea): Promise<void>;
  /**
   * Copies the strengths of `part`, which lies in `out`, as far as they are known. Of the outermost cells of `out` only whether they
   * have data counts. Gives the smallest area that holds all that is not known; null when nothing is missing.
   */
  copyStrengths(part: CellArea, out: StrengthArea): CellArea | null;
  /** Keeps the cells of an area, whose outermost ones lack neighbours. */
  keep(cells: RatedArea): void;
  /**
   * The mean probability of forest over a segment, added up in raster order as `meanProbability` does; null when a cell of
   * it is not known.
   */
  meanProbability(segment: MaskedArea): number | null;
}

/** The cells of a segment: 1 in `mask`, as many as `area` says. */
interface MaskedArea extends CellArea {
  readonly mask: Uint8Array;
  readonly area: number;
}

/** Cells of a square, the unit that is kept and dropped. */
const SIDE = 64;
/** What a square takes: strengths, probabilities, and itself. */
const SQUARE_BYTES = SIDE * SIDE * 12 + 512;
/** In place of a strength, which is never negative: nothing is known. */
const UNKNOWN = -1;
/** The same: the cell has data, and its strength is not known. */
const HAS_DATA = -2;
/** Rasters that have had a number; from then on everything is forgotten. */
const MOST_RASTERS = 10_000;

/** What a square is stored as: its probabilities, then its strengths, in the order of this machine's bytes, the lowest first. */
const STORED_BYTES = SIDE * SIDE * 12;

/** The memory of a square. */
interface SquareMemory {
  /** All of it, as it is stored. */
  readonly bytes: Uint8Array;
  readonly strengths: Float32Array;
  /** NaN where it is not known. */
  readonly probabilities: Float64Array;
}

interface Square extends SquareMemory {
  /** Under which the store has it. */
  readonly name: string;
  /** The store has less of it. */
  isNew: boolean;
  /** Times that it is being written to the store. */
  writes: number;
}

/** Memories of squares that were dropped, for those that come: those of one lookup, as a rule. */
const MOST_SPARES = 16;

/** What decides the numbers of a cell, and how they are stored; with other numbers this is another text. */
const MEANING = JSON.stringify(['cells/1', SIDE, head]);

/**
 * @param maxBytes room for the squares that were used last
 * @param store keeps squares beyond that, and for others; null: nothing does
 */
export function createCellMemory(maxBytes: number, store: CellStore | null = null): CellMemory {
  /** In order of use, the longest unused first. */
  const squares = new Map<string, Square>();
  const numbers = new Map<string, number>();
  const spares: SquareMemory[] = [];

  function find(key: string): Square | undefined {
    const square = squares.get(key);
    if (square === undefined) return undefined;
    squares.delete(key);
    squares.set(key, square);
    return square;
  }

  /** @param bytes as they were stored; null: nothing is known of it. */
  function create(key: string, name: string, bytes: Uint8Array | null): Square {
    for (const [oldest, square] of squares) {
      if ((squares.size + 1) * SQUARE_BYTES <= maxBytes) break;
      squares.delete(oldest);
      void drop(square);
    }
    const square = { ...(spares.pop() ?? newMemory()), name, isNew: false, writes: 0 };
    if (bytes !== null) square.bytes.set(bytes);
    else {
      square.strengths.fill(UNKNOWN);
      square.probabilities.fill(Number.NaN);
    }
    squares.set(key, square);
    return square;
  }

  /** A square that is not in memory any more: its own is used again, but not while the store reads it. */
  async function drop(square: Square): Promise<void> {
    if (square.isNew && store !== null) await write(square);
    if (square.writes === 0 && spares.length < MOST_SPARES) spares.push(square);
  }

  async function write(square: Square): Promise<void> {
    if (!square.isNew || store === null) return;
    square.isNew = false;
    square.writes += 1;
    await store.put(square.name, square.bytes);
    square.writes -= 1;
  }

  return {
    of(raster) {
      if (numbers.size >= MOST_RASTERS) {
        numbers.clear();
        squares.clear();
      }
      const number = numbers.get(raster) ?? numbers.size;
      numbers.set(raster, number);
      const keyOf = (x: number, y: number): string => `${number} ${x} ${y}`;
      const nameOf = (x: number, y: number): string => `${MEANING} ${raster} ${x} ${y}`;

      async function loadSquare(from: CellStore, x: number, y: number): Promise<void> {
        const [key, name] = [keyOf(x, y), nameOf(x, y)];
        const bytes = await from.get(name, STORED_BYTES);
        // Forgotten meanwhile, with what its number stood for.
        if (bytes === null || numbers.get(raster) !== number) return;
        const known = find(key);
        if (known === undefined) create(key, name, bytes);
        else {
          const stored = newMemory();
          stored.bytes.set(bytes);
          addSquare(stored, known);
        }
      }

      return {
        async load(area) {
          if (store === null) return;
          const loads: Promise<void>[] = [];
          eachSquare(area, (x, y) => {
            if (!squares.has(keyOf(x, y))) loads.push(loadSquare(store, x, y));
          });
          await Promise.all(loads);
        },
        copyStrengths: (part, out) => copyStrengths(part, out, (x, y) => find(keyOf(x, y))),
        keep: (cells) =>
          eachSquare(cells, (x, y, shared) => {
            const key = keyOf(x, y);
            keepSquare(cells, shared, x, y, find(key) ?? create(key, nameOf(x, y), null));
          }),
        meanProbability: (segment) => meanOf(segment, (x, y) => find(keyOf(x, y))),
      };
    },
    async save() {
      await Promise.all([...squares.values()].map(write));
    },
  };
}

function newMemory(): SquareMemory {
  const bytes = new Uint8Array(STORED_BYTES);
  const probabilities = new Float64Array(bytes.buffer, 0, SIDE * SIDE);
  const strengths = new Float32Array(bytes.buffer, probabilities.byteLength, SIDE * SIDE);
  return { bytes, strengths, probabilities };
}

/** Adds to a square what another one knows of the same cells. */
function addSquare(from: SquareMemory, out: SquareMemory): void {
  for (let cell = 0; cell < SIDE * SIDE; cell++) {
    // NaN, which stands for no data, is not below 0.
    if (!(out.strengths[cell] < 0)) continue;
    const strength = from.strengths[cell];
    if (strength === UNKNOWN || (strength === HAS_DATA && out.strengths[cell] === HAS_DATA)) continue;
    out.strengths[cell] = strength;
    out.probabilities[cell] = from.probabilities[cell];
  }
}

type FindSquare = (x: number, y: number) => Square | undefined;

/** Calls `visit` with the column and row of each square that an area touches, and the cells they share. */
function eachSquare(area: CellArea, visit: (x: number, y: number, shared: CellArea) => void): void {
  const [right, bottom] = [area.column + area.width, area.row + area.height];
  for (let y = Math.floor(area.row / SIDE); y * SIDE < bottom; y++)
    for (let x = Math.floor(area.column / SIDE); x * SIDE < right; x++) {
      const column = Math.max(area.column, x * SIDE);
      const row = Math.max(area.row, y * SIDE);
      const width = Math.min(right, (x + 1) * SIDE) - column;
      visit(x, y, { column, row, width, height: Math.min(bottom, (y + 1) * SIDE) - row });
    }
}

function copyStrengths(part: CellArea, out: StrengthArea, find: FindSquare): CellArea | null {
  const { values } = out;
  const [lastColumn, lastRow] = [out.column + out.width - 1, out.row + out.height - 1];
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  eachSquare(part, (x, y, shared) => {
    const square = find(x, y);
    const end = shared.column + shared.width;
    if (square === undefined) {
      left = Math.min(left, shared.column);
      right = Math.max(right, end - 1);
      top = Math.min(top, shared.row);
      bottom = Math.max(bottom, shared.row + shared.height - 1);
      return;
    }
    for (let row = shared.row; row < shared.row + shared.height; row++) {
      const isOuterRow = row === out.row || row === lastRow;
      let from = (row - y * SIDE) * SIDE + shared.column - x * SIDE;
      let to = (row - out.row) * out.width + shared.column - out.column;
      for (let column = shared.column; column < end; column++, from++, to++) {
        const strength = square.strengths[from];
        // NaN, which stands for no data, is not below 0.
        if (!(strength < 0)) {
          values[to] = strength;
          continue;
        }
        if (strength === HAS_DATA && (isOuterRow || column === out.column || column === lastColumn)) {
          values[to] = 0;
          continue;
        }
        left = Math.min(left, column);
        right = Math.max(right, column);
        top = Math.min(top, row);
        bottom = Math.max(bottom, row);
      }
    }
  });
  return right < left ? null : { column: left, row: top, width: right - left + 1, height: bottom - top + 1 };
}

function keepSquare(cells: RatedArea, shared: CellArea, x: number, y: number, out: Square): void {
  const [lastColumn, lastRow] = [cells.column + cells.width - 1, cells.row + cells.height - 1];
  const { width } = shared;
  for (let row = shared.row; row < shared.row + shared.height; row++) {
    const from = (row - cells.row) * cells.width + shared.column - cells.column;
    const to = (row - y * SIDE) * SIDE + shared.column - x * SIDE;
    out.probabilities.set(cells.probabilities.subarray(from, from + width), to);
    // How many of the first and of the last cells of the row are outermost ones.
    const isOuterRow = row === cells.row || row === lastRow;
    const first = isOuterRow ? width : shared.column === cells.column ? 1 : 0;
    const last = isOuterRow ? 0 : shared.column + width - 1 === lastColumn ? 1 : 0;
    const end = Math.max(first, width - last);
    keepOuter(cells.values, from, first, out.strengths, to);
    out.strengths.set(cells.values.subarray(from + first, from + end), to + first);
    keepOuter(cells.values, from + end, width - end, out.strengths, to + end);
  }
  out.isNew = true;
}

/** Of cells that lack neighbours only that they have data, where nothing more is known, or that they have none. */
function keepOuter(from: Float32Array, at: number, count: number, out: Float32Array, to: number): void {
  for (let i = 0; i < count; i++) {
    if (Number.isNaN(from[at + i])) out[to + i] = from[at + i];
    else if (out[to + i] === UNKNOWN) out[to + i] = HAS_DATA;
  }
}

function meanOf(segment: MaskedArea, find: FindSquare): number | null {
  const { column, row, width, height, mask, area } = segment;
  const firstX = Math.floor(column / SIDE);
  const across = Math.floor((column + width - 1) / SIDE) - firstX + 1;
  let squares: (Square | undefined)[] = [];
  let sum = 0;
  for (let maskRow = 0; maskRow < height; maskRow++) {
    const y = Math.floor((row + maskRow) / SIDE);
    if (maskRow === 0 || (row + maskRow) % SIDE === 0)
      squares = Array.from({ length: across }, (_, i) => find(firstX + i, y));
    const rowAt = (row + maskRow - y * SIDE) * SIDE;
    for (let cell = 0; cell < width; cell++) {
      if (mask[maskRow * width + cell] !== 1) continue;
      const at = column + cell - firstX * SIDE;
      sum += squares[Math.floor(at / SIDE)]?.probabilities[rowAt + (at % SIDE)] ?? Number.NaN;
    }
  }
  return Number.isNaN(sum) ? null : sum / area;
}
