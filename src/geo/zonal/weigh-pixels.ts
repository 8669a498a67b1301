import { coverPixels, type PixelPolygon, type PixelWindow } from './cover-pixels.ts';
import { pixelAreas, type PixelGrid } from './pixel-areas.ts';

/**
 * Writes the hectares of each pixel of a window that lie inside a polygon into `out`, row by row: the covered share of the
 * pixel times its area on the ellipsoid.
 * @throws RangeError when `out` is too short.
 */
export function weighPixels(polygon: PixelPolygon, grid: PixelGrid, window: PixelWindow, out: Float64Array): void {
  coverPixels([polygon], window, out);
  const areas = pixelAreas(grid, window);
  let at = 0;
  for (let row = 0; row < window.height; row++) {
    const hectares = areas[row] / 10_000;
    for (const end = at + window.width; at < end; at++) out[at] *= hectares;
  }
}
