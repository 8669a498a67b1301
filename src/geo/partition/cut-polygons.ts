import { geojsonToGeosGeom, geosGeomToGeojson } from 'geos-wasm/helpers';
import type { MultiPolygon, Polygon, Position } from '../geometry.ts';
import { locateInPolygon } from '../rings/point-in-polygon.ts';
import { insidePoint } from '../rings/inside-point.ts';
import type { Geos } from './open-geos.ts';

/** A polygon: exterior and holes, each longitude, latitude pairs, flat and closed. */
export type FlatPolygon = readonly Float64Array[];

/**
 * The faces into which lines cut polygons: together they are the polygons, they do not overlap, and neighbours share their vertices. A line that
 * crosses an edge puts a vertex there; no other vertex of the polygons moves. Null where GEOS cannot answer.
 */
export function cutPolygons(
  polygons: readonly FlatPolygon[],
  lines: readonly Float64Array[],
  geos: Geos,
): FlatPolygon[] | null {
  const coordinates = [...polygons.flat(), ...lines].map(positionsOf);
  const faces = polygonize({ type: 'MultiLineString', coordinates }, geos);
  if (faces === null) return null;
  // Lines also enclose holes of the polygons, and ground outside them.
  return faces.filter((face) => {
    const [lon, lat] = insidePoint(face);
    return polygons.some((rings) => locateInPolygon(rings, lon, lat) === 'inside');
  });
}

/** Unites faces that share their vertices; nothing moves. Null where GEOS cannot answer. */
export function uniteFaces(faces: readonly FlatPolygon[], geos: Geos): FlatPolygon[] | null {
  if (faces.length === 1) return [...faces];
  const collection = { type: 'MultiPolygon' as const, coordinates: faces.map((face) => face.map(positionsOf)) };
  return withGeometry(collection, geos, (pointer) => Number(geos.GEOSCoverageUnion(pointer)));
}

function polygonize(lines: object, geos: Geos): FlatPolygon[] | null {
  return withGeometry(lines, geos, (pointer) => {
    const noded = Number(geos.GEOSUnaryUnion(pointer));
    if (noded === 0) return 0;
    const list = geos.Module._malloc(4);
    try {
      geos.Module.HEAPU32[list >> 2] = noded;
      return Number(geos.GEOSPolygonize(list as never, 1));
    } finally {
      geos.Module._free(list);
      geos.GEOSGeom_destroy(noded as never);
    }
  });
}

function withGeometry(geometry: object, geos: Geos, use: (pointer: never) => number): FlatPolygon[] | null {
  let pointer = 0;
  let result = 0;
  try {
    pointer = Number(geojsonToGeosGeom(geometry as Parameters<typeof geojsonToGeosGeom>[0], geos));
    if (pointer === 0) return null;
    result = use(pointer as never);
    return result === 0 ? null : polygonsOf(geosGeomToGeojson(result as never, geos));
  } catch {
    return null;
  } finally {
    for (const each of [pointer, result]) if (each !== 0) geos.GEOSGeom_destroy(each as never);
  }
}

function polygonsOf(geometry: unknown): FlatPolygon[] {
  const { type, ...rest } = geometry as { readonly type: string };
  if (type === 'Polygon') return [flat((rest as unknown as Polygon).coordinates)];
  if (type === 'MultiPolygon') return (rest as unknown as MultiPolygon).coordinates.map(flat);
  if (type === 'GeometryCollection')
    return (rest as unknown as { readonly geometries: readonly unknown[] }).geometries.flatMap(polygonsOf);
  return [];
}

function flat(rings: readonly (readonly Position[])[]): FlatPolygon {
  return rings.map((ring) => Float64Array.from(ring.flatMap(([x, y]) => [x, y])));
}

function positionsOf(ring: Float64Array): number[][] {
  return Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
}
