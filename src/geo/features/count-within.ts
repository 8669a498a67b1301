import { childrenEnd, createHits, firstChild } from '../packed-tree.ts';
import { boxBounds, FLAT_M, isFarFromTurn, type LocalFrame } from './local-frame.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { type Probe, searchAround } from './probe.ts';

/** Which features of a set are counted. */
export interface Counted {
  accepts(id: number): boolean;
  /** How many are accepted of the features from `first` to before `end`: those of one lowest node of the tree. */
  countOf(first: number, end: number): number;
}

interface CountWithin {
  readonly count: number;
  /** The nearest of them, the lower number among equals; -1 when there is none. */
  readonly nearest: number;
  /** Geodesic metres on WGS84 to it; Infinity when there is none. */
  readonly nearestM: number;
}

/** Part of a limit within which the exact distance decides, not the frame. */
const BAND = 1e-4;

/** Square metres that a bound may be too large by rounding. */
const ROUNDING = 1e-12;

const stack = new Int32Array(512);
const found = { count: 0, nearest: -1, nearest2: Infinity };

/** Counts the accepted features within so many metres of a probe. Nodes that lie well inside the circle are counted as a whole, those without any are passed over. */
export function countWithin(set: IndexedFeatures, probe: Probe, withinM: number, counted: Counted): CountWithin {
  const { frame } = probe;
  const isPoints = set.xy.length === set.count * 2;
  if (frame === null || !isPoints || withinM > FLAT_M || !isFarFromTurn(frame))
    return countByMeasuring(set, probe, withinM, counted);
  found.count = 0;
  found.nearest = -1;
  found.nearest2 = Infinity;
  const { boxes, levels } = set.tree;
  const { x, y } = frame;
  const { east, north, mostEast, mostNorth } = boxBounds(frame, withinM * (1 + BAND));
  const [halfEast, halfNorth] = [east / 2, north / 2];
  const inside2 = (withinM * (1 - BAND)) ** 2;
  const outside2 = (withinM * (1 + BAND)) ** 2;
  let top = 0;
  const root = levels.length - 1;
  if (root === 1) countNode(set, probe, frame, withinM, counted, levels[1], 0, false);
  else {
    stack[top++] = levels[root];
    stack[top++] = root;
  }
  while (top > 0) {
    const level = stack[--top];
    const first = firstChild(set.tree, stack[--top], level);
    const end = childrenEnd(set.tree, first, level);
    for (let child = first, at = first * 4; child < end; child++, at += 4) {
      const west = boxes[at] - x;
      const right = boxes[at + 2] - x;
      const south = boxes[at + 1] - y;
      const up = boxes[at + 3] - y;
      // Twice the distance to the nearer side: 0 between the two.
      const dx = (Math.abs(west) + Math.abs(right) - (right - west)) * halfEast;
      const dy = (Math.abs(south) + Math.abs(up) - (up - south)) * halfNorth;
      const least2 = dx * dx + dy * dy;
      if (least2 > outside2) continue;
      if (level > 2) {
        stack[top++] = child;
        stack[top++] = level - 1;
        continue;
      }
      const farX = (right > -west ? right : west) * mostEast;
      const farY = (up > -south ? up : south) * mostNorth;
      countNode(set, probe, frame, withinM, counted, child, least2, farX * farX + farY * farY <= inside2);
    }
  }
  const { count, nearest, nearest2 } = found;
  return { count, nearest, nearestM: Math.sqrt(nearest2) };
}

/** Counts what a lowest node holds: all of it where it lies inside the circle, else one by one. */
function countNode(
  set: IndexedFeatures,
  probe: Probe,
  frame: LocalFrame,
  withinM: number,
  counted: Counted,
  node: number,
  least2: number,
  isInside: boolean,
): void {
  const first = firstChild(set.tree, node, 1);
  const end = childrenEnd(set.tree, first, 1);
  const accepted = counted.countOf(first, end);
  if (accepted === 0) return;
  // Where all count, none of them is looked up.
  const accepts = accepted === end - first ? null : counted.accepts;
  if (!isInside) countOneByOne(set, probe, frame, withinM, accepts, first, end);
  else {
    found.count += accepted;
    if (least2 <= found.nearest2 + ROUNDING) offerAll(set, frame, accepts, first, end);
  }
}

/** Features of a node across the edge of the circle: the frame decides except in a thin band around the limit. */
function countOneByOne(
  set: IndexedFeatures,
  probe: Probe,
  frame: LocalFrame,
  withinM: number,
  accepts: Counted['accepts'] | null,
  first: number,
  end: number,
): void {
  const inside2 = (withinM * (1 - BAND)) ** 2;
  const outside2 = (withinM * (1 + BAND)) ** 2;
  for (let id = first; id < end; id++) {
    const d2 = distance2(set, id, frame);
    if (d2 > outside2 || accepts?.(id) === false) continue;
    if (d2 >= inside2 && probe.distanceM(set, id, withinM) > withinM) continue;
    found.count++;
    offer(id, d2);
  }
}

function offerAll(
  set: IndexedFeatures,
  frame: LocalFrame,
  accepts: Counted['accepts'] | null,
  first: number,
  end: number,
): void {
  for (let id = first; id < end; id++) {
    const d2 = distance2(set, id, frame);
    if (d2 <= found.nearest2 && accepts?.(id) !== false) offer(id, d2);
  }
}

function offer(id: number, d2: number): void {
  if (d2 > found.nearest2 || (d2 === found.nearest2 && id > found.nearest)) return;
  found.nearest = id;
  found.nearest2 = d2;
}

function distance2({ xy }: IndexedFeatures, id: number, frame: LocalFrame): number {
  const dx = xy[id * 2] - frame.x;
  const dy = xy[id * 2 + 1] - frame.y;
  const mx = dx * (frame.east + frame.eastSlope * dy);
  const my = dy * (frame.north + frame.northSlope * dy);
  return mx * mx + my * my;
}

const hits = createHits();

function countByMeasuring(set: IndexedFeatures, probe: Probe, withinM: number, { accepts }: Counted): CountWithin {
  searchAround(set, probe, withinM, hits);
  let count = 0;
  let nearest = -1;
  let nearestM = Infinity;
  for (let i = 0; i < hits.count; i++) {
    const id = hits.ids[i];
    if (!accepts(id)) continue;
    const distanceM = probe.distanceM(set, id, withinM);
    if (distanceM > withinM) continue;
    count++;
    if (distanceM > nearestM || (distanceM === nearestM && id > nearest)) continue;
    nearestM = distanceM;
    nearest = id;
  }
  return { count, nearest, nearestM };
}
