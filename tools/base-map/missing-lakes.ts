import { isLeftOf, pointInPolygon } from '../../src/geo/rings/point-in-polygon.ts';
import { boxOfVertices, type Vertices } from './clip-ring.ts';
import type { Polygon } from './valid-polygons.ts';

/** Places in a lake along each side of the box around it at which other water is looked for. */
const SIDE = 6;
/** The share of those places from which on the other outlines are taken to have the lake. */
const KNOWN_SHARE = 0.1;

/**
 * The lakes that other outlines do not have, such as reservoirs mapped in another way. A lake that both have is left out: it would
 * be drawn with two shores, the coarser of which is kilometres off.
 */
export function missingLakes(lakes: readonly Polygon[], water: readonly Polygon[]): Polygon[] {
  const places = lakes.map(placesIn);
  const [lefts, rights, tops, bottoms] = [0, 2, 1, 3].map((side) =>
    Float64Array.from(water, ([exterior]) => boxOfVertices(exterior)[side]),
  );
  const testOf = onceEach((i) => polygonTest(water[i]));
  const isWater = ([x, y]: readonly [number, number], near: readonly number[]): boolean =>
    near.some((i) => x >= lefts[i] && x <= rights[i] && y >= tops[i] && y <= bottoms[i] && testOf(i)(x, y));
  return lakes.filter(([exterior], at) => {
    const [minX, minY, maxX, maxY] = boxOfVertices(exterior);
    const near: number[] = [];
    for (let i = 0; i < lefts.length; i++)
      if (lefts[i] <= maxX && rights[i] >= minX && tops[i] <= maxY && bottoms[i] >= minY) near.push(i);
    const known = places[at].filter((place) => isWater(place, near)).length;
    return known < KNOWN_SHARE * places[at].length;
  });
}

/** Places of a grid that lie in a lake, at the middles of its cells; for one too narrow for them, its own corners. */
function placesIn(lake: Polygon): readonly (readonly [number, number])[] {
  const [minX, minY, maxX, maxY] = boxOfVertices(lake[0]);
  const places: [number, number][] = [];
  for (let i = 0.5; i < SIDE; i++)
    for (let j = 0.5; j < SIDE; j++) {
      const [x, y] = [minX + ((maxX - minX) * i) / SIDE, minY + ((maxY - minY) * j) / SIDE];
      if (pointInPolygon(lake, x, y)) places.push([x, y]);
    }
  if (places.length > 0) return places;
  return Array.from({ length: lake[0].length / 2 }, (_, i) => [lake[0][2 * i], lake[0][2 * i + 1]] as const);
}

/** Edges of a ring that are passed over together where all of them lie above or below a place. */
const SPAN = 64;

/**
 * `pointInPolygon` for many places of one polygon: the sea has millions of vertices, and an island or a stretch of coast that
 * lies above or below a place does not change the answer.
 */
function polygonTest(polygon: Polygon): (x: number, y: number) => boolean {
  const rings = polygon.map((ring) => ({ ring, box: boxOfVertices(ring), spans: spansOf(ring) }));
  return (x, y) => {
    let inside = false;
    for (const { ring, box, spans } of rings) {
      if (x < box[0] || x > box[2] || y < box[1] || y > box[3]) continue;
      if (isInRing(ring, spans, x, y)) inside = !inside;
    }
    return inside;
  };
}

/** The lowest and the highest y of each span of edges of a ring. */
function spansOf(ring: Vertices): Float64Array {
  const edges = ring.length / 2 - 1;
  const spans = new Float64Array(2 * Math.ceil(edges / SPAN));
  for (let span = 0; span * 2 < spans.length; span++) {
    let [low, high] = [Infinity, -Infinity];
    for (let vertex = span * SPAN; vertex <= Math.min(edges, (span + 1) * SPAN); vertex++) {
      low = Math.min(low, ring[2 * vertex + 1]);
      high = Math.max(high, ring[2 * vertex + 1]);
    }
    spans.set([low, high], 2 * span);
  }
  return spans;
}

/** As `pointInRing`. */
function isInRing(ring: Vertices, spans: Float64Array, x: number, y: number): boolean {
  let inside = false;
  for (let span = 0; 2 * span < spans.length; span++) {
    if (spans[2 * span] > y || spans[2 * span + 1] <= y) continue;
    const end = Math.min(ring.length - 2, 2 * (span + 1) * SPAN);
    for (let i = 2 * span * SPAN; i < end; i += 2) {
      const [ay, by] = [ring[i + 1], ring[i + 3]];
      if (ay > y === by > y) continue;
      if (isLeftOf(x, y, ring[i], ay, ring[i + 2], by)) inside = !inside;
    }
  }
  return inside;
}

function onceEach<T>(make: (i: number) => T): (i: number) => T {
  const made = new Map<number, T>();
  return (i) => {
    const one = made.get(i) ?? make(i);
    made.set(i, one);
    return one;
  };
}
