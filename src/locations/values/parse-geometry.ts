import { findCrs } from '../../geo/crs/find-crs.ts';
import { lonLatFrom } from '../../geo/crs/open-projection.ts';
import type { Geometry } from '../../geo/geometry.ts';
import { parseWkb, WkbError } from '../../geo/shapes/wkb.ts';
import { parseWkt, startsAsWkt, WktError } from '../../geo/shapes/wkt.ts';
import { isRecord } from '../../is-record.ts';
import { parseGeotrace, startsAsGeotrace } from './parse-survey.ts';

type GeometryCell = { readonly geometry: Geometry } | { readonly reason: string };

const WKB_START = /^\s*(\\x|0x)?0[01][0-9a-f]{16,}\s*$/i;
const JSON_START = /^\s*\{.*"type"\s*:/s;

/** Whether a cell looks like WKT, EWKT, hexadecimal WKB or a GeoJSON geometry. */
export function looksLikeGeometry(value: unknown): boolean {
  if (isGeometryObject(value)) return true;
  return (
    typeof value === 'string' &&
    value.length >= 8 &&
    (startsAsWkt(value) ||
      startsAsGeotrace(value) ||
      (value.length % 2 === 0 && WKB_START.test(value)) ||
      JSON_START.test(value))
  );
}

/** Reads a cell with a geometry, taking an SRID that is not 4326 to WGS84; the reason is a sentence. */
export function parseGeometryCell(value: unknown): GeometryCell {
  try {
    if (isGeometryObject(value)) return { geometry: value };
    const text = String(value).trim();
    if (JSON_START.test(text)) return fromJson(text);
    if (WKB_START.test(text)) {
      const { geometry, srid } = parseWkb(Buffer.from(text.replace(/^(\\x|0x)/i, ''), 'hex'));
      return inCrs(geometry, srid);
    }
    if (startsAsGeotrace(text)) {
      const geometry = parseGeotrace(text);
      return geometry === null ? { reason: 'One of its points cannot be read.' } : { geometry };
    }
    const srid = /^SRID\s*=\s*(\d{1,6})\s*;\s*/i.exec(text);
    return inCrs(parseWkt(srid === null ? text : text.slice(srid[0].length)), srid === null ? null : Number(srid[1]));
  } catch (error) {
    if (error instanceof WktError || error instanceof WkbError) return { reason: error.message };
    throw error;
  }
}

function fromJson(text: string): GeometryCell {
  try {
    const parsed = JSON.parse(text) as unknown;
    const inner = isRecord(parsed) && parsed['type'] === 'Feature' ? parsed['geometry'] : parsed;
    return isGeometryObject(inner) ? { geometry: inner } : { reason: 'The JSON is not a GeoJSON geometry.' };
  } catch {
    return { reason: 'The text begins like JSON but is not JSON.' };
  }
}

function inCrs(geometry: Geometry, srid: number | null): GeometryCell {
  if (srid === null || srid === 0 || srid === 4326) return { geometry };
  const crs = findCrs(`EPSG:${srid}`);
  return 'refused' in crs
    ? { reason: `The SRID cannot be used: ${crs.refused}.` }
    : { geometry: lonLatFrom(crs)(geometry) };
}

function isGeometryObject(value: unknown): value is Geometry {
  return isRecord(value) && typeof value['type'] === 'string' && ('coordinates' in value || 'geometries' in value);
}
