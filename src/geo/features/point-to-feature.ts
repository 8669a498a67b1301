import { AREA, POINT, type FeatureSet } from './feature-set.ts';
import type { LocalFrame } from './local-frame.ts';

/** A place in units of `1 / FEATURE_SCALE` degree, not whole; filled in by what finds it. */
export interface Spot {
  x: number;
  y: number;
}

/** Units a segment may span before its foot point is refined: 0.005 degree, 550 m. Shorter ones bend by less than 1 cm. */
const LONG = 50_000;

/** Where the last search found its nearest point (0, 1), and where the last refinement did (2, 3): differences from the place, in units. */
const foot = new Float64Array(4);

/**
 * Square of the distance in metres from the place of a frame to a feature, 0 inside an area, and in `spot` the nearest point of
 * the feature. Sides are straight in longitude and latitude. Distances of `limit2` or more may be overstated.
 */
export function pointToFeature2(set: FeatureSet, id: number, frame: LocalFrame, limit2: number, spot: Spot): number {
  const { features, parts, onlyType, isSinglePart } = set;
  const type = onlyType === 0 ? set.types[id] : onlyType;
  const start = isSinglePart ? id : features[id];
  const end = isSinglePart ? id + 1 : features[id + 1];
  let best = Infinity;
  let inside = false;
  for (let part = start; part < end; part++) {
    const d2 =
      type === POINT
        ? nearestVertex2(set.xy, parts[part], parts[part + 1], frame)
        : nearestSide2(set.xy, parts[part], parts[part + 1], frame, Math.min(best, limit2));
    if (d2 < best) {
      best = d2;
      spot.x = frame.x + foot[0];
      spot.y = frame.y + foot[1];
    }
    if (type === AREA && holds(set.xy, parts[part], parts[part + 1], frame)) inside = !inside;
  }
  if (!inside) return best;
  spot.x = frame.x;
  spot.y = frame.y;
  return 0;
}

function nearestVertex2(xy: Int32Array, first: number, end: number, frame: LocalFrame): number {
  const { x, y, east, eastSlope, north, northSlope } = frame;
  let best = Infinity;
  for (let i = first * 2; i < end * 2; i += 2) {
    const dx = xy[i] - x;
    const dy = xy[i + 1] - y;
    const mx = dx * (east + eastSlope * dy);
    const my = dy * (north + northSlope * dy);
    const d2 = mx * mx + my * my;
    if (d2 >= best) continue;
    best = d2;
    foot[0] = dx;
    foot[1] = dy;
  }
  return best;
}

/** The nearest vertex, or the foot of the perpendicular on the nearest side that has one. */
function nearestSide2(xy: Int32Array, first: number, end: number, frame: LocalFrame, limit2: number): number {
  const { x, y, east, eastSlope, north, northSlope } = frame;
  let ax = xy[first * 2] - x;
  let ay = xy[first * 2 + 1] - y;
  let amx = ax * (east + eastSlope * ay);
  let amy = ay * (north + northSlope * ay);
  let best = amx * amx + amy * amy;
  let footX = ax;
  let footY = ay;
  for (let i = first * 2 + 2; i < end * 2; i += 2) {
    const bx = xy[i] - x;
    const by = xy[i + 1] - y;
    const bmx = bx * (east + eastSlope * by);
    const bmy = by * (north + northSlope * by);
    const b2 = bmx * bmx + bmy * bmy;
    if (b2 < best) {
      best = b2;
      footX = bx;
      footY = by;
    }
    const sx = bmx - amx;
    const sy = bmy - amy;
    const length2 = sx * sx + sy * sy;
    const along = -(amx * sx + amy * sy);
    if (Math.abs(bx - ax) > LONG || Math.abs(by - ay) > LONG) {
      const t = along <= 0 ? 0 : along >= length2 ? 1 : along / length2;
      const px = amx + t * sx;
      const py = amy + t * sy;
      if (px * px + py * py < bend2(length2, Math.min(limit2, best))) {
        const refined2 = refine2(ax, ay, bx - ax, by - ay, t, frame);
        if (refined2 < best) {
          best = refined2;
          footX = foot[2];
          footY = foot[3];
        }
      }
    } else if (along > 0 && along < length2) {
      const cross = amx * sy - amy * sx;
      if (cross * cross < best * length2) {
        best = (cross * cross) / length2;
        const t = along / length2;
        footX = ax + t * (bx - ax);
        footY = ay + t * (by - ay);
      }
    }
    ax = bx;
    ay = by;
    amx = bmx;
    amy = bmy;
  }
  foot[0] = footX;
  foot[1] = footY;
  return best;
}

/** Square of the flat distance below which a long side may come nearer than `most2` once its bend is taken into account. */
function bend2(length2: number, most2: number): number {
  // A side of length L bends by at most L^2 tan(lat) / 8 R; tan(84 degrees) is below 10.
  const reach = Math.sqrt(most2) + (10 * length2) / (8 * 6_356_752);
  return reach * reach;
}

const STEPS = 4;

/** The distance to a side that is long enough for the frame to bend it, by Newton's steps along it from a first guess. */
function refine2(ax: number, ay: number, dx: number, dy: number, guess: number, frame: LocalFrame): number {
  const { east, eastSlope, north, northSlope } = frame;
  let t = guess;
  for (let step = 0; ; step++) {
    const px = ax + t * dx;
    const py = ay + t * dy;
    const mx = px * (east + eastSlope * py);
    const my = py * (north + northSlope * py);
    if (step === STEPS) {
      foot[2] = px;
      foot[3] = py;
      return mx * mx + my * my;
    }
    const tx = dx * (east + eastSlope * py) + px * eastSlope * dy;
    const ty = dy * (north + 2 * northSlope * py);
    const next = t - (mx * tx + my * ty) / (tx * tx + ty * ty);
    t = next > 0 ? (next < 1 ? next : 1) : 0;
  }
}

/** Even-odd rule of `pointInRing`, in differences from the place. */
function holds(xy: Int32Array, first: number, end: number, { x, y }: LocalFrame): boolean {
  let inside = false;
  let ax = xy[first * 2] - x;
  let ay = xy[first * 2 + 1] - y;
  for (let i = first * 2 + 2; i < end * 2; i += 2) {
    const bx = xy[i] - x;
    const by = xy[i + 1] - y;
    if (ay > 0 !== by > 0) {
      const isLeft = ay < by ? (bx - ax) * -ay > -ax * (by - ay) : (ax - bx) * -by > -bx * (ay - by);
      if (isLeft) inside = !inside;
    }
    ax = bx;
    ay = by;
  }
  return inside;
}
