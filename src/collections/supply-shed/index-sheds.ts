import { curveKey } from '../../geo/hilbert.ts';
import { createHits, finishTree, searchTree, treeBoxCount, type PackedTree } from '../../geo/packed-tree.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { distanceInShed, type Shed } from './shed.ts';

/** A shed that a place lies in. */
export interface ShedHit<S extends Shed> {
  readonly shed: S;
  /** Metres from the place to the facility. */
  readonly distanceM: number;
}

/** Finds the sheds a place lies in, each once, in no order that means anything. */
type FindSheds<S extends Shed> = (at: LonLat) => readonly ShedHit<S>[];

/** Units in a degree of the boxes: outwards to 0.1 m. */
const SCALE = 1e6;
/** Sheds reach over the antimeridian, so a place is looked for where it is and a turn away on both sides. */
const TURNS = [0, 360, -360];

/** Lays sheds along a curve with a tree over their boxes: plots come by the million, sheds by the thousand. */
export function indexSheds<S extends Shed>(sheds: readonly S[]): FindSheds<S> {
  if (sheds.length === 0) return () => [];
  const order = sheds
    .map((shed) => ({ shed, key: curveKey(shed.facility.inside[0], shed.facility.inside[1]) }))
    .sort((a, b) => a.key - b.key);
  const tree = treeOver(order.map(({ shed }) => shed));
  const hits = createHits();
  return ([lon, lat]) => {
    hits.count = 0;
    for (const turn of TURNS) {
      const x = (lon + turn) * SCALE;
      searchTree(tree, x, lat * SCALE, x, lat * SCALE, hits);
    }
    // A box over a pole spans more than a turn, and a place is found in it more than once.
    const ids = hits.ids.subarray(0, hits.count).sort();
    const found: ShedHit<S>[] = [];
    for (let i = 0; i < ids.length; i++) {
      if (i > 0 && ids[i] === ids[i - 1]) continue;
      const { shed } = order[ids[i]!]!;
      const distanceM = distanceInShed(shed, [lon, lat]);
      if (distanceM !== null) found.push({ shed, distanceM });
    }
    return found;
  };
}

function treeOver(sheds: readonly Shed[]): PackedTree {
  const boxes = new Int32Array(treeBoxCount(sheds.length) * 4);
  for (const [i, { bbox }] of sheds.entries()) {
    const [west, south, east, north] = bbox.map((degrees) => degrees * SCALE) as [number, number, number, number];
    boxes.set([Math.floor(west), Math.floor(south), Math.ceil(east), Math.ceil(north)], i * 4);
  }
  return finishTree(boxes, sheds.length);
}
