import { reachAround } from '../../geo/shapes/reach.ts';
import type { Bbox, LonLat, Shape } from '../../geo/shapes/shape.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { pointInPolygon } from '../../geo/rings/point-in-polygon.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { parseWkt, WktError } from '../../geo/shapes/wkt.ts';
import type { PlotFeature } from '../plot-record.ts';

/** Metres around a facility: what a mill or a collection centre draws from where nobody says otherwise. */
export const DEFAULT_RADIUS_M = 50_000;
export const MAX_RADIUS_M = 200_000;

/** The column of a facility that may hold its supply shed, as WKT or GeoJSON. */
export const SHED_COLUMN = 'supply_shed';

/** The ground a facility draws from: everything within a distance of it, or a polygon that somebody gave. */
export interface Shed {
  readonly kind: 'radius' | 'parameter' | 'column';
  readonly facility: Shape;
  /** Null: within the radius of the facility. */
  readonly ground: Shape | null;
  /** Metres; null for a polygon. */
  readonly radiusM: number | null;
  /** Holds all of it; may reach over the antimeridian to longitudes beyond 180. */
  readonly bbox: Bbox;
}

export interface ShedOptions {
  readonly radiusM: number;
  /** The shed of every requested facility; null: each its own. */
  readonly polygon: Shape | null;
}

/** Farther than any two places are: distances to a facility from anywhere in a polygon. */
const ANYWHERE_M = 25_000_000;

/** The shed of a facility, or why there is none, as a sentence. */
export function shedOf({ geometry, properties }: PlotFeature, { radiusM, polygon }: ShedOptions): Shed | string {
  const { problem } = properties;
  // A place that is known only to its region or country is the middle of it, where no facility stands.
  if (typeof problem === 'string') return `The facility has no usable place: ${problem}`;
  const { shape: facility, ...rest } = toShape(geometry);
  if (facility === null) return `The facility has no usable place. ${'fault' in rest ? rest.fault.message : ''}`.trim();
  if (polygon !== null) return { kind: 'parameter', facility, ground: polygon, radiusM: null, bbox: polygon.bbox };
  const text = columnOf(properties);
  if (text === null) return { kind: 'radius', facility, ground: null, radiusM, bbox: widened(facility.bbox, radiusM) };
  const ground = readPolygon(text);
  if (typeof ground === 'string') return `The column ${SHED_COLUMN} cannot be used: ${ground}`;
  return { kind: 'column', facility, ground, radiusM: null, bbox: ground.bbox };
}

/** Metres from the facility to a place in its shed, 0 inside the facility; null for a place outside the shed. */
export function distanceInShed({ facility, ground, radiusM }: Shed, [lon, lat]: LonLat): number | null {
  if (ground !== null && !ground.polygons.some((rings) => pointInPolygon(rings, lon, lat))) return null;
  const distance = distanceToShapeM(facility, lon, lat, radiusM ?? ANYWHERE_M);
  return distance <= (radiusM ?? Infinity) ? distance : null;
}

/** A polygon as WKT or GeoJSON text or object; a sentence when it is none. */
export function readPolygon(value: unknown): Shape | string {
  let geometry: unknown = value;
  try {
    if (typeof value === 'string') geometry = value.trimStart().startsWith('{') ? JSON.parse(value) : parseWkt(value);
  } catch (error) {
    if (error instanceof WktError) return error.message;
    return 'wanted WKT or GeoJSON, got broken JSON.';
  }
  const { shape, ...rest } = toShape(geometry);
  if (shape === null) return 'fault' in rest ? rest.fault.message : 'wanted a polygon.';
  return shape.polygons.length === 0 ? 'wanted a Polygon or MultiPolygon, got a geometry without area.' : shape;
}

function columnOf(properties: PlotFeature['properties']): unknown {
  const source = properties['source'];
  const value = typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[SHED_COLUMN] : null;
  return value === undefined || value === '' ? null : value;
}

function widened([west, south, east, north]: Bbox, radiusM: number): Bbox {
  const { longitudes, latitudes } = reachAround(south, north, radiusM);
  return [west - longitudes, south - latitudes, east + longitudes, north + latitudes];
}
