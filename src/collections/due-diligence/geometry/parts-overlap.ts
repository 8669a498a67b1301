import type { Geometry } from '../../../geo/geometry.ts';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import type { GeometryTools } from './geometry-tools.ts';
import { flat, type GridRing } from './snap-rings.ts';

/** Whether no two boxes touch: then the polygons in them share nothing. Swept from west to east. */
export function haveDistinctBoxes(rings: readonly GridRing[]): boolean {
  const boxes = rings.map(boxOf).toSorted((a, b) => a[0] - b[0]);
  let open: (typeof boxes)[number][] = [];
  for (const box of boxes) {
    open = open.filter(([, , east]) => east >= box[0]);
    if (open.some(([, south, , north]) => south <= box[3] && box[1] <= north)) return false;
    open.push(box);
  }
  return true;
}

function boxOf(ring: GridRing): [west: number, south: number, east: number, north: number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of ring) {
    box[0] = Math.min(box[0], lon);
    box[1] = Math.min(box[1], lat);
    box[2] = Math.max(box[2], lon);
    box[3] = Math.max(box[3], lat);
  }
  return box;
}

/** Pairs of parts that are compared in one geometry. */
const MAX_PAIRS = 2_000;

/** Whether any two parts have ground of more than a square metre in common. Of very many parts not all pairs are compared. */
export function partsOverlap(rings: readonly GridRing[], tools: GeometryTools): boolean {
  let pairs = 0;
  for (const [i, a] of rings.entries())
    for (const b of rings.slice(i + 1)) {
      if (haveDistinctBoxes([a, b])) continue;
      if (++pairs > MAX_PAIRS) return false;
      const common = tools.intersection({ type: 'Polygon', coordinates: [a] }, { type: 'Polygon', coordinates: [b] });
      if (hasArea(common)) return true;
    }
  return false;
}

function hasArea(geometry: Geometry | null): boolean {
  if (geometry?.type === 'GeometryCollection') return geometry.geometries.some(hasArea);
  if (geometry?.type === 'MultiPolygon')
    return geometry.coordinates.some((coordinates) => hasArea({ type: 'Polygon', coordinates }));
  if (geometry?.type !== 'Polygon' || geometry.coordinates.length === 0) return false;
  return polygonArea(geometry.coordinates.map((ring) => flat(ring as GridRing))).area > 1;
}
