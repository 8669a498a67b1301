import { boxesTouch } from '../../geo/shapes/shape.ts';
import { createHits, finishTree, searchTree, treeBoxCount, type Hits, type PackedTree } from '../../geo/packed-tree.ts';
import { curveOrder } from '../../geo/shapes/point-set.ts';

type Box = readonly [west: number, south: number, east: number, north: number];

export interface BoxTree {
  readonly tree: PackedTree;
  /** Index into the input by place in the tree. */
  readonly order: Uint32Array;
}

/** Units in a degree: a centimetre. */
const SCALE = 10_000_000;

/** A tree over boxes in degrees; null where there are none. */
export function treeOf(boxes: readonly Box[]): BoxTree | null {
  if (boxes.length === 0) return null;
  const order = curveOrder(boxes.flatMap(([west, south, east, north]) => [(west + east) / 2, (south + north) / 2]));
  const packed = new Int32Array(treeBoxCount(boxes.length) * 4);
  for (const [i, from] of order.entries()) {
    const [west, south, east, north] = boxes[from];
    packed.set(
      [Math.floor(west * SCALE), Math.floor(south * SCALE), Math.ceil(east * SCALE), Math.ceil(north * SCALE)],
      i * 4,
    );
  }
  return { tree: finishTree(packed, boxes.length), order };
}

/** Replaces `hits` by the places in the tree of all boxes that touch this one. */
export function searchBoxes({ tree }: BoxTree, [west, south, east, north]: Box, hits: Hits): void {
  hits.count = 0;
  searchTree(tree, west * SCALE, south * SCALE, east * SCALE, north * SCALE, hits);
}

/** Items with boxes, which can be searched while they are added. */
interface PlotBoxes<T> {
  add(item: T): void;
  /** The items whose boxes touch this one, in the order in which they were added. */
  near(box: Box): T[];
}

/** Items that are gone through one by one before they become a tree. */
const LATEST = 128;

/**
 * Trees of doubling size: the latest items join the trees that are no larger than they are, so that each is packed again a
 * few times in all.
 */
export function createPlotBoxes<
  T extends { readonly index: number; readonly shape: { readonly bbox: Box } },
>(): PlotBoxes<T> {
  const trees: { readonly items: readonly T[]; readonly tree: BoxTree }[] = [];
  let latest: T[] = [];
  const hits = createHits();

  function pack(): void {
    let items: readonly T[] = latest;
    latest = [];
    while (trees.length > 0 && trees.at(-1)!.items.length <= items.length) items = [...trees.pop()!.items, ...items];
    const tree = treeOf(items.map(({ shape }) => shape.bbox));
    if (tree !== null) trees.push({ items, tree });
  }

  return {
    add(item) {
      latest.push(item);
      if (latest.length === LATEST) pack();
    },
    near(box) {
      const found = latest.filter(({ shape: { bbox } }) => boxesTouch(bbox, box));
      for (const { items, tree } of trees) {
        searchBoxes(tree, box, hits);
        for (const place of hits.ids.subarray(0, hits.count)) found.push(items[tree.order[place]]);
      }
      return found.toSorted((a, b) => a.index - b.index);
    },
  };
}
