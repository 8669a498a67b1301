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
  /** Pixels along each side of a stratum; 1 means that every pixel was taken. */
  readonly stratum: number;
}

/**
 * A stratified sample of the pixels of a box that `isWanted` says yes to, at most `most` of them. The box is cut into
 * squares that lie on multiples of their side, and one pixel is drawn from each by a hash of the square's place: the same
 * place gives the same sample, and a box moved by a few pixels most of it. Every pixel has the same chance, so that the
 * share among those drawn estimates the share of all. When there are no more than `most`, all are taken.
 */
export function samplePixels(
  box: PixelBox,
  most: number,
  isWanted: (column: number, row: number) => boolean,
): PixelSample {
  const pixels = Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top);
  // Of a box around a disc less than 4/5 is wanted; a shape that fills it takes one more round.
  let stratum = Math.max(1, Math.floor(Math.sqrt((pixels * 0.7) / most)));
  for (;;) {
    const positions = drawn(box, stratum, most, isWanted);
    if (positions !== null) return { positions: Int32Array.from(positions), stratum };
    stratum++;
  }
}

/** One wanted pixel of each stratum, or null when they are more than `most`. */
function drawn(
  box: PixelBox,
  stratum: number,
  most: number,
  isWanted: (column: number, row: number) => boolean,
): number[] | null {
  const positions: number[] = [];
  for (let y = Math.floor(box.top / stratum); y * stratum < box.bottom; y++) {
    for (let x = Math.floor(box.left / stratum); x * stratum < box.right; x++) {
      const pick = hashOf(x, y, stratum) % (stratum * stratum);
      const column = x * stratum + (pick % stratum);
      const row = y * stratum + Math.floor(pick / stratum);
      if (column < box.left || column >= box.right || row < box.top || row >= box.bottom) continue;
      if (!isWanted(column, row)) continue;
      if (positions.length === 2 * most) return null;
      positions.push(column, row);
    }
  }
  return positions;
}

/** A number of 32 bits that three others decide and nothing else (the finaliser of MurmurHash3 over each). */
function hashOf(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash ^= number;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
