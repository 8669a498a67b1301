import { createQuery, type Query } from '../../facilities/query.ts';
import { checkCountry, type CountryFinding } from '../../facilities/checks/country.ts';
import { checkLatitude } from '../../facilities/checks/latitude.ts';
import { COMMODITY_RULES } from '../../facilities/commodity/commodities.ts';
import { parseCommodity } from '../../facilities/commodity/commodity-names.ts';
import { countryInSentence } from '../../messages/in-words.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { FacilitySources, Surface } from '../../facilities/sources.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../../geo/ellipsoid.ts';
import { sampleShape } from '../../geo/shapes/sample-shape.ts';
import type { LonLat, Shape } from '../../geo/shapes/shape.ts';
import type { PlotPosition, PlotWater, PlotZone } from '../../locations/plots/check-position.ts';

/** Places of a plot that are looked at for water: 3 % of it each. */
const WATER_SAMPLES = 36;

/** Built-in data may still be opening or being packed: nothing else is queried, and it is worth waiting for. */
const OPENING_MS = 120_000;

/** Where a plot lies by the same checks as facilities have: its country, what the commodity tolerates, land or water. */
export async function plotPosition(
  shape: Shape,
  commodityText: string | null,
  statedCountry: string | null,
  sources: FacilitySources,
  options: FacilityOptions,
  signal: AbortSignal,
): Promise<PlotPosition> {
  const query = createQuery({
    timeoutMs: Math.max(options.checkTimeoutMs, OPENING_MS),
    signal,
    ...(sources.reportFailure === undefined ? {} : { reportFailure: sources.reportFailure.bind(sources) }),
  });
  const commodity = commodityText === null ? options.commodity : parseCommodity(commodityText);
  const context = { shape, sources, query, options: { ...options, commodity } };
  const country = await checkCountry(context, statedCountry);
  const { where, swapped } = country;
  return {
    water: await waterOf(shape, sources, query),
    swapped: swapped === null ? null : countryInSentence(swapped.name),
    onLand: where === null ? null : where.onLand,
    country: where?.country == null ? null : countryInSentence(where.country.name),
    neighbours:
      where?.country == null
        ? []
        : where.neighbours.map(({ iso2, name, distanceM }) => ({ iso2, name: countryInSentence(name), distanceM })),
    zone: zoneOf(commodityText ?? options.commodityText, context, country),
  };
}

function zoneOf(
  text: string | null,
  context: Parameters<typeof checkLatitude>[0],
  { status, detail, where }: CountryFinding,
): PlotZone {
  const { commodity } = context.options;
  if (commodity === null) return { known: false, commodity: text };
  const latitude = checkLatitude(context);
  return {
    known: true,
    commodity: COMMODITY_RULES[commodity].label,
    place: where?.country == null ? null : countryInSentence(where.country.name),
    country: status === 'unknown' ? 'unknown' : status === 'present' ? 'produces' : 'does not produce',
    countryDetail: detail.message,
    latitude: latitude.fit,
    latitudeDetail: latitude.detail.message,
  };
}

/**
 * How much of the plot lies in water. Outlines of water are off by some hundred metres, so that a plot on the shore may seem
 * to lie in it: only what has water all round within that distance counts as `certainShare`. Null where nobody knows.
 */
async function waterOf(
  shape: Shape,
  sources: Pick<FacilitySources, 'surface'>,
  query: Query,
): Promise<PlotWater | null> {
  const surfaceAt = async (at: LonLat): Promise<Surface | null> => {
    const result = await query('surface', () => sources.surface?.(at) ?? null);
    return result.dataset === null ? null : result.value;
  };
  const isWater = async (at: LonLat): Promise<boolean> => (await surfaceAt(at))?.water != null;
  const places = sampleShape(shape, WATER_SAMPLES);
  const kinds = new Set<string>();
  let [wet, certain] = [0, 0];
  for (const place of places) {
    const surface = await surfaceAt(place);
    if (surface === null) return null;
    if (surface.water === null) continue;
    kinds.add(surface.water);
    wet++;
    const around = await Promise.all(placesAround(place, surface.outlineM).map(isWater));
    if (around.every(Boolean)) certain++;
  }
  return { share: wet / places.length, certainShare: certain / places.length, kinds: [...kinds] };
}

/** East, north, west and south of a place, so many metres away. */
function placesAround([lon, lat]: LonLat, metres: number): readonly LonLat[] {
  const east = metres / Math.max(1, metresPerDegreeEast(Math.min(89, Math.abs(lat))));
  const north = metres / metresPerDegreeNorth(lat);
  const turned = (degrees: number): number =>
    degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;
  return [
    [turned(lon + east), lat],
    [lon, Math.min(90, lat + north)],
    [turned(lon - east), lat],
    [lon, Math.max(-90, lat - north)],
  ];
}
