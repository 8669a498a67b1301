import type { ColumnMemory } from './ring-layout.ts';

const NONE = -1;

/** The segments a sweep line cuts, from the lowest to the highest: a treap with links to the neighbours. */
interface SweepOrder {
  /** Adds a segment; `isAbove(segment, other)` says whether it lies above one that is already here. Logarithmic on average. */
  insert(segment: number): void;
  remove(segment: number): void;
  /** The segment directly below, or -1. */
  below(segment: number): number;
  /** The segment directly above, or -1. */
  above(segment: number): number;
}

/**
 * An empty order of at most `capacity` segments, numbered from 0. The order of the segments held must not change while
 * they are held. Priorities are a fixed hash of the number, so that the same input always takes the same path.
 */
export function createSweepOrder(
  capacity: number,
  isAbove: (segment: number, other: number) => boolean,
  memory: ColumnMemory,
): SweepOrder {
  // Not filled: a segment's own entries are written when it is added, and memory nobody writes to is none.
  const low = memory.integers(capacity);
  const high = memory.integers(capacity);
  const parent = memory.integers(capacity);
  const before = memory.integers(capacity);
  const after = memory.integers(capacity);
  let root = NONE;

  return {
    insert(segment) {
      let node = root;
      let [up, previous, next] = [NONE, NONE, NONE];
      while (node !== NONE) {
        up = node;
        if (isAbove(segment, node)) {
          previous = node;
          node = high[node];
        } else {
          next = node;
          node = low[node];
        }
      }
      low[segment] = NONE;
      high[segment] = NONE;
      link(previous, segment);
      link(segment, next);
      parent[segment] = up;
      if (up === NONE) root = segment;
      else if (previous === up) high[up] = segment;
      else low[up] = segment;
      while (parent[segment] !== NONE && priority(parent[segment]) < priority(segment)) lift(segment);
    },
    remove(segment) {
      while (low[segment] !== NONE || high[segment] !== NONE) {
        const [left, right] = [low[segment], high[segment]];
        lift(right === NONE || (left !== NONE && priority(left) > priority(right)) ? left : right);
      }
      replaceChild(parent[segment], segment, NONE);
      link(before[segment], after[segment]);
    },
    below: (segment) => before[segment],
    above: (segment) => after[segment],
  };

  function link(lower: number, upper: number): void {
    if (lower !== NONE) after[lower] = upper;
    if (upper !== NONE) before[upper] = lower;
  }

  function replaceChild(up: number, old: number, fresh: number): void {
    if (up === NONE) root = fresh;
    else if (low[up] === old) low[up] = fresh;
    else high[up] = fresh;
    if (fresh !== NONE) parent[fresh] = up;
  }

  /** Rotates a node above its parent. */
  function lift(node: number): void {
    const up = parent[node];
    replaceChild(parent[up], up, node);
    const [near, far] = low[up] === node ? [low, high] : [high, low];
    const moved = far[node];
    near[up] = moved;
    if (moved !== NONE) parent[moved] = up;
    far[node] = up;
    parent[up] = node;
  }
}

function priority(segment: number): number {
  const mixed = Math.imul(segment ^ 0x9e3779b9, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 1;
}
