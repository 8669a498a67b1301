import type { LocationProperties } from '../normalized.ts';
import type { LocationWarningCode } from '../warnings.ts';
import { upperFirst } from '../../messages/in-words.ts';
import { PLOT_RULES } from './plot-options.ts';

/** What a check found, in words: one sentence, or a few. `unknown`: it could not be looked at. */
export interface CheckOutcome {
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly detail: string;
}

export type Warn = (code: LocationWarningCode, blanks: Readonly<Record<string, string | number>>) => void;

/** How much of a plot lies in water. */
export interface PlotWater {
  /** 0 to 1, of places spread over the plot. */
  readonly share: number;
  /** The part of the plot that lies farther from the shore than outlines of water are off. */
  readonly certainShare: number;
  /** `sea`, `lake`, `river`. */
  readonly kinds: readonly string[];
}

/** What is known of growing the commodity at the place of a plot. */
export type PlotZone =
  | {
      /** No commodity, or one without a table of countries and latitudes. */
      readonly known: false;
      readonly commodity: string | null;
    }
  | {
      readonly known: true;
      readonly commodity: string;
      /** Country of the place, as it stands within a sentence; null in none. */
      readonly place: string | null;
      readonly country: 'produces' | 'does not produce' | 'unknown';
      readonly countryDetail: string;
      readonly latitude: 'optimal' | 'viable' | 'marginal' | 'beyond';
      readonly latitudeDetail: string;
    };

/** Where a plot lies. Countries stand as within a sentence. */
export interface PlotPosition {
  /** Null where nobody knows. */
  readonly water: PlotWater | null;
  /** The country that would hold the plot with longitude and latitude exchanged, where that fits better. */
  readonly swapped: string | null;
  /** Of a place inside the plot; null where nobody knows. */
  readonly onLand: boolean | null;
  /** Null on the high seas, or where nobody knows. */
  readonly country: string | null;
  /** Other countries within 5 km, the nearest first. */
  readonly neighbours: readonly { readonly iso2: string; readonly name: string; readonly distanceM: number }[];
  readonly zone: PlotZone;
}

/** Whether the plot lies where a plot can lie: on land, not at 0, 0, and not with its coordinates exchanged. */
export function positionCheck(
  position: PlotPosition | null,
  { warnings }: LocationProperties,
  warn: Warn,
): CheckOutcome {
  const has = (code: LocationWarningCode): boolean => warnings.some((warning) => warning.code === code);
  if (has('null_island'))
    return { status: 'fail', detail: 'Longitude 0 and latitude 0 usually stand for a missing location.' };
  if (position === null) return { status: 'unknown', detail: 'The plot has no usable geometry.' };
  const { water, swapped, onLand } = position;
  if (swapped !== null && !has('coordinates_swapped'))
    warn('coordinates_swapped', { reason: `the other way round the plot lies in ${swapped}` });
  const wet = water === null ? null : waterCheck(water, warn);
  if (swapped !== null)
    return {
      status: 'fail',
      detail: `Longitude and latitude look swapped: the other way round the plot lies in ${swapped}.${wet === null || wet.status === 'pass' ? '' : ` ${wet.detail}`}`,
    };
  if (wet !== null) return wet;
  return onLand === false
    ? { status: 'warn', detail: 'The plot does not lie on the land of any country; water was not looked at.' }
    : { status: 'unknown', detail: 'Nothing separates land from water here.' };
}

function waterCheck({ share, certainShare, kinds }: PlotWater, warn: Warn): CheckOutcome {
  if (share === 0) return { status: 'pass', detail: 'The plot lies on land.' };
  const percent = Math.max(1, Math.round(share * 100));
  const where = kinds.map((kind) => WATERS[kind] ?? kind).join(' and ');
  const isIn = certainShare >= PLOT_RULES.inWaterShare;
  warn(isIn ? 'off_land' : 'partly_in_water', { share: percent, water: where });
  const detail = `${percent} % of the plot lies in ${where}.`;
  return isIn
    ? { status: 'fail', detail }
    : { status: 'warn', detail: `${detail} Outlines of water may be off by some hundred metres.` };
}

const WATERS: Readonly<Record<string, string>> = { sea: 'the sea', lake: 'a lake', river: 'a river' };

/** Whether the plot lies in the stated country, and how near another one is. */
export function countryCheck(
  { country, warnings }: LocationProperties,
  stated: string | null,
  found: string | null,
  position: PlotPosition | null,
  warn: Warn,
): CheckOutcome {
  if (warnings.some(({ code }) => code === 'country_mismatch'))
    return { status: 'fail', detail: `The plot does not lie in ${country}, the stated country.` };
  if (warnings.some(({ code }) => code === 'coordinates_swapped') && stated !== null && stated !== found)
    return { status: 'fail', detail: `The plot does not lie in ${country}, the stated country.` };
  if (found === null)
    return position?.onLand === false
      ? { status: 'fail', detail: 'The plot lies on the high seas, in no country.' }
      : { status: 'unknown', detail: 'The country of the place is not known.' };
  const place = position?.country ?? found;
  if (position?.onLand === false)
    return { status: 'warn', detail: `The plot lies in waters that the borders of the data assign to ${place}.` };
  const [nearest] = position?.neighbours ?? [];
  if (nearest === undefined) return { status: 'pass', detail: `The plot lies in ${place}.` };
  const neighbours = position!.neighbours.map(({ name }) => name).join(' and ');
  const distance = distanceText(nearest.distanceM);
  warn('near_border', { country: place, neighbours, distance });
  const detail = `The plot lies in ${place}, ${distance} from the border with ${neighbours}.`;
  if (stated === found) return { status: 'pass', detail };
  const doubt =
    stated === null
      ? 'The input states no country, and outlines of countries are generalised.'
      : `The input says ${country}.`;
  return { status: 'warn', detail: `${detail} ${doubt}` };
}

function distanceText(metres: number): string {
  return metres < 1_000 ? `${Math.round(metres)} m` : `${(metres / 1_000).toFixed(1)} km`;
}

/** Whether the commodity is grown there at all, by its producing countries and its latitudes. */
export function zoneCheck(position: PlotPosition | null, warn: Warn): CheckOutcome {
  if (position === null) return { status: 'unknown', detail: 'The plot has no usable geometry.' };
  const { zone } = position;
  if (!zone.known)
    return {
      status: 'unknown',
      detail:
        zone.commodity === null
          ? 'No commodity was named, so nothing says whether it grows here.'
          : `There is no table of countries and latitudes for "${zone.commodity}".`,
    };
  const { commodity, place, country, countryDetail, latitude, latitudeDetail } = zone;
  const detail = `${countryDetail} ${latitudeDetail}`;
  if (country === 'does not produce')
    warn('country_not_producing', {
      place: place === null ? 'A place on the high seas' : upperFirst(place),
      commodity,
    });
  if (latitude === 'beyond') warn('latitude_beyond_limit', { detail: latitudeDetail });
  if (latitude === 'marginal') warn('latitude_marginal', { detail: latitudeDetail });
  if (country === 'does not produce' || latitude === 'beyond') return { status: 'fail', detail };
  if (country === 'unknown') return { status: 'unknown', detail };
  return { status: latitude === 'marginal' ? 'warn' : 'pass', detail };
}
