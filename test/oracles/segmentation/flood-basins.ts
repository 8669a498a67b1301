import type { Descent } from './descend.ts';
import { isLower, type Relief } from './relief.ts';

/** Says of each basin the saddle over which the flood enters it; -1 for the basins with a marker, where it rises. */
export type Inlets = Int32Array;

/**
 * Floods the basins from markers. A basin has a marker when water must rise by `depth` or more above its lowest place
 * to reach a lower basin, or when it can reach none: the minima of depth `depth` (Soille, Morphological Image Analysis,
 * chapter 6). Water from the markers enters every other basin over the lowest saddle that leads to it.
 */
export function floodBasins(relief: Relief, descent: Descent, saddles: Int32Array, depth: number): Inlets {
  const { joins, isMarker } = joinBasins(relief, descent, saddles, depth);
  return findInlets(joins, isMarker);
}

/** Joins of two basins at a saddle, in the order in which rising water makes them: three numbers each. */
type Joins = Int32Array;

/** Kruskal's spanning tree over the saddles. A lake takes the name of the basin with its lowest bottom. */
function joinBasins(relief: Relief, descent: Descent, saddles: Int32Array, depth: number) {
  const { heights, strengths, stride } = relief;
  const { basins, bottoms } = descent;
  const lakes = Int32Array.from(bottoms.keys());
  const isMarker = new Uint8Array(bottoms.length).fill(1);
  const joins = new Int32Array(3 * bottoms.length);
  let end = 0;
  for (let i = 0; i < saddles.length; i++) {
    const saddle = saddles[i];
    const basin = basins[saddle];
    for (let side = 0; side < 4; side++) {
      const neighbour = saddle + (side === 0 ? -stride : side === 1 ? -1 : side === 2 ? 1 : stride);
      const other = basins[neighbour];
      if (other === basin || other < 0 || !isLower(heights, neighbour, saddle)) continue;
      let deep = findLake(lakes, basin);
      let shallow = findLake(lakes, other);
      if (deep === shallow) continue;
      if (isLower(heights, bottoms[shallow], bottoms[deep])) [deep, shallow] = [shallow, deep];
      if (strengths[saddle] - strengths[bottoms[shallow]] < depth) isMarker[shallow] = 0;
      lakes[shallow] = deep;
      joins[end++] = saddle;
      joins[end++] = basin;
      joins[end++] = other;
    }
  }
  return { joins: joins.subarray(0, end), isMarker };
}

function findInlets(joins: Joins, isMarker: Uint8Array): Inlets {
  const lakes = Int32Array.from(isMarker.keys());
  const isFlooded = isMarker.slice();
  const inlets = new Int32Array(isMarker.length).fill(-1);
  for (let i = 0; i < joins.length; i += 3) {
    const a = findLake(lakes, joins[i + 1]);
    const b = findLake(lakes, joins[i + 2]);
    if (isFlooded[a] && isFlooded[b]) continue;
    if (!isFlooded[a] && !isFlooded[b]) {
      lakes[b] = a;
      continue;
    }
    const dry = isFlooded[a] ? b : a;
    isFlooded[dry] = 1;
    inlets[dry] = joins[i];
  }
  return inlets.map((_, basin) => inlets[findLake(lakes, basin)]);
}

/** The lake a basin belongs to; halves the way there for the next time. */
function findLake(lakes: Int32Array, basin: number): number {
  let lake = basin;
  while (lakes[lake] !== lake) {
    lakes[lake] = lakes[lakes[lake]];
    lake = lakes[lake];
  }
  return lake;
}
