import type { PatchRaster } from '../../forest/sources.ts';
import { BANDS, NODATA } from '../../geo/segmentation/grid.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { samplePlaces, type SampleWindow } from './places.ts';

/** Codes of sampled pixels, 64 a pixel, -128 for no data. */
export interface SampledCodes {
  readonly codes: Int8Array;
  /** Column and row of each pixel. */
  readonly positions: Int32Array;
  /** Whether every pixel within the radius was taken. */
  readonly isComplete: boolean;
}

/** Windows read at the same time. */
const WINDOWS_AT_ONCE = 2;

/** Draws pixels whose centres lie within the radius of a shape, and reads their codes window by window. */
export async function sampleCodes(
  raster: PatchRaster,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): Promise<SampledCodes> {
  const { positions, windows, isComplete } = samplePlaces(raster, shape, radiusM);
  const codes = new Int8Array((positions.length / 2) * BANDS).fill(NODATA);
  for (let i = 0; i < windows.length; i += WINDOWS_AT_ONCE) {
    const some = windows.slice(i, i + WINDOWS_AT_ONCE);
    await Promise.all(some.map((window) => readInto(codes, raster, window, positions, signal)));
  }
  return { codes, positions, isComplete };
}

async function readInto(
  codes: Int8Array,
  raster: PatchRaster,
  { left, top, right, bottom, pixels }: SampleWindow,
  positions: Int32Array,
  signal: AbortSignal,
): Promise<void> {
  const width = right - left;
  const window = await raster.window(left, top, width, bottom - top, signal);
  const row = new Int8Array(width * BANDS);
  let held = -1;
  for (const pixel of pixels) {
    const y = positions[2 * pixel + 1] - top;
    if (y !== held) window.copyRow(y, row);
    held = y;
    const from = (positions[2 * pixel] - left) * BANDS;
    codes.set(row.subarray(from, from + BANDS), pixel * BANDS);
  }
}
