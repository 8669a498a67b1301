import type { CodeWindow } from './code-window.ts';
import { BANDS, NODATA, SQUARES } from './grid.ts';

/** Length of a cell's vector in integer units: 127.5 squared, the scale that squared codes have already. */
export const UNIT = 16_256;

/** Vectors of length one for the cells of a window; a cell is 2 x 2 pixels. */
export interface CellVectors {
  /** Cells in a row. */
  readonly width: number;
  readonly height: number;
  /** `units[(row * width + column) * 64 + band]`, the component times `UNIT`; zeros where `valid` is 0. */
  readonly units: Int16Array;
  /** 1 where the cell has a direction: at least one pixel with data, and not all components zero. */
  readonly valid: Uint8Array;
}

/**
 * Pools 2 x 2 pixels into cells: the mean of the dequantised vectors of the pixels that have data, normalised to length
 * one. (Embeddings may be averaged and re-normalised: Earth Engine catalogue, SATELLITE_EMBEDDING/V1/ANNUAL.)
 *
 * All in integers, so that the WebAssembly kernel can be, and is, equal to it bit for bit. Rounding moves a component by
 * at most one `UNIT`th, well below what the 8-bit codes themselves round away.
 * @throws RangeError when the window is not a whole number of cells.
 */
export function poolCells(window: CodeWindow): CellVectors {
  assertWholeCells(window);
  const width = window.width / 2;
  const height = window.height / 2;
  const units = new Int16Array(width * height * BANDS);
  const valid = new Uint8Array(width * height);
  const rows = new Int8Array(2 * window.width * BANDS);
  for (let row = 0; row < height; row++) {
    copyCellRow(window, row, rows);
    for (let column = 0; column < width; column++) {
      const cell = row * width + column;
      valid[cell] = poolCell(rows, window.width, column, units, cell * BANDS) ? 1 : 0;
    }
  }
  return { width, height, units, valid };
}

/** @throws RangeError when the window is not a whole number of cells, naming what it got. */
export function assertWholeCells(window: CodeWindow): void {
  const { width, height } = window;
  const whole = (size: number) => Number.isInteger(size) && size >= 2 && size % 2 === 0;
  if (!whole(width) || !whole(height)) {
    throw new RangeError(
      `a window must have an even number of pixels each way, at least 2 x 2; got ${width} x ${height}`,
    );
  }
}

/** Copies the two pixel rows of cell row `row` one after the other into `out`. */
export function copyCellRow(window: CodeWindow, row: number, out: Int8Array): void {
  const length = window.width * BANDS;
  window.copyRow(2 * row, out.subarray(0, length));
  window.copyRow(2 * row + 1, out.subarray(length, 2 * length));
}

/**
 * The vector of one cell, written to 64 places of `out` from `at`; `false` (and zeros) when it has no direction.
 * `rows` holds two pixel rows of `width` pixels each.
 */
export function poolCell(rows: Int8Array, width: number, column: number, out: Int16Array, at: number): boolean {
  const pixels = [2 * column, 2 * column + 1, width + 2 * column, width + 2 * column + 1]
    .map((pixel) => rows.subarray(pixel * BANDS, (pixel + 1) * BANDS))
    .filter((codes) => !codes.includes(NODATA));
  let squaredLength = 0;
  for (let band = 0; band < BANDS; band++) {
    let sum = 0;
    for (const codes of pixels) sum += SQUARES[codes[band] & 255];
    const half = (sum + 1) >> 1;
    out[at + band] = half;
    squaredLength += half * half;
  }
  scaleToUnit(out, at, Math.sqrt(squaredLength));
  return squaredLength > 0;
}

/**
 * Scales a vector to length `UNIT` by a shift and one rounding multiplication with a 15-bit fraction, which is what
 * SIMD has for 16-bit integers. The shift brings the length above `UNIT`, so that the fraction stays below one; only
 * missing pixels, and blocks whose pixels disagree, need one. The fraction's own rounding changes the length by 1 / 32768
 * at most, and a distance by the square of that.
 */
function scaleToUnit(out: Int16Array, at: number, length: number): void {
  if (length === 0) return;
  let shift = 0;
  while (length * 2 ** shift <= UNIT) shift++;
  const fraction = Math.min(32_767, Math.floor((32_768 * UNIT) / (length * 2 ** shift) + 0.5));
  for (let band = at; band < at + BANDS; band++) {
    out[band] = ((out[band] << shift) * fraction + 16_384) >> 15;
  }
}
