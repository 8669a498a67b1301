import type { Geometry, Position } from '../../geo/geometry.ts';

/*
 * Places as surveys with ODK, KoboToolbox and SurveyCTO keep them: `latitude longitude altitude accuracy` in degrees and metres, and
 * lists of such points with semicolons (geotrace; geoshape where the last is the first).
 */

/** A coordinate of such a point has three decimals at least, which distinguishes it from minutes, prices and sizes. */
const DEGREES = String.raw`([+-]?\d{1,3}\.\d{3,})`;
const METRES = String.raw`-?\d{1,6}(?:\.\d+)?`;
const GEOPOINT = new RegExp(`^${DEGREES}(?:\\s*,\\s*|\\s+)${DEGREES}(?:(?:\\s*,\\s*|\\s+)${METRES}){1,2}$`);
const VERTEX = `${DEGREES}\\s+${DEGREES}(?:\\s+${METRES}){0,2}`;
const GEOTRACE_START = new RegExp(`^\\s*${VERTEX}\\s*;\\s*${VERTEX}\\s*(;|$)`);

/** The two coordinates of a point with its altitude, and perhaps its accuracy, in the order in which they are written. */
export function splitGeopoint(text: string): readonly [string, string] | null {
  const match = GEOPOINT.exec(text);
  return match === null ? null : [match[1]!, match[2]!];
}

/** Whether a text begins as a geotrace or geoshape does: with two points, latitude first. */
export function startsAsGeotrace(text: string): boolean {
  return GEOTRACE_START.test(text);
}

/** A geoshape as a polygon, a geotrace as a line; null where a point of it cannot be read. */
export function parseGeotrace(text: string): Geometry | null {
  const vertex = new RegExp(`^${VERTEX}$`);
  const positions: Position[] = [];
  for (const part of text.trim().replace(/;$/, '').split(';')) {
    const match = vertex.exec(part.trim());
    if (match === null) return null;
    positions.push([Number(match[2]), Number(match[1])]);
  }
  const [first, last] = [positions[0]!, positions.at(-1)!];
  const isClosed = positions.length > 3 && first[0] === last[0] && first[1] === last[1];
  return isClosed ? { type: 'Polygon', coordinates: [positions] } : { type: 'LineString', coordinates: positions };
}
