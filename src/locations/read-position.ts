import { findCrs } from '../geo/crs/find-crs.ts';
import { lonLatFrom } from '../geo/crs/open-projection.ts';
import type { Geometry, Point } from '../geo/geometry.ts';
import { crsOfRow, type CellOf, type Doubt } from './crs-of-row.ts';
import type { Field } from './columns/fields.ts';
import type { TablePlan } from './plan-table.ts';
import { type Axis, parseCoordinate, type ParsedCoordinate, parsePair } from './values/parse-coordinate.ts';
import { isMapLink } from './values/parse-map-link.ts';
import { looksLikeGeometry, parseGeometryCell } from './values/parse-geometry.ts';
import { parseNumber } from './values/parse-number.ts';

/** What a row's own columns say of where it is: a geometry on WGS84, or null; doubts are named. */
export function readPosition(
  cell: CellOf,
  plan: TablePlan,
  crs: string | null,
  country: string | null,
  doubt: Doubt,
): Geometry | null {
  return (
    fromGeometry(cell('geometry'), doubt) ??
    fromLatLon(cell, plan, crs, doubt) ??
    fromPair(cell('coordinates'), plan, doubt) ??
    fromMetric(cell, plan, crs, country, doubt)
  );
}

function fromGeometry(value: unknown, doubt: Doubt): Geometry | null {
  if (isEmpty(value)) return null;
  const read = looksLikeGeometry(value)
    ? parseGeometryCell(value)
    : { reason: 'it is neither WKT, hexadecimal WKB nor GeoJSON.' };
  if ('geometry' in read) return read.geometry;
  doubt('unreadable_geometry', 'geometry', { reason: read.reason });
  return null;
}

function fromLatLon(cell: CellOf, plan: TablePlan, crs: string | null, doubt: Doubt): Geometry | null {
  const [latitude, longitude] = [cell('latitude'), cell('longitude')];
  if (isEmpty(latitude) && isEmpty(longitude)) return null;
  const lat = readAxis(latitude, 'latitude', plan, doubt);
  const lon = readAxis(longitude, 'longitude', plan, doubt);
  if (lat === null || lon === null) return null;
  if (plan.swapped) {
    doubt('coordinates_swapped', 'latitude', {
      reason: 'the column of latitudes goes beyond 90 and the other does not, so they were read the other way round',
    });
    return place(lat, lon, crs, doubt);
  }
  if (lat.axis === 'longitude' && lon.axis === 'latitude') {
    doubt('coordinates_swapped', 'latitude', { reason: 'the letters next to the numbers say so, and were followed' });
    return place(lat, lon, crs, doubt);
  }
  const point = place(lon, lat, crs, doubt);
  if (point?.coordinates.includes(lat.value)) doubtRange(lat.value, 'latitude', 'latitude', doubt);
  if (point?.coordinates.includes(lon.value)) doubtRange(lon.value, 'longitude', 'longitude', doubt);
  return point;
}

const LIMITS: Readonly<Record<Axis, number>> = { latitude: 90, longitude: 180 };

/** The place is kept as it was written; that it cannot be one is reported with its column. */
function doubtRange(value: number, axis: Axis, field: Field, doubt: Doubt): void {
  const limit = LIMITS[axis];
  if (Math.abs(value) > limit) doubt('out_of_range', field, { axis, number: value, limit });
}

function readAxis(value: unknown, axis: Axis, { letters }: TablePlan, doubt: Doubt): ParsedCoordinate | null {
  if (isEmpty(value)) {
    doubt('incomplete_coordinates', axis, { axis });
    return null;
  }
  const parsed = parseCoordinate(value, letters);
  if (parsed === null) doubt('invalid_coordinate', axis, { axis, reason: reasonFor(value) });
  return parsed;
}

function reasonFor(value: unknown): string {
  if (typeof value !== 'string') return `it is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}`;
  if (/\d.*\D.*\d/.test(value) && /['′"″:m]/.test(value))
    return 'its minutes or seconds cannot be read, or are 60 or more';
  return /\d/.test(value) ? 'it holds more than a number and a hemisphere' : 'it holds no number';
}

/** A point of degrees; numbers far beyond them are taken through the CRS of the request. */
function place(lon: ParsedCoordinate, lat: ParsedCoordinate, crs: string | null, doubt: Doubt): Point | null {
  const [x, y] = [lon.value, lat.value];
  if (crs !== null && (Math.abs(x) > 180 || Math.abs(y) > 180)) return projected(x, y, crs, doubt);
  if (Math.abs(x) > 360 && Math.abs(y) > 90) {
    doubt('crs_unknown', 'longitude', { x, y });
    return null;
  }
  return { type: 'Point', coordinates: [x, y] };
}

function fromPair(value: unknown, { pairOrder, letters }: TablePlan, doubt: Doubt): Geometry | null {
  if (isEmpty(value)) return null;
  if (looksLikeGeometry(value)) return fromGeometry(value, doubt);
  const pair = parsePair(value, letters);
  if (pair === null) {
    const reason =
      typeof value === 'string' && isMapLink(value.trim())
        ? 'the link names no place by its coordinates; the middle of a view is none'
        : 'two coordinates were wanted';
    doubt('invalid_coordinate', 'coordinates', { axis: 'pair of coordinates', reason });
    return null;
  }
  const { first, second } = pair;
  const lonFirst =
    first.axis === 'longitude' ||
    second.axis === 'latitude' ||
    (first.axis === null && second.axis === null && pairOrder === 'longitude first');
  const [lon, lat] = lonFirst ? [first, second] : [second, first];
  if (Math.abs(lat.value) > 90 && Math.abs(lon.value) <= 90 && first.axis === null && second.axis === null) {
    doubt('coordinates_swapped', 'coordinates', {
      reason: 'a latitude cannot be beyond 90, so the pair was read the other way round',
    });
    return { type: 'Point', coordinates: [lat.value, lon.value] };
  }
  doubtRange(lat.value, 'latitude', 'coordinates', doubt);
  doubtRange(lon.value, 'longitude', 'coordinates', doubt);
  return { type: 'Point', coordinates: [lon.value, lat.value] };
}

function fromMetric(
  cell: CellOf,
  plan: TablePlan,
  crs: string | null,
  country: string | null,
  doubt: Doubt,
): Geometry | null {
  const [easting, northing] = [
    parseNumber(cell('easting'), plan.metricSign),
    parseNumber(cell('northing'), plan.metricSign),
  ];
  if (isEmpty(cell('easting')) && isEmpty(cell('northing'))) return null;
  if (easting === null || northing === null) {
    for (const field of ['easting', 'northing'] as const) {
      const value = cell(field);
      if (isEmpty(value)) doubt('incomplete_coordinates', field, { axis: field });
      else if (parseNumber(value, plan.metricSign) === null)
        doubt('invalid_coordinate', field, { axis: field, reason: 'it is not a number of metres' });
    }
    return null;
  }
  const [x, y] = [easting.value, northing.value];
  const name = crsOfRow(cell, plan, country, doubt) ?? crs;
  if (name !== null) return projected(x, y, name, doubt);
  // Columns called X and Y may hold degrees after all.
  if (Math.abs(x) <= 180 && Math.abs(y) <= 90) return { type: 'Point', coordinates: [x, y] };
  doubt('crs_unknown', 'easting', { x, y });
  return null;
}

function projected(x: number, y: number, name: string, doubt: Doubt): Point | null {
  const crs = findCrs(name);
  if ('refused' in crs) {
    doubt('crs_refused', 'epsg', { reason: crs.refused });
    return null;
  }
  const [lon, lat] = (lonLatFrom(crs)({ type: 'Point', coordinates: [x, y] }) as Point).coordinates;
  if (Number.isFinite(lon) && Number.isFinite(lat)) return { type: 'Point', coordinates: [lon, lat] };
  doubt('crs_refused', 'easting', { reason: `${x}, ${y} lies outside ${crs.name}` });
  return null;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}
