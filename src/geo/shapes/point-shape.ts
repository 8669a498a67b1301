import type { Shape } from './shape.ts';

/** A single point as a shape. */
export function pointShape(lon: number, lat: number): Shape {
  return { points: Float64Array.of(lon, lat), lines: [], polygons: [], bbox: [lon, lat, lon, lat], inside: [lon, lat] };
}
