import type { Shape } from '../../geo/shapes/shape.ts';
import { faultSentence, type GeometryFault } from '../../geo/shapes/to-shape.ts';
import type { CheckContext } from '../query.ts';
import { commodityName, nearestCommodity } from '../commodity/commodity-names.ts';
import { commodityWord, countryNamed, sentence } from './sentences.ts';
import { upperFirst } from '../../messages/in-words.ts';
import { countryWord, word, type Said } from '../../messages/said.ts';
import type { UnknownCause } from './evidence.ts';
import type { InputProperties } from '../options.ts';
import { inOrder, type Findings } from '../run-checks.ts';
import type { DatasetRef } from '../sources.ts';
import { THRESHOLDS } from '../thresholds.ts';
import { subjectWord } from './unknown.ts';
import { gravestFirst, warn, type FacilityWarning } from './warnings.ts';
import type { Weighed } from './weigh-evidence.ts';

/** Everything a caller should look at about one facility, gravest first. */
export function findWarnings(
  context: CheckContext,
  found: Findings,
  weighed: Weighed,
  input: InputProperties,
  ignored: readonly GeometryFault[],
): readonly FacilityWarning[] {
  const warnings: FacilityWarning[] = [];
  aboutPlace(context, found, warnings);
  aboutCommodity(context, found, input, warnings);
  aboutSurroundings(found, warnings);
  aboutSources(found, weighed, warnings);
  if (ignored.length > 0)
    warnings.push(
      warn('parts_ignored', {
        reasons_text: ignored.slice(0, 3).map(faultSentence),
      }),
    );
  return gravestFirst(warnings);
}

function aboutPlace({ shape }: CheckContext, { country }: Findings, out: FacilityWarning[]): void {
  const { where, stated, swapped } = country;
  const [lon, lat] = shape.inside;
  const degrees = Math.round(widestPart(shape));
  if (degrees > 180) out.push(warn('spans_half_the_globe', { degrees }));
  const isPoint = shape.points.length === 2 && shape.lines.length === 0 && shape.polygons.length === 0;
  if (swapped !== null) out.push(warn('coordinates_swapped', { swapped: countryNamed(swapped) }));
  if (isPoint && lon === 0 && lat === 0) out.push(warn('null_island'));
  else if (isPoint) aboutPrecision(lon, lat, out);
  if (stated !== null && stated.iso2 === null) out.push(warn('country_unrecognised', { stated: `"${stated.text}"` }));
  if (where === null) return;
  const name: Said =
    where.country === null ? word('place.no_country', 'no country (on the high seas)') : countryNamed(where.country);
  if (!where.onLand)
    out.push(
      warn('off_land', {
        place:
          where.country === null
            ? word('place.high_seas', 'on the high seas')
            : sentence('in_waters', { country: name }),
      }),
    );
  const { disputed } = where;
  if (disputed !== undefined)
    out.push(
      warn('disputed_territory', {
        territory: disputed.name,
        country: name,
        claims: disputed.otherClaims,
      }),
    );
  const isClaimed = disputed?.otherCodes.includes(stated?.iso2 ?? '') ?? false;
  if (stated !== null && stated.iso2 !== null && stated.iso2 !== where.country?.iso2 && !isClaimed)
    out.push(warn('country_mismatch', { stated: countryWord(stated.iso2, stated.text), country: name }));
  const [nearest] = where.neighbours;
  if (nearest !== undefined && where.country !== null) {
    const neighbours = where.neighbours.map(countryNamed);
    out.push(warn('near_border', { country: name, neighbours, distance_m: nearest.distanceM }));
  }
}

/** Degrees of longitude that the widest line or ring spans: parts cut at 180 degrees lie apart and are no mistake. */
function widestPart({ lines, polygons }: Shape): number {
  let widest = 0;
  for (const part of [...lines, ...polygons.map(([outer]) => outer!)]) {
    let [west, east] = [Infinity, -Infinity];
    for (let i = 0; i < part.length; i += 2) {
      west = Math.min(west, part[i]!);
      east = Math.max(east, part[i]!);
    }
    widest = Math.max(widest, east - west);
  }
  return widest;
}

/** Trailing zeros do not survive JSON, so one short coordinate says nothing; two do. */
function aboutPrecision(lon: number, lat: number, out: FacilityWarning[]): void {
  const decimals = Math.max(decimalsOf(lon), decimalsOf(lat));
  if (decimals >= THRESHOLDS.coordinateDecimals) return;
  const words = {
    position: `[${lon}, ${lat}]`,
    decimals: THRESHOLDS.coordinateDecimals,
    accuracy: ACCURACY[decimals] ?? '',
  };
  out.push(warn('low_precision', words));
}

/** One step of the last decimal along a meridian. */
const ACCURACY: Readonly<Record<number, string>> = { 0: '111 km', 1: '11 km', 2: '1.1 km' };

/** Decimals a coordinate is written with, up to 3. */
function decimalsOf(degrees: number): number {
  for (let decimals = 0; decimals < 3; decimals++) {
    const scaled = degrees * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-7) return decimals;
  }
  return 3;
}

function aboutCommodity(
  { options }: CheckContext,
  { country, latitude, commodity }: Findings,
  input: InputProperties,
  out: FacilityWarning[],
): void {
  const own = commodityName(input.commodity);
  const given = options.commodity ?? options.commodityText;
  if (own !== null && given !== null && own.toLowerCase() !== given.toLowerCase())
    out.push(warn('commodity_mismatch', { own: input.commodity ?? own, given }));
  if (options.commodity === null) out.push(fallbackWarning(options.commodityText, maskName(commodity.dataset)));
  else {
    const place = country.where?.country ?? null;
    const subject =
      place === null ? word('place.on_high_seas', 'A place on the high seas') : atStart(countryNamed(place));
    if (country.status === 'absent')
      out.push(warn('country_not_producing', { country: subject, commodity: commodityWord(options.commodity) }));
    if (latitude.fit === 'beyond') out.push(warn('latitude_beyond_limit', { detail: latitude.detail }));
    if (latitude.fit === 'marginal') out.push(warn('latitude_marginal', { detail: latitude.detail }));
  }
  const isRuledOut = options.commodity !== null && (country.status === 'absent' || latitude.status === 'absent');
  if (commodity.status === 'absent' && !isRuledOut) out.push(warn('commodity_not_found', { detail: commodity.detail }));
  // Where only the least is known, the rest of the ground may hold enough: that is no sign of little.
  if (commodity.status === 'present' && commodity.value < 1 && commodity.upTo === undefined)
    out.push(warn('commodity_low', { detail: commodity.detail }));
}

/** The warning of a facility, and of a collection, whose commodity is none of the seven; `mask` names the datasets used. */
export function fallbackWarning(commodityText: string | null, mask?: string): FacilityWarning {
  return warn('commodity_fallback', {
    mask: mask ?? 'none',
    commodity: commodityText === null ? sentence('none_given') : withoutModel(commodityText),
  });
}

function withoutModel(commodity: string): Said {
  const near = nearestCommodity(commodity);
  return near === null ? sentence('no_model', { commodity }) : sentence('no_model_near', { commodity, near });
}

function atStart(name: Said): Said {
  return { ...name, message: upperFirst(name.message) };
}

/** Every dataset of the mask, the first by name first. */
function maskName(dataset: DatasetRef | null): string | undefined {
  return dataset === null ? undefined : [dataset, ...(dataset.also ?? [])].map(({ id }) => id).join(', ');
}

function aboutSurroundings({ road, building, poi, density }: Findings, out: FacilityWarning[]): void {
  const nothing =
    [building, poi].every((finding) => finding.status === 'absent') &&
    (road.status === 'absent' || road.cause === 'not_requested');
  if (nothing) out.push(warn('no_infrastructure'));
  if (density.status === 'present') out.push(warn('dense_urban'));
}

function aboutSources(found: Findings, { lowest, highest }: Weighed, out: FacilityWarning[]): void {
  const failed = wordsOf(found, 'failed');
  const missing = wordsOf(found, 'not_covered');
  if (failed.length === 0 && missing.length === 0) return;
  const effect =
    lowest === highest
      ? sentence('no_effect')
      : sentence('effect_range', { lowest_score: lowest / 100, highest_score: highest / 100 });
  if (failed.length > 0) out.push(warn('source_failed', { indicators_list: failed, effect }));
  if (missing.length > 0) out.push(warn('missing_data', { indicators_list: missing, effect }));
}

function wordsOf(found: Findings, cause: UnknownCause): Said[] {
  return inOrder(found)
    .filter((finding) => finding.cause === cause)
    .map(({ indicator }) => subjectWord(indicator));
}
