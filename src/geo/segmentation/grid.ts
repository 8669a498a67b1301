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
