import { insidePoint } from '../rings/inside-point.ts';
import { pointInPolygon } from '../rings/point-in-polygon.ts';
import type { LonLat, Shape } from './shape.ts';

/**
 * Places spread evenly over the ground of a shape, always the same: a lattice over its polygons, a place inside each polygon
 * that the lattice misses, or its points. About `most` places and never more than twice that; at least one. Lines give
 * the shape's own point. Degrees; the lattice is square in degrees.
 */
export function sampleShape({ points, polygons, bbox, inside }: Shape, most: number): readonly LonLat[] {
  if (polygons.length === 0) return pointsOf(points, inside, most);
  const every = Math.max(1, Math.ceil(polygons.length / most));
  const chosen = polygons.filter((_, i) => i % every === 0);
  const boxes = chosen.map(([exterior]) => boundsOf(exterior));
  const ground = boxes.reduce((sum, [west, south, east, north]) => sum + (east - west) * (north - south), 0);
  const step = Math.sqrt(ground / most) || Math.max(bbox[2] - bbox[0], bbox[3] - bbox[1], 1e-9);
  const found: LonLat[] = [];
  for (const [i, rings] of chosen.entries()) {
    const [west, south, east, north] = boxes[i];
    const before = found.length;
    const columns = Math.min(most, Math.max(1, Math.floor((east - west) / step)));
    const rows = Math.min(most, Math.max(1, Math.floor((north - south) / step)));
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const lon = west + ((column + 0.5) * (east - west)) / columns;
        const lat = south + ((row + 0.5) * (north - south)) / rows;
        if (pointInPolygon(rings, lon, lat)) found.push([lon, lat]);
      }
    if (found.length === before) found.push(insidePoint(rings));
  }
  return found;
}

function pointsOf(points: Float64Array, inside: LonLat, most: number): readonly LonLat[] {
  const count = points.length / 2;
  if (count === 0) return [inside];
  const every = Math.max(1, Math.ceil(count / most));
  const found: LonLat[] = [];
  for (let i = 0; i < count; i += every) found.push([points[2 * i], points[2 * i + 1]]);
  return found;
}

function boundsOf(ring: Float64Array): readonly [number, number, number, number] {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < ring.length; i += 2) {
    west = Math.min(west, ring[i]);
    east = Math.max(east, ring[i]);
    south = Math.min(south, ring[i + 1]);
    north = Math.max(north, ring[i + 1]);
  }
  return [west, south, east, north];
}
