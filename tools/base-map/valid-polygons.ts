import earcut, { deviation } from 'earcut';
import initGeos from 'geos-wasm';
import { geojsonToGeosGeom, geosGeomToGeojson } from 'geos-wasm/helpers';
import { boxOfVertices, clipToBox, type Box, type Vertices } from './clip-ring.ts';

/** Rings of one polygon as vector tiles have them: the exterior first, the area of which is above 0, then holes. */
export type Polygon = readonly Vertices[];

/** The part of a polygon in a box, as valid polygons of whole units; none has more rings than a renderer draws. */
export type CutPolygon = (polygon: Polygon, box: Box) => readonly Polygon[];

/** Past 500 rings MapLibre leaves the smallest out of a polygon, and an island out of the sea is land drawn as water. */
const MOST_RINGS = 250;
/** Units of the box around a ring in which a fault cannot be seen: a pixel and a half. */
const LEAST_RING = 24;
/** Boxes are not cut smaller than this, in units. */
const LEAST_BOX = 64;
/** What is not valid is cut down to this many vertices first, so that GEOS mends what is around the fault and not a whole coast. */
const MOST_MENDED = 200;
/** Square units by which the triangles of a renderer may differ from a polygon: half a pixel. */
const MOST_DEVIATION = 128;
/** `GEOS_MAKE_VALID_STRUCTURE`: holes are taken from the exterior, also where they lie along its edge. */
const BY_STRUCTURE = 1;

/**
 * Cutting and simplifying leave rings that touch and cross one another, and a renderer that makes triangles of them fills what
 * lies outside: continents were sea. What is not valid as it is, GEOS makes valid on the grid of whole units.
 */
export async function openCutPolygon(): Promise<CutPolygon> {
  const geos = await initGeos();
  const params = Number(geos.GEOSMakeValidParams_create());
  geos.GEOSMakeValidParams_setMethod(params, BY_STRUCTURE);

  function cut(polygon: Polygon, box: Box): readonly Polygon[] {
    const exterior = clipToBox(polygon[0], box);
    if (exterior.length < 8) return [];
    const holes = polygon.slice(1).map((ring) => clipToBox(ring, box));
    const part = [exterior, ...holes.filter(({ length }) => length >= 8)];
    if (part.length > MOST_RINGS && isDivisible(box)) return inQuarters(part, box);
    // Fewer vertices turn a narrow island over: it would be read as the next polygon, and the islands after it as holes of that one.
    if (isDrawnWhole(part)) return [part.map((ring, i) => turned(ring, i === 0))];
    const around = boxOfVertices(exterior);
    return isDivisible(around) && vertexCount(part) > MOST_MENDED ? inQuarters(part, around) : mend(part);
  }

  function inQuarters(polygon: Polygon, box: Box): readonly Polygon[] {
    return quarters(box).flatMap((quarter) => cut(polygon, quarter));
  }

  function mend(polygon: Polygon): Polygon[] {
    const pointers = [Number(geojsonToGeosGeom({ type: 'Polygon', coordinates: polygon.map(toPositions) }, geos))];
    const next = (pointer: number): number => pointers[pointers.push(pointer) - 1];
    const valid = next(Number(geos.GEOSMakeValidWithParams(pointers[0], params)));
    const whole = valid === 0 ? 0 : next(Number(geos.GEOSGeom_setPrecision(valid, 1, 0)));
    if (whole === 0) throw new Error(`GEOS could not make a polygon of ${polygon.length} rings valid`);
    const { coordinates = [] } = geosGeomToGeojson(whole, geos) as { coordinates?: number[][][] | number[][][][] };
    for (const pointer of pointers) if (pointer !== 0) geos.GEOSGeom_destroy(pointer);
    const polygons = (Array.isArray(coordinates[0]?.[0]?.[0]) ? coordinates : [coordinates]) as number[][][][];
    return polygons
      .filter(({ length }) => length > 0)
      .map((rings) => rings.map((ring, i) => turned(ring.flat(), i === 0)));
  }

  return cut;
}

/** Whether the triangles of a renderer cover the polygon and no more. A small ring needs no look: its triangles have its own corners. */
function isDrawnWhole(polygon: Polygon): boolean {
  return (polygon.length === 1 && isSmall(polygon[0])) || deviationOf(polygon) <= MOST_DEVIATION;
}

function isSmall(ring: Vertices): boolean {
  const [minX, minY, maxX, maxY] = boxOfVertices(ring);
  return ring.length === 8 || Math.max(maxX - minX, maxY - minY) <= LEAST_RING;
}

function isDivisible([minX, minY, maxX, maxY]: Box): boolean {
  return Math.min(maxX - minX, maxY - minY) > LEAST_BOX;
}

function vertexCount(polygon: Polygon): number {
  return polygon.reduce((sum, { length }) => sum + length / 2, 0);
}

/** Square units between a polygon and the triangles that MapLibre makes of it. */
function deviationOf(polygon: Polygon): number {
  const vertices: number[] = [];
  const holes: number[] = [];
  for (const ring of polygon) {
    if (vertices.length > 0) holes.push(vertices.length / 2);
    for (const value of ring) vertices.push(value);
  }
  const area = Math.abs(polygon.reduce((sum, ring) => sum + twiceArea(ring), 0)) / 2;
  return deviation(vertices, holes, 2, earcut(vertices, holes)) * area;
}

function quarters([minX, minY, maxX, maxY]: Box): Box[] {
  const [x, y] = [Math.round((minX + maxX) / 2), Math.round((minY + maxY) / 2)];
  return [
    [minX, minY, x, y],
    [x, minY, maxX, y],
    [minX, y, x, maxY],
    [x, y, maxX, maxY],
  ];
}

function toPositions(ring: Vertices): [number, number][] {
  const out: [number, number][] = [];
  for (let i = 0; i < ring.length; i += 2) out.push([ring[i], ring[i + 1]]);
  return out;
}

/** A ring the way round that vector tiles want, y running down: the area of an exterior is above 0, that of a hole below. */
export function turned(ring: Vertices, isExterior: boolean): Vertices {
  if (twiceArea(ring) > 0 === isExterior) return ring;
  const out: number[] = [];
  for (let i = ring.length - 2; i >= 0; i -= 2) out.push(ring[i], ring[i + 1]);
  return out;
}

/** Above 0 for an exterior, y running down. */
export function twiceArea(ring: Vertices): number {
  let twice = 0;
  for (let i = 0; i + 3 < ring.length; i += 2) twice += ring[i] * ring[i + 3] - ring[i + 2] * ring[i + 1];
  return twice;
}
