import { CUT_OFF } from '../../src/monitoring-days.ts';
import type { MapTheme } from './colours.ts';

/** First year of datasets of losses, and one that is later than all there will be for long. */
const [FIRST, LAST] = [2001, 2049] as const;
/** The last year that ends with the cut-off date. */
export const LAST_BEFORE_CUT_OFF = Number(CUT_OFF.slice(0, 4));

type Rgb = readonly [red: number, green: number, blue: number];

/** Ends of two ramps: losses until the cut-off in blue, later ones from orange to purple. */
const RAMPS: Readonly<Record<MapTheme, { readonly before: readonly [Rgb, Rgb]; readonly since: readonly [Rgb, Rgb] }>> =
  {
    light: {
      before: [
        [20, 40, 90],
        [52, 112, 176],
      ],
      since: [
        [184, 74, 10],
        [122, 8, 74],
      ],
    },
    dark: {
      before: [
        [94, 134, 214],
        [176, 216, 255],
      ],
      since: [
        [255, 158, 74],
        [255, 92, 168],
      ],
    },
  };
/** Years after the cut-off within which the later ramp runs. */
const SINCE_YEARS = 8;

/** Every year that has a mark of its own. */
export const MARKED_YEARS: readonly number[] = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);

/** The colour of a year of loss. */
export function yearColour(year: number, theme: MapTheme): string {
  const isBefore = year <= LAST_BEFORE_CUT_OFF;
  const [from, to] = RAMPS[theme][isBefore ? 'before' : 'since'];
  const share = isBefore
    ? (year - FIRST) / (LAST_BEFORE_CUT_OFF - FIRST)
    : (year - LAST_BEFORE_CUT_OFF - 1) / (SINCE_YEARS - 1);
  const at = Math.max(0, Math.min(1, share));
  return `#${from.map((value, i) => hex(Math.round(value + at * (to[i]! - value)))).join('')}`;
}

/** The look of a mark of a year, as markers and outlines are named by it. */
export function yearLook(year: number): string {
  return `y${year}`;
}

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}
