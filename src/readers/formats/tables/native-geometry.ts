import type { Geometry, Position } from '../../../geo/geometry.ts';
import { WkbError } from '../../../geo/shapes/wkb.ts';

/** How deep lists of positions lie in each encoding of GeoParquet 1.1 that is not WKB. */
const NATIVE = {
  point: { type: 'Point', depth: 0 },
  linestring: { type: 'LineString', depth: 1 },
  polygon: { type: 'Polygon', depth: 2 },
  multipoint: { type: 'MultiPoint', depth: 1 },
  multilinestring: { type: 'MultiLineString', depth: 2 },
  multipolygon: { type: 'MultiPolygon', depth: 3 },
} as const;

/** The geometry of a struct of x and y, or lists of such. @throws WkbError */
export function nativeGeometry(value: unknown, encoding: string): Geometry {
  const kind = encoding.toLowerCase();
  if (!Object.hasOwn(NATIVE, kind)) throw new WkbError(`wanted WKB or a native encoding, got ${encoding}.`);
  const { type, depth } = NATIVE[kind as keyof typeof NATIVE];
  return { type, coordinates: nested(value, depth) } as Geometry;
}

function nested(value: unknown, depth: number): unknown {
  if (depth > 0) {
    if (!Array.isArray(value)) throw new WkbError('wanted a list of positions, got something else.');
    return value.map((item: unknown) => nested(item, depth - 1));
  }
  const { x, y, z } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof x !== 'number' || typeof y !== 'number') throw new WkbError('wanted numbers x and y, got something else.');
  return (typeof z === 'number' ? [x, y, z] : [x, y]) satisfies Position;
}
