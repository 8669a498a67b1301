/** Bands of an AlphaEarth Foundations (AEF) embedding, A00 to A63. All are needed together; one alone has no meaning. */
export const BANDS = 64;

/** The code of a pixel without data. If one band of a pixel carries it, the whole pixel is masked. */
export const NODATA = -128;

/**
 * A raster of AEF codes that says everything about itself.
 *
 * The 64 codes of a pixel lie side by side (row, column, band: "HWC"), because every consumer works on whole vectors:
 * pooling, norm and distance read 64 consecutive bytes, which is one cache line and four SIMD registers. Planar storage
 * would read 64 places for one pixel and collide in the cache when the width is a power of two.
 */
export interface Grid {
  /** Pixels in a row. */
  readonly width: number;
  /** Rows; the first row is the northern one. */
  readonly height: number;
  /** `codes[(y * width + x) * 64 + band]`, -127..127, or -128 for no data. */
  readonly codes: Int8Array;
  /** `x = a * column + b * row + c; y = d * column + e * row + f`, from pixel corners to CRS units, as `[a, b, c, d, e, f]`. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  /** Authority and code, for example `EPSG:32616`. */
  readonly crs: string;
}

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
