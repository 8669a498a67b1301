import type { Bbox } from '../shapes/shape.ts';

/** The closed ring around a box, counterclockwise from its south-west corner. */
export function boxRing([west, south, east, north]: Bbox): Float64Array {
  return Float64Array.of(west, south, east, south, east, north, west, north, west, south);
}
