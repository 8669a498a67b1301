/** A rectangle of pixels: `left` and `top` inclusive, `right` and `bottom` exclusive. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface PixelSample {
  /** Column and row of each pixel, one after the other. */
  readonly positions: Int32Array;
  /** Whether every wanted pixel was taken. */
  readonly isComplete: boolean;
}

/** Pixels that a cell offers, one after the other. */
const RANKS = 16;

/**
 * A stratified sample of the pixels of a box that `isWanted` says yes to, at most `most` of them, from one lattice that
 * covers all of a raster. At level L the raster is cut into cells of 4 * 2^L pixels a side, and each cell offers one pixel of
 * each of its 16 squares of 2^L, in an order of its own in which any first few lie apart from each other. The first few
 * of every cell are taken: as many as `most` allows, from the finest level at which 4 of each fit.
 *
 * Which pixels a cell offers, and in which order, is decided by a hash of its place alone: the first 4 of a cell are the
 * first 1 of its 4 quarters at the next finer level, and so on down. So samples of any density are parts of each other, a
 * denser one adds to a sparser one, and places next to each other, whatever their size, share nearly all of their pixels.
 * Every pixel has the same chance, so that the share among those drawn estimates the share of all. When no more than `most`
 * are wanted, all are taken.
 */
export function samplePixels(
  box: PixelBox,
  most: number,
  isWanted: (column: number, row: number) => boolean,
): PixelSample {
  const pixels = Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
  let level = 0;
  while ((pixels * 4) / (RANKS * 4 ** level) > most) level++;
  for (;;) {
    const taken = takeRanks(box, level, most, isWanted);
    if (taken.ranks >= 4) return { positions: Int32Array.from(taken.positions), isComplete: isAll(taken.ranks, level) };
    // The box holds pixels of more cells than fit into it.
    level++;
  }
}

function isAll(ranks: number, level: number): boolean {
  return ranks === RANKS && level === 0;
}

/** The wanted pixels of the first ranks of all cells, as many ranks as stay within `most`. */
function takeRanks(
  box: PixelBox,
  level: number,
  most: number,
  isWanted: (column: number, row: number) => boolean,
): { readonly positions: readonly number[]; readonly ranks: number } {
  const side = 4 << level;
  const positions: number[] = [];
  const place = new Int32Array(2);
  const [firstX, firstY] = [Math.floor(box.left / side), Math.floor(box.top / side)];
  for (let rank = 0; rank < RANKS; rank++) {
    const before = positions.length;
    for (let y = firstY; y * side < box.bottom; y++) {
      for (let x = firstX; x * side < box.right; x++) {
        cellPixel(level, x, y, rank, place);
        const [column, row] = place;
        if (column < box.left || column >= box.right || row < box.top || row >= box.bottom) continue;
        if (!isWanted(column, row)) continue;
        if (positions.length === 2 * most) return { positions: positions.slice(0, before), ranks: rank };
        positions.push(column, row);
      }
    }
  }
  return { positions, ranks: RANKS };
}

/**
 * Column and row of the pixel that a cell offers at a rank. Squares are halved both ways, from the cell down to the pixel;
 * at each halving the quarter is the two bits of the rank that are next, least significant first and 0 after the last,
 * turned by a hash of the square.
 */
function cellPixel(level: number, cellX: number, cellY: number, rank: number, out: Int32Array): void {
  let [x, y] = [cellX, cellY];
  for (let left = level + 2, bits = rank; left > 0; left--, bits >>= 2) {
    const quarter = (bits ^ hashOf(x, y, left)) & 3;
    x = 2 * x + (quarter & 1);
    y = 2 * y + (quarter >> 1);
  }
  out[0] = x;
  out[1] = y;
}

/** A number of 32 bits that three others decide and nothing else (the finaliser of MurmurHash3 over each). */
function hashOf(x: number, y: number, level: number): number {
  return mixed(mixed(mixed(0x9e3779b9, x), y), level) >>> 0;
}

function mixed(before: number, number: number): number {
  let hash = before ^ number;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
