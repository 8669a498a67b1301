import type { Bbox } from '../geo/shapes/shape.ts';

/** West, south, east, north in degrees as a client writes a box: west over east crosses the antimeridian. */
export type WrittenBox = readonly [west: number, south: number, east: number, north: number];

/** Four numbers, or six with heights, which are not looked at; null for anything that is no box in degrees. */
export function readBox(values: readonly unknown[]): WrittenBox | null {
  const numbers = values.length === 6 ? [values[0], values[1], values[3], values[4]] : values;
  if (numbers.length !== 4 || !values.every((value) => typeof value === 'number' && Number.isFinite(value)))
    return null;
  const [west, south, east, north] = numbers as [number, number, number, number];
  const isInRange = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90 && south <= north;
  return isInRange ? [west, south, east, north] : null;
}

/** A box as one box, or as two on either side of the antimeridian. */
export function boxesOf([west, south, east, north]: WrittenBox): readonly Bbox[] {
  if (west <= east) return [[west, south, east, north]];
  return [
    [west, south, 180, north],
    [-180, south, east, north],
  ];
}
