import { locateInPolygon } from './point-in-polygon.ts';
import type { LonLat } from '../shapes/shape.ts';

/** Scan lines tried before a polygon counts as too thin to hold a point between its edges. */
const MAX_SCAN_LINES = 24;

/**
 * A point certainly inside a valid polygon, off its boundary and out of its holes: the middle of the widest piece of a
 * horizontal line through it (as GEOS finds one), checked with exact arithmetic. The line is the middle one; other
 * lines are tried when rounding pushes the point out. A polygon too thin to hold a double off its boundary gives its
 * first vertex.
 *
 * @param rings exterior and holes, flat `[x0, y0, ...]`, closed. The unit of the result is theirs.
 */
export function insidePoint(rings: readonly Float64Array[]): LonLat {
  const [exterior] = rings as readonly [Float64Array];
  for (const y of scanLines(rings)) {
    const x = widestMiddle(rings, y);
    if (x !== null && locateInPolygon(rings, x, y) === 'inside') return [x, y];
  }
  return [exterior[0], exterior[1]];
}

/** Heights between neighbouring vertices: the one nearest the middle of the polygon first, then the widest gaps. */
function* scanLines(rings: readonly Float64Array[]): Generator<number> {
  const [exterior] = rings as readonly [Float64Array];
  let [low, high] = [Infinity, -Infinity];
  for (let i = 1; i < exterior.length; i += 2) {
    low = Math.min(low, exterior[i]);
    high = Math.max(high, exterior[i]);
  }
  const middle = low + (high - low) / 2;
  let [under, over] = [low, high];
  for (const ring of rings) {
    for (let i = 1; i < ring.length; i += 2) {
      if (ring[i] <= middle) under = Math.max(under, ring[i]);
      else over = Math.min(over, ring[i]);
    }
  }
  yield under + (over - under) / 2;
  const heights = [...new Set(rings.flatMap((ring) => Array.from(ring.filter((_, i) => i % 2 === 1))))].sort(
    (a, b) => a - b,
  );
  const gaps = heights
    .slice(1)
    .map((height, i) => ({ from: heights[i] ?? height, height: height - (heights[i] ?? height) }));
  gaps.sort((a, b) => b.height - a.height);
  for (const gap of gaps.slice(0, MAX_SCAN_LINES)) yield gap.from + gap.height / 2;
}

/** The middle of the widest inner piece of the line at `y`, or null when no edge crosses it. */
function widestMiddle(rings: readonly Float64Array[], y: number): number | null {
  const crossings: number[] = [];
  for (const ring of rings) {
    for (let i = 0; i + 3 < ring.length; i += 2) {
      const [ax, ay, bx, by] = [ring[i], ring[i + 1], ring[i + 2], ring[i + 3]];
      if (ay > y !== by > y) crossings.push(ax + ((y - ay) / (by - ay)) * (bx - ax));
    }
  }
  crossings.sort((a, b) => a - b);
  let [best, width] = [null as number | null, 0];
  for (let i = 0; i + 1 < crossings.length; i += 2) {
    const [from, to] = [crossings[i] ?? 0, crossings[i + 1] ?? 0];
    if (to - from > width) [best, width] = [from + (to - from) / 2, to - from];
  }
  return best;
}
