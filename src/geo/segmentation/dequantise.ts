import { NODATA } from './grid.ts';

/**
 * The value of a code, `sign(q) * (q / 127.5)^2`, in -1..1; NaN for no data.
 * Source of the formula: the readme of the public AEF files (Earth Engine guide "aef_on_gcs_readme").
 */
export function dequantise(code: number): number {
  return VALUES[code & 255];
}

/** For all 256 codes, at `code & 255`. */
const VALUES: Float64Array = Float64Array.from({ length: 256 }, (_, byte) => {
  const code = (byte << 24) >> 24;
  return code === NODATA ? Number.NaN : Math.sign(code) * (code / 127.5) ** 2;
});

/**
 * `sign(q) * q^2` for all 256 codes, at `code & 255`: the value in units of 1 / 127.5^2, an exact integer that fits 16
 * bits. No data is 0, so that it adds nothing to a sum.
 */
export const SQUARES: Int16Array = Int16Array.from({ length: 256 }, (_, byte) => {
  const code = (byte << 24) >> 24;
  return code === NODATA ? 0 : code * Math.abs(code);
});
