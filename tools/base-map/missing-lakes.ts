import { pointInPolygon } from '../../src/geo/rings/point-in-polygon.ts';
import { boxOfVertices } from './clip-ring.ts';
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
  const isWater = ([x, y]: readonly [number, number], near: readonly number[]): boolean =>
    near.some(
      (i) => x >= lefts[i] && x <= rights[i] && y >= tops[i] && y <= bottoms[i] && pointInPolygon(water[i], x, y),
    );
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
