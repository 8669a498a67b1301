import type { CodeWindow } from '../segmentation/code-window.ts';
import { BANDS, dequantise, NODATA } from '../segmentation/grid.ts';
import { principalComponents } from './principal-components.ts';

/** An image of embeddings: three numbers made of 64, as red, green and blue. */
interface FalseColours {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue of each pixel, row by row; a pixel without data is `NODATA_RGB`. */
  readonly rgb: Uint8Array;
  /** Pixels without data. */
  readonly nodata: number;
}

/** The colour of pixels without data. */
export const NODATA_RGB = [70, 60, 90] as const;
const CHANNELS = 3;
/** Vectors that the components are found from, about. */
const SAMPLED = 6_000;
/** Shares of the values of a channel that are left beyond black and white. */
const [DARK, BRIGHT] = [0.02, 0.98] as const;

/**
 * Windows of embeddings in false colour: the three directions in which their pixels vary most, over all windows together, so that one
 * colour means the same in each; each channel stretched from its 2nd to its 98th percentile. `explained` is the share of the variance
 * that the three hold; null without a pixel that has data.
 */
export function falseColours(windows: readonly CodeWindow[]): {
  readonly images: readonly FalseColours[];
  readonly explained: number | null;
} {
  const read = windows.map(readWindow);
  const all = read.reduce((sum, { valid }) => sum + valid.length, 0);
  const sample = sampled(read, Math.max(1, Math.floor(all / SAMPLED)));
  const found = sample.length === 0 ? null : principalComponents(sample, BANDS, CHANNELS);
  if (found === null)
    return {
      images: read.map(({ width, height }) => ({ width, height, rgb: blank(width * height), nodata: width * height })),
      explained: null,
    };
  const { axes, mean } = found;
  const channels = read.map(({ vectors }) => axes.map((axis) => project(vectors, axis, mean)));
  const ranges = axes.map((_, c) => rangeOf(channels.map((of) => of[c]!)));
  const images = read.map(({ width, height, valid }, w) => {
    const rgb = blank(width * height);
    for (const [i, pixel] of valid.entries())
      for (let c = 0; c < CHANNELS; c++) {
        const [low, high] = ranges[c]!;
        const share = high > low ? (channels[w]![c]![i]! - low) / (high - low) : 0.5;
        rgb[CHANNELS * pixel + c] = Math.round(255 * Math.max(0, Math.min(1, share)));
      }
    return { width, height, rgb, nodata: width * height - valid.length };
  });
  const held = found.variances.reduce((sum, value) => sum + value, 0);
  return { images, explained: found.total === 0 ? null : held / found.total };
}

function blank(pixels: number): Uint8Array {
  return Uint8Array.from({ length: CHANNELS * pixels }, (_, i) => NODATA_RGB[i % CHANNELS]!);
}

/** The vectors of the pixels that have data, and which pixels these are. */
function readWindow({ width, height, copyRow }: CodeWindow) {
  const valid: number[] = [];
  const vectors = new Float32Array(width * height * BANDS);
  const row = new Int8Array(width * BANDS);
  for (let y = 0; y < height; y++) {
    copyRow(y, row);
    for (let x = 0; x < width; x++) {
      const codes = row.subarray(x * BANDS, (x + 1) * BANDS);
      if (codes.includes(NODATA)) continue;
      const at = valid.length * BANDS;
      for (let band = 0; band < BANDS; band++) vectors[at + band] = dequantise(codes[band]!);
      valid.push(y * width + x);
    }
  }
  return { width, height, valid, vectors: vectors.subarray(0, valid.length * BANDS) };
}

/** Every `each`th vector of all windows. */
function sampled(read: readonly { readonly vectors: Float32Array }[], each: number): Float32Array {
  const parts = read.map(({ vectors }) => {
    const count = Math.ceil(vectors.length / BANDS / each);
    const part = new Float32Array(count * BANDS);
    for (let i = 0; i < count; i++) part.set(vectors.subarray(i * each * BANDS, (i * each + 1) * BANDS), i * BANDS);
    return part;
  });
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function project(vectors: Float32Array, axis: Float64Array, mean: Float64Array): Float32Array {
  const out = new Float32Array(vectors.length / BANDS);
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let band = 0; band < BANDS; band++) sum += (vectors[i * BANDS + band]! - mean[band]!) * axis[band]!;
    out[i] = sum;
  }
  return out;
}

function rangeOf(channels: readonly Float32Array[]): readonly [low: number, high: number] {
  const all = Float32Array.from(channels.flatMap((values) => [...values])).toSorted();
  const at = (share: number): number => all[Math.floor(share * (all.length - 1))] ?? 0;
  return [at(DARK), at(BRIGHT)];
}
