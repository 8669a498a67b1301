import { addHit, childrenEnd, createHits, firstChild, type Hits } from '../packed-tree.ts';
import { boxBounds, FLAT_M, isFarFromTurn } from './local-frame.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { pointToFeature2, type Spot } from './point-to-feature.ts';
import { type Probe, searchAround } from './probe.ts';

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
  const halfEast = east / 2;
  const halfNorth = north / 2;
  out.count = 0;
  edge.count = 0;
  let first2 = Infinity;
  let nearestBox = -1;
  let touched = 0;
  let top = 0;
  stack[top++] = levels[levels.length - 1];
  stack[top++] = levels.length - 1;
  while (top > 0) {
    const level = stack[--top];
    const node = stack[--top];
    const first = firstChild(tree, node, level);
    const end = childrenEnd(tree, first, level);
    for (let child = first, at = first * 4; child < end; child++, at += 4) {
      const west = boxes[at] - x;
      const right = boxes[at + 2] - x;
      const south = boxes[at + 1] - y;
      const up = boxes[at + 3] - y;
      const dx = (Math.abs(west) + Math.abs(right) - (right - west)) * halfEast;
      const dy = (Math.abs(south) + Math.abs(up) - (up - south)) * halfNorth;
      const least2 = dx * dx + dy * dy;
      if (least2 > outside2) continue;
      if (level > 1) {
        stack[top++] = child;
        stack[top++] = level - 1;
        // Read long before they are wanted, so that the memory answers for several nodes at once.
        const ahead = firstChild(tree, child, level - 1) * 4;
        touched += boxes[ahead] + boxes[ahead + 32];
        continue;
      }
      if (least2 < first2) {
        first2 = least2;
        nearestBox = child;
      }
      const farX = (right > -west ? right : west) * mostEast;
      const farY = (up > -south ? up : south) * mostNorth;
      if (farX * farX + farY * farY > inside2) addHit(edge, child);
      else addHit(out, child);
    }
  }
  if (nearestBox < 0) return Infinity;
  let nearest2 = pointToFeature2(set, nearestBox, frame, Infinity, spot);
  const { features, parts, xy, isSinglePart } = set;
  for (let i = 0; i < edge.count; i++) {
    const id = edge.ids[i];
    touched += xy[parts[isSinglePart ? id : features[id]] * 2];
  }
  sink[0] = touched;
  const inside = out.count;
  for (let i = 0; i < inside; i++) {
    const at = out.ids[i] * 4;
    const west = boxes[at] - x;
    const right = boxes[at + 2] - x;
    const south = boxes[at + 1] - y;
    const up = boxes[at + 3] - y;
    const dx = (west > 0 ? west : right < 0 ? right : 0) * east;
    const dy = (south > 0 ? south : up < 0 ? up : 0) * north;
    if (dx * dx + dy * dy < nearest2)
      nearest2 = Math.min(nearest2, pointToFeature2(set, out.ids[i], frame, nearest2, spot));
  }
  for (let i = 0; i < edge.count; i++) {
    const d2 = pointToFeature2(set, edge.ids[i], frame, outside2, spot);
    if (d2 > outside2 || (d2 >= inside2 && probe.distanceM(set, edge.ids[i], withinM) > withinM)) continue;
    if (d2 < nearest2) nearest2 = d2;
    addHit(out, edge.ids[i]);
  }
  return out.count === 0 ? Infinity : Math.sqrt(nearest2);
}

/** Features whose box lies across the edge of the circle. */
const edge = createHits();
const sink = new Float64Array(1);

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
