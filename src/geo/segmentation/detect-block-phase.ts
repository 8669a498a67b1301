import type { CodeWindow } from './code-window.ts';
import { BANDS, NODATA, SQUARES } from './grid.ts';

/** Where the 2 x 2 pixel blocks of an AEF raster begin, in pixels of the window that was looked at. */
export interface BlockPhase {
  /** Column of the first block's left edge. */
  readonly x: 0 | 1;
  /** Row of the first block's upper edge. */
  readonly y: 0 | 1;
  /**
   * How many times farther apart neighbours across a block edge are than neighbours inside a block, by median cosine
   * distance, in the direction where it is less clear. 1: no blocks to be seen. `Infinity`: blocks of equal pixels.
   */
  readonly confidence: number;
}

/** Below this confidence the raster has no usable blocks; real AEF files have about 10. */
export const MIN_BLOCK_CONFIDENCE = 3;

/**
 * Finds the phase of the 2 x 2 blocks that real AEF pixels come in. Distances inside a block are about a tenth of those
 * across its edges, so a gradient between pixels is a checkerboard until the blocks are pooled as they lie.
 *
 * The phase belongs to a whole file: look once, at a fixed place of the file (256 x 256 pixels are plenty), and use the
 * answer for every lookup. Looking at the window of each lookup could give one place two lattices.
 * @returns phase 0, 0 with confidence 1 where there is too little data, or nothing but constants.
 */
export function detectBlockPhase(window: CodeWindow): BlockPhase {
  const across: Distances = [[], []];
  const down: Distances = [[], []];
  let row = new Int8Array(window.width * BANDS);
  let above = new Int8Array(window.width * BANDS);
  for (let y = 0; y < window.height; y++) {
    window.copyRow(y, row);
    for (let x = 0; x < window.width; x++) {
      if (x > 0) addDistance(across[x & 1], row, (x - 1) * BANDS, row, x * BANDS);
      if (y > 0) addDistance(down[y & 1], above, x * BANDS, row, x * BANDS);
    }
    [row, above] = [above, row];
  }
  const horizontal = clearerPhase(across);
  const vertical = clearerPhase(down);
  const confidence = Math.min(horizontal.confidence, vertical.confidence);
  return { x: horizontal.phase, y: vertical.phase, confidence };
}

/** Cosine distances between neighbours, by whether the second of them is at an even or an odd place. */
type Distances = readonly [even: number[], odd: number[]];

function addDistance(out: number[], a: Int8Array, atA: number, b: Int8Array, atB: number): void {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let band = 0; band < BANDS; band++) {
    const codeA = a[atA + band];
    const codeB = b[atB + band];
    if (codeA === NODATA || codeB === NODATA) return;
    const valueA = SQUARES[codeA & 255];
    const valueB = SQUARES[codeB & 255];
    dot += valueA * valueB;
    lengthA += valueA * valueA;
    lengthB += valueB * valueB;
  }
  if (lengthA === 0 || lengthB === 0) return;
  out.push(Math.max(0, 1 - dot / Math.sqrt(lengthA * lengthB)));
}

/** The place where neighbours differ more is the block edge. */
function clearerPhase([even, odd]: Distances): { phase: 0 | 1; confidence: number } {
  const atEven = median(even);
  const atOdd = median(odd);
  const larger = Math.max(atEven, atOdd);
  const smaller = Math.min(atEven, atOdd);
  if (!(larger > 0)) return { phase: 0, confidence: 1 };
  return { phase: atOdd > atEven ? 1 : 0, confidence: smaller === 0 ? Infinity : larger / smaller };
}

/** The upper median; NaN for nothing. */
function median(values: number[]): number {
  if (values.length === 0) return Number.NaN;
  return Float64Array.from(values).sort()[values.length >> 1];
}
