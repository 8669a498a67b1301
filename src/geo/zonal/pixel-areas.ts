import type { Crs } from '../crs/find-crs.ts';
import { openProjection } from '../crs/open-projection.ts';
import { areaFactor, polygonArea } from '../rings/polygon-area.ts';
import type { PixelWindow } from './cover-pixels.ts';
import { DEGREE } from '../crs/ellipsoid.ts';

/** Where a north-up or south-up raster lies: `x = a * column + c`, `y = e * row + f` from pixel corners; `b` and `d` are 0. */
export interface PixelGrid {
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly crs: Crs;
}

/**
 * Square metres on the WGS84 ellipsoid of a pixel in each row of a window. Exact for a raster in degrees; in a projected
 * one it is the geodesic area of the pixel in the middle of the row, which a pixel at the end of a window of 10 km
 * misses by less than 1e-4 in UTM.
 */
export function pixelAreas({ transform, crs }: PixelGrid, { x0, y0, width, height }: PixelWindow): Float64Array {
  const [a, , c, , e, f] = transform;
  const areas = new Float64Array(height);
  if (crs.code === 4326) {
    const factorAt = (row: number): number => areaFactor(Math.sin((e * row + f) * DEGREE));
    for (let row = 0; row < height; row++)
      areas[row] = Math.abs(a * DEGREE * (factorAt(y0 + row + 1) - factorAt(y0 + row)));
    return areas;
  }
  const { toLonLat } = openProjection(crs);
  const left = a * (x0 + (width >> 1)) + c;
  const corners = new Float64Array(8);
  for (let row = 0; row < height; row++) {
    const top = e * (y0 + row) + f;
    toLonLat(left, top, corners, 0);
    toLonLat(left + a, top, corners, 2);
    toLonLat(left + a, top + e, corners, 4);
    toLonLat(left, top + e, corners, 6);
    areas[row] = polygonArea([corners]).area;
  }
  return areas;
}
