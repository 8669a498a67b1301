import { addHit, childrenEnd, createHits, firstChild, type Hits } from '../packed-tree.ts';
import { boxBounds } from './box-bounds.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import type { Probe } from './probe.ts';
import { FLAT_M, isFarFromTurn } from './local-frame.ts';
import { searchAround } from './search-around.ts';

/** Part of a limit within which the exact distance decides, not the frame. */
const BAND = 1e-4;

const stack = new Int32Array(512);
const spot: Spot = { x: 0, y: 0 };

/**
 * Fills `out` with every feature within so many metres of a probe and returns the distance to the nearest, Infinity when there is none.
 * Features whose box lies well inside the circle are not measured unless they may be the nearest.
 */
export function gatherWithin(set: IndexedFeatures, probe: Probe, withinM: number, out: Hits): number {
  const { frame } = probe;
  if (frame === null || withinM > FLAT_M || !isFarFromTurn(frame)) return gatherByMeasuring(set, probe, withinM, out);
  const { tree } = set;
  const { boxes, levels } = tree;
  const { x, y } = frame;
  const { east, north, mostEast, mostNorth } = boxBounds(frame, withinM * (1 + BAND));
  const inside2 = (withinM * (1 - BAND)) ** 2;
  const outside2 = (withinM * (1 + BAND)) ** 2;
  out.count = 0;
  let nearest2 = Infinity;
  let top = 0;
  stack[top++] = levels[levels.length - 1];
  stack[top++] = levels.length - 1;
  while (top > 0) {
    const level = stack[--top];
    const node = stack[--top];
    const first = firstChild(tree, node, level);
    const end = childrenEnd(tree, first, level);
    for (let child = first; child < end; child++) {
      const west = boxes[child * 4] - x;
      const right = boxes[child * 4 + 2] - x;
      const south = boxes[child * 4 + 1] - y;
      const up = boxes[child * 4 + 3] - y;
      const dx = (west > 0 ? west : right < 0 ? right : 0) * east;
      const dy = (south > 0 ? south : up < 0 ? up : 0) * north;
      const least2 = dx * dx + dy * dy;
      if (least2 > outside2) continue;
      if (level > 1) {
        stack[top++] = child;
        stack[top++] = level - 1;
        continue;
      }
      const farX = (right > -west ? right : west) * mostEast;
      const farY = (up > -south ? up : south) * mostNorth;
      if (farX * farX + farY * farY <= inside2) {
        if (least2 < nearest2) nearest2 = Math.min(nearest2, pointToFeature2(set, child, frame, nearest2, spot));
      } else {
        const distanceM = probe.distanceM(set, child, withinM);
        if (distanceM > withinM) continue;
        nearest2 = Math.min(nearest2, distanceM * distanceM);
      }
      addHit(out, child);
    }
  }
  return Math.sqrt(nearest2);
}

const hits = createHits();

function gatherByMeasuring(set: IndexedFeatures, probe: Probe, withinM: number, out: Hits): number {
  searchAround(set, probe, withinM, hits);
  out.count = 0;
  let nearest = Infinity;
  for (let i = 0; i < hits.count; i++) {
    const distanceM = probe.distanceM(set, hits.ids[i], withinM);
    if (distanceM > withinM) continue;
    addHit(out, hits.ids[i]);
    nearest = Math.min(nearest, distanceM);
  }
  return nearest;
}
