import { isExactNumber } from '../geo/parse-json.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import { isRecord } from '../is-record.ts';

/** The point of an input feature, or why it has none. `input` is what came, when that was two numbers. */
type InputPoint =
  | { readonly point: LonLat; readonly input: LonLat }
  | { readonly point: null; readonly input: LonLat | null; readonly fault: string };

/**
 * Takes the point out of whatever stands in a feature's place. A height is accepted and left out; 0, 0 is a place like
 * any other; a longitude beyond 180 is refused, because it may be anything but a longitude.
 */
export function readPoint(feature: unknown): InputPoint {
  if (!isRecord(feature) || feature['type'] !== 'Feature') return unusable(`wanted a Feature, got ${nameOf(feature)}`);
  const { geometry } = feature;
  if (geometry === null || geometry === undefined) return unusable('there is no geometry');
  if (!isRecord(geometry) || geometry['type'] !== 'Point') return unusable(`wanted a Point, got ${nameOf(geometry)}`);
  const { coordinates } = geometry;
  if (!Array.isArray(coordinates)) return unusable(`wanted coordinates as a list, got ${nameOf(coordinates)}`);
  const [lon, lat] = coordinates as unknown[];
  if (coordinates.length < 2) return unusable(`wanted longitude and latitude, got ${coordinates.length} coordinates`);
  if (!isFinite(lon) || !isFinite(lat))
    return unusable(`wanted numbers as coordinates, got ${nameOf(isFinite(lon) ? lat : lon)}`);
  const input: LonLat = [lon, lat];
  const fault = rangeFault(lon, lat);
  return fault === null ? { point: input, input } : { point: null, input, fault };
}

function rangeFault(lon: number, lat: number): string | null {
  if (Math.abs(lat) > 90) {
    const swapped = Math.abs(lon) <= 90 && Math.abs(lat) <= 180;
    const hint = swapped ? '; longitude and latitude look swapped, longitude comes first' : '';
    return `wanted a latitude from -90 to 90, got ${lat}${hint}`;
  }
  return Math.abs(lon) > 180 ? `wanted a longitude from -180 to 180, got ${lon}` : null;
}

function unusable(fault: string): InputPoint {
  return { point: null, input: null, fault };
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** What came, short enough for a message. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isExactNumber(value)) return quote(value.rawJSON);
  if (isRecord(value)) {
    const { type } = value;
    return typeof type === 'string' ? `an object of type ${quote(type)}` : 'an object without a type';
  }
  return typeof value === 'string' ? `the text ${quote(value)}` : String(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
