import { type Bbox, boxesTouch, boxOf, boxRing, type Shape } from '../../../geo/shapes/shape.ts';
import { windowsAround } from '../../../geo/shapes/reach.ts';
import { pointInPolygon } from '../../../geo/rings/point-in-polygon.ts';
import type { Coverage } from '../../catalogue/dataset.ts';

/** The ground that a dataset knows. */
export interface Ground {
  /** Whether it knows a place. */
  holds(lon: number, lat: number): boolean;
  /** Whether it knows everything within so many metres of a shape: only then has nothing found a meaning. */
  holdsAround(shape: Shape, withinM: number): boolean;
  /** Whether the one box round all of it touches one of these; false: nothing of it is there. */
  boxTouches(windows: readonly Bbox[]): boolean;
}

const grounds = new WeakMap<object, Ground>();

/** The ground of a coverage; layers of one pack have the same. */
export function groundOf(coverage: Coverage): Ground {
  const key = 'bbox' in coverage ? coverage.bbox : coverage.polygons;
  let ground = grounds.get(key);
  if (ground === undefined) grounds.set(key, (ground = createGround(coverage)));
  return ground;
}

function createGround(coverage: Coverage): Ground {
  const polygons = 'bbox' in coverage ? [[boxRing(coverage.bbox)]] : coverage.polygons;
  const areas = polygons.map((rings) => {
    const box = boxOf([rings]);
    return { rings, box, isBox: rings.length === 1 && isBoxRing(rings[0], box) };
  });
  const whole = boxAround(areas);
  // All questions about one facility come one after the other.
  const last = { lon: NaN, lat: NaN, held: false };
  return {
    holds(lon, lat) {
      if (lon === last.lon && lat === last.lat) return last.held;
      last.lon = lon;
      last.lat = lat;
      last.held = areas.some(
        ({ rings, box, isBox }) => touches(box, lon, lat) && (isBox || pointInPolygon(rings, lon, lat)),
      );
      return last.held;
    },
    holdsAround(shape, withinM) {
      for (const window of windowsAround(shape.bbox, withinM)) {
        const onEarth = inWorld(window);
        if (!areas.some(({ rings, box, isBox }) => contains(box, onEarth) && (isBox || holdsWindow(rings, onEarth))))
          return false;
      }
      return true;
    },
    boxTouches: (windows) => windows.some((window) => boxesTouch(window, whole)),
  };
}

function boxAround(areas: readonly { readonly box: Bbox }[]): Bbox {
  const sides = (side: number): number[] => areas.map(({ box }) => box[side]);
  return [Math.min(...sides(0)), Math.min(...sides(1)), Math.max(...sides(2)), Math.max(...sides(3))];
}

/** Whether a ring goes round its box and nowhere else, so that the box alone decides what it holds. */
function isBoxRing(ring: Float64Array, [west, south, east, north]: Bbox): boolean {
  if (ring.length !== 10) return false;
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [x, y] = [ring[i], ring[i + 1]];
    if ((x !== west && x !== east) || (y !== south && y !== north)) return false;
    if ((ring[i + 2] === x) === (ring[i + 3] === y)) return false;
  }
  return true;
}

/** Whether a polygon holds a whole box: a corner lies in it and no side of the polygon comes into the box. */
function holdsWindow(rings: readonly Float64Array[], [west, south, east, north]: Bbox): boolean {
  if (!pointInPolygon(rings, (west + east) / 2, (south + north) / 2)) return false;
  for (const ring of rings)
    for (let i = 0; i + 3 < ring.length; i += 2)
      if (entersBox(ring[i], ring[i + 1], ring[i + 2], ring[i + 3], west, south, east, north)) return false;
  return true;
}

/** Whether a side comes into the inside of a box. */
function entersBox(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  west: number,
  south: number,
  east: number,
  north: number,
): boolean {
  // Most sides lie wholly beyond one side of the box.
  if ((ax <= west && bx <= west) || (ax >= east && bx >= east)) return false;
  if ((ay <= south && by <= south) || (ay >= north && by >= north)) return false;
  const [dx, dy] = [bx - ax, by - ay];
  const fromX = dx === 0 ? 0 : ((dx > 0 ? west : east) - ax) / dx;
  const toX = dx === 0 ? 1 : ((dx > 0 ? east : west) - ax) / dx;
  const fromY = dy === 0 ? 0 : ((dy > 0 ? south : north) - ay) / dy;
  const toY = dy === 0 ? 1 : ((dy > 0 ? north : south) - ay) / dy;
  return Math.max(0, fromX, fromY) < Math.min(1, toX, toY);
}

function touches([west, south, east, north]: Bbox, lon: number, lat: number): boolean {
  return lon >= west && lon <= east && lat >= south && lat <= north;
}

function contains(box: Bbox, [west, south, east, north]: Bbox): boolean {
  return west >= box[0] && east <= box[2] && south >= box[1] && north <= box[3];
}

/** The part of a window that is on earth. */
function inWorld([west, south, east, north]: Bbox): Bbox {
  return [Math.max(-180, west), Math.max(-90, south), Math.min(180, east), Math.min(90, north)];
}
