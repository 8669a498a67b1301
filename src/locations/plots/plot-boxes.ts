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

/** The least box in units that holds this one. */
export function packBox([west, south, east, north]: Box): Box {
  return [Math.floor(west * SCALE), Math.floor(south * SCALE), Math.ceil(east * SCALE), Math.ceil(north * SCALE)];
}

/** A tree over boxes in units, four numbers each; null where there are none. */
export function treeOf(boxes: Int32Array): BoxTree | null {
  const count = boxes.length / 4;
  if (count === 0) return null;
  const middles = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    middles[2 * i] = (boxes[4 * i] + boxes[4 * i + 2]) / (2 * SCALE);
    middles[2 * i + 1] = (boxes[4 * i + 1] + boxes[4 * i + 3]) / (2 * SCALE);
  }
  const order = curveOrder(middles);
  const packed = new Int32Array(treeBoxCount(count) * 4);
  for (const [i, from] of order.entries()) packed.set(boxes.subarray(4 * from, 4 * from + 4), 4 * i);
  return { tree: finishTree(packed, count), order };
}

/** Replaces `hits` by the places in the tree of all boxes that touch this one, which is in units. */
export function searchBoxes({ tree }: BoxTree, [west, south, east, north]: Box, hits: Hits): void {
  hits.count = 0;
  searchTree(tree, west, south, east, north, hits);
}

/** Boxes by the numbers of what they are of, which can be searched while they are added: some 40 bytes each. */
interface PlotBoxes {
  /** How many there are. */
  readonly size: number;
  /** Numbers are whole, and each is greater than the one before. */
  add(number: number, box: Box): void;
  /** In units; null where none was added under this number. */
  boxOf(number: number): Box | null;
  /** The numbers of the boxes that touch this one, which is in units; ascending. */
  near(box: Box): number[];
}

/** Boxes that are gone through one by one before they become a tree. */
const LATEST = 128;

/**
 * Trees of doubling size over neighbouring stretches of the boxes: the latest join the trees that are no larger than they are, so that
 * each is packed again a few times in all.
 */
export function createPlotBoxes(): PlotBoxes {
  const trees: { readonly start: number; readonly tree: BoxTree }[] = [];
  let numbers = new Uint32Array(LATEST);
  let boxes = new Int32Array(4 * LATEST);
  let size = 0;
  /** How many are in trees. */
  let packed = 0;
  const hits = createHits();

  function pack(): void {
    let start = packed;
    while (trees.length > 0 && start - trees.at(-1)!.start <= size - start) start = trees.pop()!.start;
    trees.push({ start, tree: treeOf(boxes.subarray(4 * start, 4 * size))! });
    packed = size;
  }

  return {
    get size() {
      return size;
    },
    add(number, box) {
      if (size === numbers.length) {
        numbers = copyOf(numbers, new Uint32Array(2 * size));
        boxes = copyOf(boxes, new Int32Array(8 * size));
      }
      numbers[size] = number;
      boxes.set(packBox(box), 4 * size);
      if (++size - packed === LATEST) pack();
    },
    boxOf(number) {
      let [low, high] = [0, size];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (numbers[middle] < number) low = middle + 1;
        else high = middle;
      }
      if (low === size || numbers[low] !== number) return null;
      return [boxes[4 * low], boxes[4 * low + 1], boxes[4 * low + 2], boxes[4 * low + 3]];
    },
    near(box) {
      const [west, south, east, north] = box;
      const found: number[] = [];
      for (const { start, tree } of trees) {
        searchBoxes(tree, box, hits);
        for (const place of hits.ids.subarray(0, hits.count)) found.push(numbers[start + tree.order[place]]);
      }
      for (let i = packed; i < size; i++)
        if (boxes[4 * i] <= east && boxes[4 * i + 2] >= west && boxes[4 * i + 1] <= north && boxes[4 * i + 3] >= south)
          found.push(numbers[i]);
      return found.sort((a, b) => a - b);
    },
  };
}

function copyOf<T extends Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
