import { NO_CLASS } from '../../geo/zonal/sum-pixels.ts';
import type { SampleArray, TiffImage } from '../formats/tiff/tiff-image.ts';
import { DAY_MS } from '../../durations.ts';
import type {
  AlertDatesSpec,
  ForestMaskSpec,
  LandCoverSpec,
  LossYearSpec,
  RasterSpec,
  ValueSpec,
} from './raster-spec.ts';
import { isYes, type VoteSpec } from './vote-spec.ts';

/** The pixels of a raster as they are measured: classes, or values with NaN for no data. */
export type Pixels = Uint8Array | Float32Array;

/** Turns rows of decoded blocks into pixels to measure. */
interface RowEncoder<P extends Pixels> {
  /** Writes `count` pixels of a block, from the place of pixel `from` on, into `out` from `at` on. */
  write(samples: SampleArray, from: number, count: number, out: P, at: number): void;
}

/** How the samples of a raster become pixels to measure. */
export interface Encoding<P extends Pixels> {
  readonly make: new (length: number) => P;
  /** Classes there are, counted from 0; 0 where pixels are values. */
  readonly classes: number;
  /** The same for each image: what depends on it is worked out once. */
  rows(image: TiffImage): RowEncoder<P>;
}

/** Classes of a forest mask. */
const NO_FOREST = 0;
export const FOREST = 1;
/** Class of a pixel that was never lost; the others are years from the dataset's first one, counted from 1. */
export const NOT_LOST = 0;

/** Pixels of a forest mask as `NO_FOREST`, `FOREST` or `NO_CLASS`. */
export function encodeForest(spec: ForestMaskSpec): Encoding<Uint8Array> {
  const { threshold, classes } = spec;
  return encodeClasses(spec, 2, (value) =>
    (threshold === null ? classes.includes(value) : value >= threshold) ? FOREST : NO_FOREST,
  );
}

/** Pixels of a dataset of losses as `NOT_LOST`, 1 for its first year and so on, or `NO_CLASS`; years it does not cover are no data. */
export function encodeLosses(spec: LossYearSpec): Encoding<Uint8Array> {
  const { baseYear, years } = spec;
  return encodeClasses(spec, years[1] - years[0] + 2, (value) => {
    const year = value + baseYear;
    if (value === 0) return NOT_LOST;
    return Number.isInteger(year) && year >= years[0] && year <= years[1] ? year - years[0] + 1 : NO_CLASS;
  });
}

/** Pixels of a raster that votes: bit i of the class is set where rule i says yes; or `NO_CLASS`. */
export function encodeVotes(spec: VoteSpec): Encoding<Uint8Array> {
  const { rules, known } = spec;
  return encodeClasses(spec, 2 ** rules.length, (value) => {
    if (known !== null && value !== 0 && !(Number.isInteger(value) && isYes(known, value))) return NO_CLASS;
    return rules.reduce((bits, { yes }, i) => (isYes(yes, value) ? bits | (1 << i) : bits), 0);
  });
}

/** Classes of a map of alerts: its status up to 8, and one for all others. */
export const ALERT_CLASSES = 10;

/** Pixels of a map of alerts by their status; `ALERT_CLASSES - 1` is one that no coding has, 255 is no data. */
export function encodeAlerts(spec: RasterSpec): Encoding<Uint8Array> {
  return encodeClasses(spec, ALERT_CLASSES, (value) => {
    if (value === 255) return NO_CLASS;
    return Number.isInteger(value) && value >= 0 ? Math.min(value, ALERT_CLASSES - 1) : NO_CLASS;
  });
}

/** The first year that a map of the days of alerts has a class for; 0 is no day. */
export const FIRST_ALERT_YEAR = 2021;
/** Classes of such a map: no day, and the years up to 2099. */
export const ALERT_YEAR_CLASSES = 80;

/** Pixels of a map of days by the year they lie in. */
export function encodeAlertDates(spec: AlertDatesSpec): Encoding<Uint8Array> {
  return encodeClasses(spec, ALERT_YEAR_CLASSES, (days) => {
    if (!(days > 0)) return 0;
    const year = new Date(spec.epochMs + days * DAY_MS).getUTCFullYear() - FIRST_ALERT_YEAR + 1;
    return year >= 1 && year < ALERT_YEAR_CLASSES ? year : 0;
  });
}

/** Pixels of a map of land cover by their place in its legend, or `NO_CLASS`. */
export function encodeLandCover(spec: LandCoverSpec): Encoding<Uint8Array> {
  const places = new Map(spec.legend.map(([value], place) => [value, place]));
  return encodeClasses(spec, spec.legend.length, (value) => places.get(value) ?? NO_CLASS);
}

/** Values of a raster of biomass or heights, NaN for no data. Below 0 is no data too: neither can be. */
export function encodeValues({ band, nodata, nodataValue, scale }: ValueSpec): Encoding<Float32Array> {
  const absent = nodata === 'absent' ? 0 : Number.NaN;
  return {
    make: Float32Array,
    classes: 0,
    rows: onceAnImage((image) => {
      const { step, first } = stride(image, band);
      return {
        write(samples, from, count, out, at) {
          for (let i = 0, place = from * step + first; i < count; i++, place += step) {
            const value = samples[place];
            const isAbsent = isNodata(image, value) || value === nodataValue;
            out[at + i] = isAbsent ? absent : value >= 0 ? value * scale : Number.NaN;
          }
        },
      };
    }),
  };
}

function encodeClasses(
  { band, nodata }: RasterSpec,
  classes: number,
  classOf: (value: number) => number,
): Encoding<Uint8Array> {
  const absent = nodata === 'absent' ? classOf(0) : NO_CLASS;
  return {
    make: Uint8Array,
    classes,
    rows: onceAnImage((image) => {
      const { step, first } = stride(image, band);
      const read = (value: number): number => (isNodata(image, value) ? absent : classOf(value));
      // Of bytes there are 256, of which each is looked at once.
      const table = image.sampleType === 'uint8' ? Uint8Array.from({ length: 256 }, (_, value) => read(value)) : null;
      if (table === null)
        return {
          write(samples, from, count, out, at) {
            for (let i = 0, place = from * step + first; i < count; i++, place += step)
              out[at + i] = read(samples[place]);
          },
        };
      return {
        write(samples, from, count, out, at) {
          const bytes = samples as Uint8Array;
          for (let i = 0, place = from * step + first; i < count; i++, place += step) out[at + i] = table[bytes[place]];
        },
      };
    }),
  };
}

function onceAnImage<P extends Pixels>(make: (image: TiffImage) => RowEncoder<P>): Encoding<P>['rows'] {
  const made = new WeakMap<TiffImage, RowEncoder<P>>();
  return (image) => {
    const known = made.get(image) ?? make(image);
    made.set(image, known);
    return known;
  };
}

/** Samples from one pixel to the next in a block, and the place of the band in the first. */
function stride({ interleave, bands }: TiffImage, band: number): { readonly step: number; readonly first: number } {
  return interleave === 'pixel' ? { step: bands, first: band } : { step: 1, first: 0 };
}

function isNodata({ nodata }: TiffImage, value: number): boolean {
  return Number.isNaN(value) || value === nodata;
}
