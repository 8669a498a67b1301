import geodesic from 'geographiclib-geodesic';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import { polygonArea } from '../rings/polygon-area.ts';
import type { Bbox, Shape } from '../shapes/shape.ts';
import { flatten } from '../shapes/flat-positions.ts';
import { toShape } from '../shapes/to-shape.ts';

/** A polygon of a plot, to be measured alone. */
export interface GroundPart {
  /** Exterior ring and holes: longitude, latitude in degrees, flat and closed. */
  readonly rings: readonly Float64Array[];
  /** May reach beyond 180 degrees, where the part goes on on the other side. */
  readonly bbox: Bbox;
}

/** The ground of a plot. */
export interface PlotGround {
  /** A polygon as it is, or circles around points. */
  readonly kind: 'polygon' | 'circle';
  /** Polygons must not overlap each other: ground under two of them counts twice. */
  readonly parts: readonly GroundPart[];
  /** Geodesic hectares on WGS84. */
  readonly areaHa: number;
}

/** Hectares of a point whose area nobody stated: the largest that may be given as a point (Regulation (EU) 2023/1115, article 2). */
export const DEFAULT_POINT_HA = 4;
/** Corners of a circle. */
const CORNERS = 64;
/** Metres up to which a circle is drawn by the metric at its middle. */
const NEAR_M = 500;
const WGS84 = geodesic.Geodesic.WGS84;

/**
 * The ground of a shape: its polygons; where it has none, a circle around each of its points, all together of the stated
 * hectares, or 4 a point. Null for lines, and for an area that is not above 0.
 */
export function groundOf(shape: Pick<Shape, 'polygons' | 'points'>, statedHa: number | null): PlotGround | null {
  const kind = shape.polygons.length > 0 ? 'polygon' : 'circle';
  const count = shape.points.length / 2;
  const polygons =
    kind === 'polygon'
      ? shape.polygons.map((rings) => rings.map(unwrapped))
      : Array.from({ length: count }, (_, i) => [
          circleOf(
            shape.points[2 * i],
            shape.points[2 * i + 1],
            statedHa === null ? DEFAULT_POINT_HA : statedHa / count,
          ),
        ]);
  const areaHa = polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000;
  if (!(areaHa > 0)) return null;
  return { kind, parts: polygons.flatMap(copiesOf), areaHa };
}

/**
 * A ring of 64 corners around a place that takes so many hectares of the ellipsoid: the distance of the corners is that of
 * a circle's, but for the part in a thousand that makes up for what lies between corners and arc.
 */
export function circleOf(lon: number, lat: number, hectares: number): Float64Array {
  const wanted = hectares * 10_000;
  let radius = Math.sqrt((2 * wanted) / (CORNERS * Math.sin((2 * Math.PI) / CORNERS)));
  let ring = ringAround(lon, lat, radius);
  const { area } = polygonArea([ring]);
  if (area > 0) {
    radius *= Math.sqrt(wanted / area);
    ring = ringAround(lon, lat, radius);
  }
  return ring;
}

function ringAround(lon: number, lat: number, radius: number): Float64Array {
  const ring = new Float64Array(2 * CORNERS + 2);
  const isNear = radius <= NEAR_M && Math.abs(lat) < 85;
  const east = radius / metresPerDegreeEast(lat);
  const north = radius / metresPerDegreeNorth(lat);
  for (let i = 0; i < CORNERS; i++) {
    const angle = (2 * Math.PI * i) / CORNERS;
    if (isNear) {
      ring[2 * i] = lon + east * Math.cos(angle);
      ring[2 * i + 1] = lat + north * Math.sin(angle);
    } else {
      const { lon2 = lon, lat2 = lat } = WGS84.Direct(lat, lon, 90 - (angle * 180) / Math.PI, radius);
      ring[2 * i] = lon + turn(lon2 - lon);
      ring[2 * i + 1] = lat2;
    }
  }
  ring[2 * CORNERS] = ring[0];
  ring[2 * CORNERS + 1] = ring[1];
  return ring;
}

/** The same ring without jumps at the antimeridian: edges take the short way round. */
function unwrapped(ring: Float64Array): Float64Array {
  let isJumping = false;
  for (let i = 2; i < ring.length && !isJumping; i += 2) isJumping = Math.abs(ring[i] - ring[i - 2]) > 180;
  if (!isJumping) return ring;
  const out = ring.slice();
  for (let i = 2; i < out.length; i += 2) out[i] = out[i - 2] + turn(ring[i] - ring[i - 2]);
  return out;
}

/** A difference of longitudes in [-180, 180]. */
function turn(degrees: number): number {
  return degrees - 360 * Math.round(degrees / 360);
}

/** A polygon, and where it reaches over the antimeridian the same one seen from the other side: rasters end there. */
function copiesOf(rings: readonly Float64Array[]): GroundPart[] {
  const bbox = boxOf(rings[0] ?? new Float64Array(0));
  const [west, , east] = bbox;
  const shifts = [0, ...(east > 180 ? [-360] : []), ...(west < -180 ? [360] : [])];
  return shifts.map((shift) =>
    shift === 0
      ? { rings, bbox }
      : {
          rings: rings.map((ring) => ring.map((value, i) => (i % 2 === 0 ? value + shift : value))),
          bbox: [west + shift, bbox[1], east + shift, bbox[3]],
        },
  );
}

function boxOf(ring: Float64Array): Bbox {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    if (ring[i] < west) west = ring[i];
    if (ring[i] > east) east = ring[i];
    if (ring[i + 1] < south) south = ring[i + 1];
    if (ring[i + 1] > north) north = ring[i + 1];
  }
  return [west, south, east, north];
}

type Positions = readonly (readonly number[])[];

/**
 * The ground of a GeoJSON geometry that is known to be valid, in EPSG:4326; points stand for circles of the stated hectares, 4 each
 * when null. Polygons are not looked through for faults again, which would take longer than measuring them: one that crosses
 * itself is measured by what its edges enclose with sign. A sentence when there is no ground.
 */
export function layOutPlot(geometry: unknown, statedHa: number | null): PlotGround | string {
  if (statedHa !== null && !(statedHa > 0)) return `wanted a stated area above 0 ha, got ${statedHa}`;
  const polygons = polygonsOf(geometry);
  if (polygons !== null) return groundOf({ polygons, points: NO_POINTS }, statedHa) ?? NO_AREA;
  const laid = toShape(geometry);
  if (laid.shape === null) return laid.fault.message.replace(/\.$/, '');
  return groundOf(laid.shape, statedHa) ?? NO_AREA;
}

const NO_AREA = 'the geometry has no area; wanted polygons or points';
const NO_POINTS = new Float64Array(0);

/** The rings of a Polygon or MultiPolygon; null for anything else, and for what is not as GeoJSON has it. */
function polygonsOf(geometry: unknown): Float64Array[][] | null {
  if (typeof geometry !== 'object' || geometry === null) return null;
  const { type, coordinates } = geometry as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type === 'Polygon') return ringsOf([coordinates]);
  return type === 'MultiPolygon' && Array.isArray(coordinates) ? ringsOf(coordinates) : null;
}

function ringsOf(polygons: readonly unknown[]): Float64Array[][] | null {
  const laid: Float64Array[][] = [];
  for (const polygon of polygons) {
    if (!Array.isArray(polygon) || polygon.length === 0) return null;
    const rings: Float64Array[] = [];
    for (const ring of polygon as readonly unknown[]) {
      if (!Array.isArray(ring) || ring.length < 4) return null;
      const flat = new Float64Array(2 * ring.length);
      if (flatten(ring as Positions, flat) !== null) return null;
      const isClosed = flat[0] === flat[flat.length - 2] && flat[1] === flat[flat.length - 1];
      if (!isClosed) return null;
      rings.push(flat);
    }
    laid.push(rings);
  }
  return laid.length > 0 ? laid : null;
}
