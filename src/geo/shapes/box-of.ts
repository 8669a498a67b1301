import type { Bbox } from './shape.ts';

/** The box around polygons, each its outer ring first. */
export function boxOf(polygons: readonly (readonly Float64Array[])[]): Bbox {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [ring] of polygons)
    for (let i = 0; i < ring.length; i += 2) {
      box[0] = Math.min(box[0], ring[i]);
      box[1] = Math.min(box[1], ring[i + 1]);
      box[2] = Math.max(box[2], ring[i]);
      box[3] = Math.max(box[3], ring[i + 1]);
    }
  return box;
}
