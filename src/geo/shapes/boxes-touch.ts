import type { Bbox } from './shape.ts';

/** Whether two boxes overlap or share a side or a corner. */
export function boxesTouch(a: Bbox, b: Bbox): boolean {
  return a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];
}
