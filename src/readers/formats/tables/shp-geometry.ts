import type { Geometry, Position } from '../../../geo/geometry.ts';
import { takeLargeGeometryTurn } from '../../../geo/shapes/large-geometry.ts';
import { refuseVertices } from './file-limits.ts';

/** A record of a .shp file that is not what it says; the message is part of a sentence. */
export class ShpRecordError extends Error {
  override readonly name = 'ShpRecordError';
}

/**
 * The geometry of one record of a .shp file (Esri, Shapefile Technical Description, 1998), its bytes from the shape type
 * on; null for a null shape. Heights are kept, measures dropped.
 */
export function shpGeometry(bytes: Uint8Array): Geometry | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readShape(view);
  } catch (error) {
    if (error instanceof RangeError) throw new ShpRecordError('it ends before its last coordinate');
    throw error;
  }
}

function readShape(view: DataView): Geometry | null {
  if (view.byteLength < 4) return null;
  const type = view.getInt32(0, true);
  const hasZ = type > 10 && type < 20;
  switch (type % 10) {
    case 0:
      if (type !== 0) break;
      return null;
    case 1: {
      const position = [view.getFloat64(4, true), view.getFloat64(12, true)];
      return { type: 'Point', coordinates: hasZ ? [...position, view.getFloat64(20, true)] : position };
    }
    case 8: {
      const count = counted(view, 36, 16);
      return { type: 'MultiPoint', coordinates: readPositions(view, 40, count, hasZ ? 40 + count * 16 + 16 : null) };
    }
    case 3: {
      const parts = readParts(view, hasZ);
      return parts.length === 1
        ? { type: 'LineString', coordinates: parts[0] }
        : { type: 'MultiLineString', coordinates: parts };
    }
    case 5:
      return asPolygons(readParts(view, hasZ));
  }
  throw new ShpRecordError(`wanted a point, line or polygon, got shape type ${type}`);
}

function counted(view: DataView, at: number, bytesEach: number): number {
  const count = view.getInt32(at, true);
  if (count < 0 || count * bytesEach > view.byteLength)
    throw new ShpRecordError(`it claims ${count} items in ${view.byteLength} bytes`);
  refuseVertices(count);
  takeLargeGeometryTurn(count * bytesEach);
  return count;
}

function readParts(view: DataView, hasZ: boolean): Position[][] {
  const parts = counted(view, 36, 4);
  const points = counted(view, 40, 16);
  const start = 44 + parts * 4;
  const heights = hasZ ? start + points * 16 + 16 : null;
  const positions = readPositions(view, start, points, heights);
  const bounds = Array.from({ length: parts + 1 }, (_, i) => (i === parts ? points : view.getInt32(44 + i * 4, true)));
  return bounds.slice(0, -1).map((from, i) => {
    if (from < 0 || from > bounds[i + 1] || bounds[i + 1] > points)
      throw new ShpRecordError('its parts are out of order');
    return positions.slice(from, bounds[i + 1]);
  });
}

function readPositions(view: DataView, at: number, count: number, heights: number | null): Position[] {
  return Array.from({ length: count }, (_, i): Position => {
    const [x, y] = [view.getFloat64(at + i * 16, true), view.getFloat64(at + i * 16 + 8, true)];
    return heights === null ? [x, y] : [x, y, view.getFloat64(heights + i * 8, true)];
  });
}

/** Clockwise rings are exteriors; each other ring is a hole of the smallest exterior whose box holds it. */
function asPolygons(rings: readonly Position[][]): Geometry {
  const measured = rings
    .filter((ring) => ring.length > 0)
    .map((ring) => ({ ring, area: signedArea(ring), box: boxOf(ring) }));
  let exteriors = measured.filter(({ area }) => area <= 0);
  // A file that turns its rings the wrong way round has no exterior at all.
  if (exteriors.length === 0) exteriors = measured.slice(0, 1);
  const polygons = exteriors.map(({ ring, area, box }) => ({ area: Math.abs(area), box, rings: [ring] }));
  for (const hole of measured) {
    if (exteriors.includes(hole)) continue;
    const owners = polygons.filter(({ box }) => holds(box, hole.box)).toSorted((a, b) => a.area - b.area);
    if (owners[0] === undefined) polygons.push({ area: Math.abs(hole.area), box: hole.box, rings: [hole.ring] });
    else owners[0].rings.push(hole.ring);
  }
  if (polygons.length === 0) return { type: 'Polygon', coordinates: [] };
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0].rings }
    : { type: 'MultiPolygon', coordinates: polygons.map((polygon) => polygon.rings) };
}

function signedArea(ring: readonly Position[]): number {
  const [x0, y0] = ring[0];
  let twice = 0;
  for (let i = 1; i < ring.length; i++)
    twice += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
  return twice / 2;
}

type Box = readonly [number, number, number, number];

function boxOf(ring: readonly Position[]): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of ring) {
    west = Math.min(west, x);
    south = Math.min(south, y);
    east = Math.max(east, x);
    north = Math.max(north, y);
  }
  return [west, south, east, north];
}

function holds(outer: Box, inner: Box): boolean {
  return outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3];
}
