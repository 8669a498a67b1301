import type { LonLat } from '../geo/shapes/shape.ts';
import { faultSentence } from '../geo/shapes/to-shape.ts';
import type { Field } from './columns/fields.ts';
import { namesDistricts } from './columns/header.ts';
import type { Measured } from './measure-geometry.ts';
import type { EudrOrigins, EudrProperties, NormalizedLocation, ValueOrigin } from './normalized.ts';
import type { LocationOptions } from './options.ts';
import type { TablePlan } from './plan-table.ts';
import type { ReadRow } from './read-row.ts';
import { ownName, routeRow } from './route-row.ts';
import type { GeocodeAnswer, LocationSources, Place } from './sources.ts';
import type { LocationType } from './values/parse-location-type.ts';
import { countryWord, word, type Said } from '../messages/said.ts';
import { byGravity, locationWarning, type LocationWarning } from './warnings.ts';
import { round } from '../geo/round.ts';
import { whenReady, type MaybePromise } from '../maybe-promise.ts';

/** A normalised location and what the checks of plots still need of it. */
export interface LocatedRow {
  readonly location: NormalizedLocation;
  readonly row: ReadRow;
  /** The country the place was found in, ISO alpha-2. */
  readonly foundCountry: string | null;
}

/** What of a located row its checks need; JSON. */
export interface StagedLocation extends Pick<LocatedRow, 'location' | 'foundCountry'> {
  /** The country that the row or the request states, ISO alpha-2. */
  readonly statedCountry: string | null;
}

/** Stated and measured areas that differ by more than this share are worth a word. */
const AREA_TOLERANCE = 0.1;

/** What a row is read and located with. */
interface RowContext {
  readonly plan: TablePlan;
  /** The sheet or layer; null where the file has one nameless table. */
  readonly sheet: string | null;
  readonly options: LocationOptions;
  readonly sources: LocationSources;
}

/** Finds out where the row is: its country by its coordinates, or its coordinates by its address. */
export function locateRow(row: ReadRow, context: RowContext, signal: AbortSignal): MaybePromise<LocatedRow> {
  const { options, sources } = context;
  const at = row.measured?.shape?.inside;
  if (at !== undefined)
    return whenReady(sources.whereabouts(at), (place) =>
      assemble(row, context, null, placeWarnings(row, at, place, sources), place),
    );
  if (row.geometry !== null) return assemble(row, context, null, [], null);
  const query = {
    address: row.address,
    locality: row.locality,
    localityIsDistrict: namesDistricts(row.columns.locality),
    admin1: row.admin1,
    country: row.country,
    name: row.name,
  };
  const place = { row: row.feature.row };
  const hasAddress = [query.address, query.locality, query.admin1].some((text) => text !== null);
  // Coordinates that could not be read are for whoever wrote them to mend: to say that an address was not found would hide that.
  if (!hasAddress && hasUnreadPlace(row, context.plan)) return assemble(row, context, null, [], null);
  if (!hasAddress && query.name === null && (!row.ownCountry || query.country === null))
    return assemble(row, context, null, [locationWarning('no_location', place)], null);
  if (!options.geocode) return assemble(row, context, null, [locationWarning('geocoding_off', place)], null);
  return whenReady(sources.geocode(query, signal), ({ answer, failures }) => {
    const warnings = [
      ...failures.map(({ provider, reason }) => locationWarning('geocoder_failed', place, { provider, reason })),
      geocodeWarning(answer, row),
    ];
    if (answer === null || pointOf(answer) === null) return assemble(row, context, answer, warnings, null);
    return whenReady(sources.whereabouts(answer.at), (found) =>
      assemble(row, context, answer, [...warnings, ...disputeWarnings(row, found)], null),
    );
  });
}

/** Warnings of coordinates or geometries that stand in the file and cannot be read. */
const UNREAD_POSITION: ReadonlySet<LocationWarning['code']> = new Set([
  'invalid_coordinate',
  'incomplete_coordinates',
  'unreadable_geometry',
  'crs_unknown',
  'crs_refused',
  'cell_error',
  'unreadable_record',
  'not_a_feature',
  'link_not_followed',
]);

/** Whether a row says where it is in a way that cannot be read. */
export function hasUnreadPosition({ warnings }: { readonly warnings: readonly LocationWarning[] }): boolean {
  return warnings.some(({ code }) => UNREAD_POSITION.has(code));
}

/** Fields whose cells may hold errors while the row still says where it is. */
const ELSEWHERE = [
  'location_id',
  'supplier_name',
  'name',
  'production_place',
  'location_type',
  'commodity_type',
  'area',
] as const satisfies readonly Field[];

/** The same, but for errors in cells that say nothing of a place. */
function hasUnreadPlace({ warnings }: ReadRow, { columnsOf }: TablePlan): boolean {
  const isOther = ({ code, column = '' }: LocationWarning): boolean =>
    code === 'cell_error' && ELSEWHERE.some((field) => columnsOf[field]?.includes(column) === true);
  return hasUnreadPosition({ warnings: warnings.filter((warning) => !isOther(warning)) });
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

function placeWarnings(row: ReadRow, at: LonLat, place: Place | null, sources: LocationSources): LocationWarning[] {
  return [...checkCountry(row, at, place, sources), ...disputeWarnings(row, place)];
}

function disputeWarnings(row: ReadRow, place: Place | null): LocationWarning[] {
  if (place?.disputed === undefined) return [];
  const { name: territory, otherClaims } = place.disputed;
  const found = place.country?.name ?? 'no country';
  const claims = otherClaims.join(' and ');
  return [locationWarning('disputed_territory', { row: row.feature.row }, { territory, found, claims })];
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
  // Whoever claims the ground may be stated; that it is disputed is said all the same.
  if (place.disputed?.otherCodes.includes(stated) === true) return [];
  const where = { row: row.feature.row };
  const swapped = Math.abs(lon) <= 90 ? sources.whereabouts([lat, lon]) : null;
  const name = sources.countryName(stated);
  if (swapped !== null && !(swapped instanceof Promise) && swapped.country?.iso2 === stated)
    return [
      locationWarning('coordinates_swapped', where, {
        reason: `the other way round the place lies in ${name}, as the input says`,
      }),
    ];
  const found =
    place.country === null
      ? word('place.no_country', 'no country')
      : countryWord(place.country.iso2, place.country.name);
  return [locationWarning('country_mismatch', where, { stated: countryWord(stated, name), found })];
}

function assemble(
  row: ReadRow,
  { plan, sheet, options, sources }: RowContext,
  geocoded: GeocodeAnswer | null,
  more: readonly LocationWarning[],
  place: Place | null,
): LocatedRow {
  const { feature, measured } = row;
  const { type, doubt } = routeRow(row, plan);
  const warnings = [...row.warnings, ...more];
  if (doubt !== null)
    warnings.push(
      locationWarning(
        'location_type_guessed',
        { row: feature.row },
        { type: word(`term.type.${type}`, type), reason: doubt },
      ),
    );
  if (type === 'plot' && row.supplierName === null)
    warnings.push(locationWarning('producer_missing', { row: feature.row }));
  const areaHa = measured?.shape == null ? row.statedHa : (measured.areaHa ?? row.statedHa);
  if (measured?.shape != null && measured.kind === 'line')
    warnings.push(locationWarning('unsupported_geometry', { row: feature.row }, { type: 'line' }));
  // Of facilities their rating says it.
  const partsReason = type === 'plot' && measured !== null ? leftOutOf(measured) : null;
  if (partsReason !== null)
    warnings.push(locationWarning('parts_ignored', { row: feature.row }, { reason: partsReason }));
  if (
    measured?.shape != null &&
    measured.areaHa !== null &&
    row.statedHa !== null &&
    Math.abs(measured.areaHa - row.statedHa) > AREA_TOLERANCE * Math.max(measured.areaHa, row.statedHa)
  )
    warnings.push(
      locationWarning(
        'area_mismatch',
        { row: feature.row, column: row.columns.area },
        { stated: hectares(row.statedHa), measured: hectares(measured.areaHa) },
      ),
    );
  const foundCountry = place?.country?.iso2 ?? geocoded?.country ?? null;
  const country = row.country ?? foundCountry;
  const { eudr, origins } = eudrOf(row, plan, type, { areaHa, country, geocoded, options });
  const location: NormalizedLocation = {
    type: 'Feature',
    ...(feature.id === undefined ? {} : { id: feature.id }),
    geometry: geocoded === null ? row.geometry : pointOf(geocoded),
    properties: {
      location_id: row.locationId,
      location_type: type,
      name: ownName(row, plan, type)?.text ?? row.productionPlace,
      supplier_name: row.supplierName,
      address: row.address,
      admin1: row.admin1 ?? geocoded?.admin1 ?? null,
      country: country === null ? null : sources.countryName(country),
      country_code: country,
      commodity_type: row.commodity,
      area_ha: areaHa === null ? null : hectares(areaHa),
      geometry_source:
        geocoded !== null && pointOf(geocoded) !== null ? 'geocoded' : row.geometry === null ? 'none' : 'input',
      geocode_precision: geocoded?.precision ?? null,
      geocode_confidence: geocoded === null ? null : round(geocoded.confidence, 2),
      source_row: feature.row,
      ...(sheet === null ? {} : { source_sheet: sheet }),
      eudr,
      eudr_origin: origins,
      warnings: byGravity(warnings),
      source: feature.properties,
    },
  };
  return { location, row, foundCountry };
}

/** Why parts of a usable geometry are neither measured nor declared; null where there are none. */
function leftOutOf(measured: Measured): Said | null {
  if (measured.shape === null) return null;
  const { ignored, apart } = measured;
  if (ignored.length > 0) return faultSentence(ignored[0]!);
  if (apart === 0) return null;
  const message = `${apart} ${apart === 1 ? 'point or line lies' : 'points and lines lie'} outside of the outlines.`;
  return { code: 'fault.apart', params: { count: apart }, message };
}

/** Where an address was found; null for what is known no closer than its country, whose middle is the place of nothing. */
function pointOf({ precision, at }: GeocodeAnswer): { readonly type: 'Point'; readonly coordinates: LonLat } | null {
  return precision === 'country' ? null : { type: 'Point', coordinates: at };
}

interface Known {
  readonly areaHa: number | null;
  /** ISO alpha-2. */
  readonly country: string | null;
  readonly geocoded: GeocodeAnswer | null;
  readonly options: LocationOptions;
}

/** What a statement reads of the row, and where each value comes from. A producer is only who the input names as one. */
function eudrOf(
  row: ReadRow,
  plan: TablePlan,
  type: LocationType,
  { areaHa, country, geocoded, options }: Known,
): { readonly eudr: EudrProperties; readonly origins: EudrOrigins } {
  const { columns, measured } = row;
  const name = ownName(row, plan, type);
  const place = row.productionPlace ?? name?.text ?? row.locality ?? row.address;
  const placeColumn =
    row.productionPlace !== null
      ? columns.production_place
      : (name?.column ?? (row.locality === null ? columns.address : columns.locality));
  const isMeasured = measured?.shape != null && measured.areaHa !== null;
  const found: ValueOrigin = { from: geocoded === null ? 'position' : 'geocoding' };
  const stated: ValueOrigin | null = row.ownCountry
    ? originIn(columns.country)
    : options.country === null
      ? found
      : { from: 'request' };
  return {
    eudr: {
      ProducerName: row.supplierName,
      ProducerCountry: country,
      ProductionPlace: place,
      Area: areaHa === null ? null : hectares(areaHa),
    },
    origins: {
      ProducerName: row.supplierName === null ? null : originIn(columns.supplier_name),
      ProducerCountry: country === null ? null : stated,
      ProductionPlace: place === null ? null : originIn(placeColumn),
      Area: areaHa === null ? null : isMeasured ? { from: 'geometry' } : originIn(columns.area),
    },
  };
}

function originIn(column: string | undefined): ValueOrigin | null {
  return column === undefined ? null : { from: 'column', column };
}

function hectares(value: number): number {
  return round(value, 4);
}
