import { childrenEnd, createHits, firstChild } from '../packed-tree.ts';
import { boxBounds } from './box-bounds.ts';
import type { IndexedFeatures } from './feature-set.ts';
import { FLAT_M, isFarFromTurn, type LocalFrame } from './local-frame.ts';
import type { Probe } from './probe.ts';
import { searchAround } from './search-around.ts';

/** Which features of a set are counted. */
export interface Counted {
  accepts(id: number): boolean;
  /** How many are accepted of the features from `first` to before `end`: those of one lowest node of the tree. */
  countOf(first: number, end: number): number;
}

export interface CountWithin {
  readonly count: number;
  /** The nearest of them, the lower number among equals; -1 when there is none. */
  readonly nearest: number;
  /** Geodesic metres on WGS84 to it; Infinity when there is none. */
  readonly nearestM: number;
}

/** Part of a limit within which the exact distance decides, not the frame. */
const BAND = 1e-4;

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
  const inside2 = (withinM * (1 - BAND)) ** 2;
  const outside2 = (withinM * (1 + BAND)) ** 2;
  let top = 0;
  stack[top++] = levels[levels.length - 1];
  stack[top++] = levels.length - 1;
  while (top > 0) {
    const level = stack[--top];
    const node = stack[--top];
    const west = boxes[node * 4] - x;
    const right = boxes[node * 4 + 2] - x;
    const south = boxes[node * 4 + 1] - y;
    const up = boxes[node * 4 + 3] - y;
    const dx = (west > 0 ? west : right < 0 ? right : 0) * east;
    const dy = (south > 0 ? south : up < 0 ? up : 0) * north;
    const least2 = dx * dx + dy * dy;
    if (least2 > outside2) continue;
    const first = firstChild(set.tree, node, level);
    const end = childrenEnd(set.tree, first, level);
    if (level > 1) {
      for (let child = first; child < end; child++) {
        stack[top++] = child;
        stack[top++] = level - 1;
      }
      continue;
    }
    const accepted = counted.countOf(first, end);
    if (accepted === 0) continue;
    // Where all count, none of them is looked up.
    const accepts = accepted === end - first ? null : counted.accepts;
    const farX = (right > -west ? right : west) * mostEast;
    const farY = (up > -south ? up : south) * mostNorth;
    if (farX * farX + farY * farY > inside2) countOneByOne(set, probe, frame, withinM, accepts, first, end);
    else {
      found.count += accepted;
      if (least2 <= found.nearest2) offerAll(set, frame, accepts, first, end);
    }
  }
  const { count, nearest, nearest2 } = found;
  return { count, nearest, nearestM: Math.sqrt(nearest2) };
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
