/** Children of a node. */
export const FANOUT = 16;

/**
 * A packed R-tree whose items were put in a good order (a space-filling curve) beforehand, so that it needs no index
 * arrays: item `i` of a level belongs to node `i / 16` of the next. Boxes are west, south, east, north as whole units of
 * `1 / scale` degree, items first, then level by level up to one root; they may live in shared memory.
 */
export interface PackedTree {
  readonly boxes: Int32Array;
  /** Number of items. */
  readonly count: number;
  /** Index of the first box of every level, items at level 0. */
  readonly levels: readonly number[];
}

/** How many boxes a tree over `count` items holds. */
export function treeBoxCount(count: number): number {
  const levels = levelStarts(count);
  return levels[levels.length - 1] + 1;
}

/** A tree over boxes that are laid out already, as `finishTree` left them. */
export function openTree(boxes: Int32Array, count: number): PackedTree {
  return { boxes, count, levels: levelStarts(count) };
}

/** Fills in the boxes of the inner nodes after the `count` item boxes at the start of `boxes`. */
export function finishTree(boxes: Int32Array, count: number): PackedTree {
  const levels = levelStarts(count);
  for (let level = 1; level < levels.length; level++) {
    const start = levels[level];
    const end = level + 1 < levels.length ? levels[level + 1] : start + 1;
    for (let node = start; node < end; node++)
      joinChildren(boxes, node, levels[level - 1] + (node - start) * FANOUT, start);
  }
  return { boxes, count, levels };
}

function joinChildren(boxes: Int32Array, node: number, first: number, limit: number): void {
  let west = 0x7fffffff;
  let south = 0x7fffffff;
  let east = -0x80000000;
  let north = -0x80000000;
  for (let child = first; child < Math.min(first + FANOUT, limit); child++) {
    west = Math.min(west, boxes[child * 4]);
    south = Math.min(south, boxes[child * 4 + 1]);
    east = Math.max(east, boxes[child * 4 + 2]);
    north = Math.max(north, boxes[child * 4 + 3]);
  }
  boxes.set([west, south, east, north], node * 4);
}

function levelStarts(count: number): number[] {
  if (count < 1) throw new RangeError(`A tree needs at least one item, got ${count}`);
  const levels = [0];
  let size = count;
  let start = 0;
  do {
    start += size;
    levels.push(start);
    size = Math.ceil(size / FANOUT);
  } while (size > 1);
  return levels;
}

/** Index of the first child box of a node, and of the box after the last. Nodes are numbered as in `boxes`. */
export function firstChild(tree: PackedTree, node: number, level: number): number {
  return tree.levels[level - 1] + (node - tree.levels[level]) * FANOUT;
}

export function childrenEnd(tree: PackedTree, first: number, level: number): number {
  return Math.min(first + FANOUT, tree.levels[level]);
}

const stack = new Int32Array(1024);

/** A list of numbers that grows when it must and is used again from query to query. */
export interface Hits {
  ids: Int32Array;
  count: number;
}

export function createHits(): Hits {
  return { ids: new Int32Array(256), count: 0 };
}

/** Adds to `out` every item whose box touches the window; the window's numbers need not be whole. */
export function searchTree(
  tree: PackedTree,
  west: number,
  south: number,
  east: number,
  north: number,
  out: Hits,
): void {
  const { boxes, levels } = tree;
  let top = 0;
  stack[top++] = levels[levels.length - 1];
  stack[top++] = levels.length - 1;
  while (top > 0) {
    const level = stack[--top];
    const node = stack[--top];
    const first = firstChild(tree, node, level);
    const end = childrenEnd(tree, first, level);
    for (let child = first; child < end; child++) {
      const at = child * 4;
      if (boxes[at] > east || boxes[at + 2] < west || boxes[at + 1] > north || boxes[at + 3] < south) continue;
      if (level > 1) {
        stack[top++] = child;
        stack[top++] = level - 1;
      } else addHit(out, child);
    }
  }
}

/** Adds one number to a list. */
export function addHit(out: Hits, id: number): void {
  if (out.count === out.ids.length) {
    const grown = new Int32Array(out.count * 2);
    grown.set(out.ids);
    out.ids = grown;
  }
  out.ids[out.count++] = id;
}
