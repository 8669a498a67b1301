import { NO_CLASS } from '../../geo/zonal/sum-pixels.ts';
import type { SampleArray } from '../tiff/sample-types.ts';
import type { TiffImage } from '../tiff/tiff-image.ts';
import type { ForestMaskSpec, LossYearSpec, RasterSpec, ValueSpec } from './raster-spec.ts';

/** The pixels of a raster as they are measured: classes, or values with NaN for no data. */
export type Pixels = Uint8Array | Float32Array;

/** Turns one band of a decoded block into pixels to measure. */
export type EncodeBlock<P extends Pixels> = (image: TiffImage, samples: SampleArray) => P;

/** Classes of a forest mask. */
export const NO_FOREST = 0;
export const FOREST = 1;
/** Class of a pixel that was never lost; the others are years from the dataset's first one, counted from 1. */
export const NOT_LOST = 0;

/** Pixels of a forest mask as `NO_FOREST`, `FOREST` or `NO_CLASS`. */
export function encodeForest(spec: ForestMaskSpec): EncodeBlock<Uint8Array> {
  const { threshold, classes } = spec;
  return encodeClasses(spec, (value) =>
    (threshold === null ? classes.includes(value) : value >= threshold) ? FOREST : NO_FOREST,
  );
}

/** Pixels of a dataset of losses as `NOT_LOST`, 1 for its first year and so on, or `NO_CLASS`; years it does not tell of are no data. */
export function encodeLosses(spec: LossYearSpec): EncodeBlock<Uint8Array> {
  const { baseYear, years } = spec;
  return encodeClasses(spec, (value) => {
    const year = value + baseYear;
    if (value === 0) return NOT_LOST;
    return Number.isInteger(year) && year >= years[0] && year <= years[1] ? year - years[0] + 1 : NO_CLASS;
  });
}

/** Values of a raster of biomass or heights, NaN for no data. Below 0 is no data too: neither can be. */
export function encodeValues({ band, nodata, scale }: ValueSpec): EncodeBlock<Float32Array> {
  return (image, samples) => {
    const step = image.interleave === 'pixel' ? image.bands : 1;
    const from = image.interleave === 'pixel' ? band : 0;
    const out = new Float32Array(samples.length / step);
    for (let i = 0, at = from; i < out.length; i++, at += step) {
      const value = samples[at];
      if (isNodata(image, value)) out[i] = nodata === 'absent' ? 0 : Number.NaN;
      else out[i] = value >= 0 ? value * scale : Number.NaN;
    }
    return out;
  };
}

function encodeClasses({ band, nodata }: RasterSpec, classOf: (value: number) => number): EncodeBlock<Uint8Array> {
  const absent = nodata === 'absent' ? classOf(0) : NO_CLASS;
  return (image, samples) => {
    const step = image.interleave === 'pixel' ? image.bands : 1;
    const from = image.interleave === 'pixel' ? band : 0;
    const out = new Uint8Array(samples.length / step);
    // Of bytes there are 256, of which each is looked at once.
    const table =
      samples instanceof Uint8Array
        ? Uint8Array.from({ length: 256 }, (_, value) => (isNodata(image, value) ? absent : classOf(value)))
        : null;
    if (table !== null) for (let i = 0, at = from; i < out.length; i++, at += step) out[i] = table[samples[at]];
    else
      for (let i = 0, at = from; i < out.length; i++, at += step)
        out[i] = isNodata(image, samples[at]) ? absent : classOf(samples[at]);
    return out;
  };
}

function isNodata({ nodata }: TiffImage, value: number): boolean {
  return Number.isNaN(value) || value === nodata;
}
