import { hilbert } from '../hilbert.ts';
import { finishTree, openTree, searchTree, treeBoxCount, type Hits, type PackedTree } from '../packed-tree.ts';
import { windowsAround } from './reach.ts';
import type { Bbox } from './shape.ts';

/** Points laid along a space-filling curve with a tree over them: point `i` has its coordinates in the first two numbers of box `i`. */
interface PointSet {
  /** Units in a degree. */
  readonly scale: number;
  readonly tree: PackedTree;
}

/** The order in which points, `[lon, lat, ...]` in degrees, are best stored: indexes into the input. */
export function curveOrder(coordinates: ArrayLike<number>): Uint32Array {
  const keys = Float64Array.from({ length: coordinates.length / 2 }, (_, i) => {
    const x = Math.floor(((coordinates[i * 2] + 180) / 360) * 32_767);
    const y = Math.floor(((coordinates[i * 2 + 1] + 90) / 180) * 32_767);
    return hilbert(x, y) * 0x400000 + i;
  }).sort();
  return Uint32Array.from(keys, (key) => key % 0x400000);
}

/** The boxes of a point set for points in degrees that are in `curveOrder` already. */
export function packPoints(coordinates: ArrayLike<number>, scale: number): Int32Array {
  const count = coordinates.length / 2;
  const boxes = new Int32Array(treeBoxCount(count) * 4);
  for (let i = 0; i < count; i++) {
    const x = Math.round(coordinates[i * 2] * scale);
    const y = Math.round(coordinates[i * 2 + 1] * scale);
    boxes.set([x, y, x, y], i * 4);
  }
  finishTree(boxes, count);
  return boxes;
}

export function openPoints(boxes: Int32Array, count: number, scale: number): PointSet {
  return { scale, tree: openTree(boxes, count) };
}

/** Puts into `out` every point that can lie within so many metres of something inside a box, and possibly some more. */
export function pointsAround({ scale, tree }: PointSet, box: Bbox, withinM: number, out: Hits): void {
  out.count = 0;
  for (const [west, south, east, north] of windowsAround(box, withinM))
    searchTree(tree, west * scale, south * scale, east * scale, north * scale, out);
}
