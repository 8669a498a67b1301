import type { DiskCacheFolder } from '../../readers/io/disk-cache-folder.ts';

/** What one head says of the pixels of one raster. */
export interface PixelLayer {
  /** Names head and raster with their versions, and the lattice that pixels are counted on. */
  readonly key: string;
  /** Whether it outlives the process: of a raster that is slow to read, and whose version says when it is another one. */
  readonly isOnDisk: boolean;
}

/** Numbers of pixels, so that each is computed once. What is kept is what was computed: nothing depends on its order. */
export interface PixelMemory {
  /** The numbers of pixels (column and row of each, one after the other); `UNKNOWN` where none is kept. */
  recall(layer: PixelLayer, positions: Int32Array): Promise<Float32Array>;
  /** Keeps numbers of pixels that were recalled before. */
  keep(layer: PixelLayer, positions: Int32Array, values: Float32Array): void;
  /** Resolves when everything kept so far has been written to disk. */
  settled(): Promise<void>;
}

/** Stands for a pixel of which nothing is kept; NaN is a pixel without data. */
export const UNKNOWN = Infinity;

/** Pixels along each side of a square, 2 to this power: what is read from disk and let go of together. */
const SQUARE_BITS = 10;
const MASK = (1 << SQUARE_BITS) - 1;
/** Bytes of memory that squares may take: the samples of 2 million pixels or more. */
const MOST_BYTES = 64_000_000;
/** Milliseconds after which what is new is written: the thread ends after a minute without a request. */
const WRITE_AFTER_MS = 2_000;

/** @param disk where squares of layers that are on disk outlive the process; null: nowhere. */
export function createPixelMemory(disk: DiskCacheFolder | null, maxBytes = MOST_BYTES): PixelMemory {
  /** In order of use, the longest unused first. */
  const squares = new Map<string, Square>();
  const loading = new Map<string, Promise<Square>>();
  const changed = new Map<string, Square>();
  let held = 0;
  let timer: NodeJS.Timeout | null = null;
  let written: Promise<unknown> = Promise.resolve();

  function write(): void {
    timer = null;
    const all = [...changed].map(([key, square]) => disk?.put(key, toBytes(square)));
    changed.clear();
    written = Promise.all([written, ...all]);
  }

  async function load(key: string, isOnDisk: boolean): Promise<Square> {
    const bytes = isOnDisk && disk !== null ? await disk.get(key, null) : null;
    const square = emptySquare();
    if (bytes !== null) fillSquare(square, bytes);
    squares.set(key, square);
    held += sizeOf(square);
    letGo();
    return square;
  }

  function letGo(): void {
    for (const [key, square] of squares) {
      if (held <= maxBytes || squares.size === 1) return;
      squares.delete(key);
      held -= sizeOf(square);
    }
  }

  function open(key: string, isOnDisk: boolean): Square | Promise<Square> {
    const square = squares.get(key);
    if (square !== undefined) {
      squares.delete(key);
      squares.set(key, square);
      return square;
    }
    const before = loading.get(key);
    if (before !== undefined) return before;
    const loaded = load(key, isOnDisk).finally(() => loading.delete(key));
    loading.set(key, loaded);
    return loaded;
  }

  return {
    async recall({ key, isOnDisk }, positions) {
      const out = new Float32Array(positions.length / 2).fill(UNKNOWN);
      for (const [squareKey, numbers] of bySquare(key, positions)) {
        const opened = open(squareKey, isOnDisk);
        const square = opened instanceof Promise ? await opened : opened;
        for (const number of numbers) out[number] = find(square, offsetOf(positions, number));
      }
      return out;
    },
    keep({ key, isOnDisk }, positions, values) {
      for (const [squareKey, numbers] of bySquare(key, positions)) {
        const square = squares.get(squareKey);
        // It was let go of since it was read, and may hold more on disk than what is new.
        if (square === undefined) continue;
        held -= sizeOf(square);
        for (const number of numbers) insert(square, offsetOf(positions, number), values[number]);
        held += sizeOf(square);
        if (isOnDisk && disk !== null) changed.set(squareKey, square);
      }
      letGo();
      if (changed.size > 0) timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    async settled() {
      if (timer !== null) clearTimeout(timer);
      write();
      await written;
    },
  };
}

/** Numbers of the pixels of which something is not kept. */
export function missingPixels(kept: readonly Float32Array[]): readonly number[] {
  const missing: number[] = [];
  for (let pixel = 0; pixel < kept[0].length; pixel++)
    for (const values of kept)
      if (values[pixel] === UNKNOWN) {
        missing.push(pixel);
        break;
      }
  return missing;
}

/** Column and row of some of the pixels. */
export function positionsOf(positions: Int32Array, numbers: readonly number[]): Int32Array {
  return Int32Array.from({ length: 2 * numbers.length }, (_, i) => positions[2 * numbers[i >> 1] + (i & 1)]);
}

/** Numbers of pixels, by the square that each lies in. */
function bySquare(layer: string, positions: Int32Array): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < positions.length; i += 2) {
    const square = (positions[i] >> SQUARE_BITS) * 2 ** 22 + (positions[i + 1] >> SQUARE_BITS);
    const group = groups.get(square);
    if (group === undefined) groups.set(square, [i / 2]);
    else group.push(i / 2);
  }
  const placeOf = ([first]: readonly number[]): string =>
    `${positions[2 * first] >> SQUARE_BITS} ${positions[2 * first + 1] >> SQUARE_BITS}`;
  return new Map([...groups.values()].map((numbers) => [`${layer} ${placeOf(numbers)}`, numbers]));
}

/** The place of a pixel in its square: unique among them. */
function offsetOf(positions: Int32Array, number: number): number {
  return ((positions[2 * number + 1] & MASK) << SQUARE_BITS) | (positions[2 * number] & MASK);
}

/** A table of numbers by the place of their pixel, open addressed: a power of two of slots, half of them at most in use. */
interface Square {
  /** The place of a pixel in each slot; -1 where the slot is free. */
  places: Int32Array;
  values: Float32Array;
  count: number;
}

const FIRST_SLOTS = 64;

function emptySquare(slots = FIRST_SLOTS): Square {
  return { places: new Int32Array(slots).fill(-1), values: new Float32Array(slots), count: 0 };
}

/** What an entry takes in addition to its numbers, about. */
const SQUARE_BYTES = 512;

function sizeOf({ places }: Square): number {
  return SQUARE_BYTES + 8 * places.length;
}

function slotOf({ places }: Square, place: number): number {
  let slot = (Math.imul(place, 0x9e3779b1) >>> 7) & (places.length - 1);
  while (places[slot] !== place && places[slot] !== -1) slot = (slot + 1) & (places.length - 1);
  return slot;
}

function find(square: Square, place: number): number {
  const slot = slotOf(square, place);
  return square.places[slot] === -1 ? UNKNOWN : square.values[slot];
}

function insert(square: Square, place: number, value: number): void {
  if (2 * (square.count + 1) > square.places.length) grow(square);
  const slot = slotOf(square, place);
  if (square.places[slot] === -1) square.count += 1;
  square.places[slot] = place;
  square.values[slot] = value;
}

function grow(square: Square): void {
  const { places, values } = square;
  Object.assign(square, emptySquare(2 * places.length));
  places.forEach((place, slot) => {
    if (place !== -1) insert(square, place, values[slot]);
  });
}

/** Places, then their numbers. Pixels without data are left out: whether there is any by now is looked up after a start. */
function toBytes({ places, values }: Square): Uint8Array {
  const slots = [...places.keys()].filter((slot) => places[slot] !== -1 && !Number.isNaN(values[slot]));
  const bytes = new Uint8Array(8 * slots.length);
  new Int32Array(bytes.buffer, 0, slots.length).set(slots.map((slot) => places[slot]));
  new Float32Array(bytes.buffer, 4 * slots.length).set(slots.map((slot) => values[slot]));
  return bytes;
}

function fillSquare(square: Square, bytes: Uint8Array): void {
  const count = bytes.length >> 3;
  // A copy of its own, at a place where such numbers may lie.
  const copy = new Uint8Array(bytes);
  const places = new Int32Array(copy.buffer, 0, count);
  const values = new Float32Array(copy.buffer, 4 * count, count);
  places.forEach((place, i) => insert(square, place, values[i]));
}
