import type { LonLat } from '../geo/shape.ts';
import type { NormalizedLocation } from './normalized.ts';
import type { LocationOptions } from './options.ts';
import type { TablePlan } from './plan-table.ts';
import type { ReadRow } from './read-row.ts';
import type { GeocodeAnswer, LocationSources, MaybePromise, Place } from './sources.ts';
import type { LocationType } from './values/parse-location-type.ts';
import { byGravity, locationWarning, type LocationWarning } from './warnings.ts';

/** A normalised location and what the checks of plots still need of it. */
export interface LocatedRow {
  readonly location: NormalizedLocation;
  readonly row: ReadRow;
  /** The country the place was found in, ISO alpha-2. */
  readonly foundCountry: string | null;
}

/** Stated and measured areas that differ by more than this share are worth a word. */
const AREA_TOLERANCE = 0.1;

/** Asks where the row is: its country by its coordinates, or its coordinates by its address. */
export function locateRow(
  row: ReadRow,
  plan: TablePlan,
  sheet: string | null,
  options: LocationOptions,
  sources: LocationSources,
  signal: AbortSignal,
): MaybePromise<LocatedRow> {
  const at = row.measured?.shape?.inside;
  if (at !== undefined)
    return whenKnown(sources.whereabouts(at), (place) =>
      assemble(row, plan, sheet, null, checkCountry(row, at, place, sources), place),
    );
  if (row.geometry !== null) return assemble(row, plan, sheet, null, [], null);
  const query = {
    address: row.address,
    locality: row.locality,
    admin1: row.admin1,
    country: row.country,
    name: row.name,
  };
  const hasText = [query.address, query.locality, query.admin1, query.name, row.ownCountry ? query.country : null].some(
    (text) => text !== null,
  );
  const place = { row: row.feature.row };
  // Coordinates that could not be read are a matter for the one who wrote them; the address may still help.
  if (!hasText)
    return assemble(
      row,
      plan,
      sheet,
      null,
      hasUnreadPosition(row) ? [] : [locationWarning('no_location', place)],
      null,
    );
  if (!options.geocode) return assemble(row, plan, sheet, null, [locationWarning('geocoding_off', place)], null);
  return whenKnown(sources.geocode(query, signal), ({ answer, failures }) => {
    const warnings = failures.map(({ provider, reason }) =>
      locationWarning('geocoder_failed', place, { provider, reason }),
    );
    return assemble(row, plan, sheet, answer, [...warnings, geocodeWarning(answer, row)], null);
  });
}

function hasUnreadPosition({ warnings }: ReadRow): boolean {
  const about = new Set([
    'invalid_coordinate',
    'incomplete_coordinates',
    'unreadable_geometry',
    'crs_unknown',
    'crs_refused',
    'unreadable_record',
    'not_a_feature',
  ]);
  return warnings.some(({ code }) => about.has(code));
}

function geocodeWarning(answer: GeocodeAnswer | null, row: ReadRow): LocationWarning {
  const place = { row: row.feature.row };
  if (answer === null) {
    const query = [row.address, row.locality, row.admin1, row.country, row.name]
      .filter((text) => text !== null)
      .join(', ');
    return locationWarning('geocoding_failed', place, { query: query.slice(0, 120) });
  }
  const { name, precision, provider } = answer;
  const isCoarse = precision === 'region' || precision === 'country';
  return locationWarning(isCoarse ? 'geocoding_imprecise' : 'geocoded', place, { name, precision, provider });
}

function checkCountry(
  row: ReadRow,
  [lon, lat]: LonLat,
  place: Place | null,
  sources: LocationSources,
): LocationWarning[] {
  const stated = row.country;
  if (stated === null || place === null || place.country?.iso2 === stated || place.neighbours.includes(stated))
    return [];
  const where = { row: row.feature.row };
  const swapped = Math.abs(lon) <= 90 ? sources.whereabouts([lat, lon]) : null;
  const name = sources.countryName(stated);
  if (swapped !== null && !(swapped instanceof Promise) && swapped.country?.iso2 === stated)
    return [
      locationWarning('coordinates_swapped', where, {
        reason: `the other way round the place lies in ${name}, as the input says`,
      }),
    ];
  return [locationWarning('country_mismatch', where, { stated: name, found: place.country?.name ?? 'no country' })];
}

function assemble(
  row: ReadRow,
  plan: TablePlan,
  sheet: string | null,
  geocoded: GeocodeAnswer | null,
  more: readonly LocationWarning[],
  place: Place | null,
): LocatedRow {
  const { feature, measured } = row;
  const type = routeRow(row, plan);
  const warnings = [...row.warnings, ...more];
  const areaHa = measured?.shape == null ? row.statedHa : (measured.areaHa ?? row.statedHa);
  if (measured?.shape != null && measured.kind === 'line')
    warnings.push(locationWarning('unsupported_geometry', { row: feature.row }, { type: 'line' }));
  if (
    measured?.shape != null &&
    measured.areaHa !== null &&
    row.statedHa !== null &&
    Math.abs(measured.areaHa - row.statedHa) > AREA_TOLERANCE * Math.max(measured.areaHa, row.statedHa)
  )
    warnings.push(
      locationWarning(
        'area_mismatch',
        { row: feature.row, column: plan.columnOf.area },
        { stated: hectares(row.statedHa), measured: hectares(measured.areaHa) },
      ),
    );
  const foundCountry = place?.country?.iso2 ?? geocoded?.country ?? null;
  const country = row.country ?? foundCountry;
  const location: NormalizedLocation = {
    type: 'Feature',
    ...(feature.id === undefined ? {} : { id: feature.id }),
    geometry: geocoded === null ? row.geometry : { type: 'Point', coordinates: geocoded.at },
    properties: {
      location_id: row.locationId,
      location_type: type,
      name: row.name,
      supplier_name: row.supplierName,
      address: row.address,
      admin1: row.admin1 ?? geocoded?.admin1 ?? null,
      country,
      commodity_type: row.commodity,
      area_ha: areaHa === null ? null : hectares(areaHa),
      geometry_source: geocoded !== null ? 'geocoded' : row.geometry === null ? 'none' : 'input',
      geocode_precision: geocoded?.precision ?? null,
      geocode_confidence: geocoded === null ? null : Math.round(geocoded.confidence * 100) / 100,
      source_row: feature.row,
      ...(sheet === null ? {} : { source_sheet: sheet }),
      eudr: {
        ProducerName: row.supplierName ?? row.name,
        ProducerCountry: country,
        ProductionPlace: row.name ?? row.locality ?? row.address,
        Area: areaHa === null ? null : hectares(areaHa),
      },
      warnings: byGravity(warnings),
      source: feature.properties,
    },
  };
  return { location, row, foundCountry };
}

/** What the row says, then what it looks like: an outline is a plot, a point what the headings hint at, or a plot where the table has areas. */
function routeRow({ statedType, geometry }: ReadRow, { typeHint, columnOf }: TablePlan): LocationType {
  if (statedType !== null) return statedType;
  // An outline that is broken is one all the same: it is as a plot that it can be repaired.
  const hasOutline = /^(Multi)?Polygon$/.test(String((geometry as { type?: unknown } | null)?.type));
  if (hasOutline) return 'plot';
  return typeHint ?? (columnOf.area === undefined ? 'facility' : 'plot');
}

function hectares(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Goes on at once where the answer is there, else when it comes. */
export function whenKnown<T, R>(value: MaybePromise<T>, use: (value: T) => R): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
