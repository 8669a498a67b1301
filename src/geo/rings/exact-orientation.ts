import { orient2d } from 'robust-predicates';

/**
 * On which side of the directed line a -> b the point c lies: 1 left, -1 right, 0 exactly on the line. The sign is exact
 * where products of differences do not underflow, which is everywhere on Earth in degrees or metres.
 */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): -1 | 0 | 1 {
  // Its y axis points down, so its sign is the other way round.
  const side = orient2d(ax, ay, bx, by, cx, cy);
  return side < 0 ? 1 : side > 0 ? -1 : 0;
}
