import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import type { GroundPart } from '../../geo/zonal/plot-ground.ts';
import { weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import type { PatchRaster } from '../../forest/sources.ts';
import { windowsOf } from '../../readers/rasters/plan-measuring.ts';

/** Pixels of a window that are read at once: 16 MB. */
const STRIPE_PIXELS = 262_144;

/**
 * Takes the codes of one pixel, 64 from `at` on, which are the caller's only until it returns, and the hectares that the pixel
 * stands for. Codes of no data are -128.
 */
type TakePixel = (codes: Int8Array, at: number, hectares: number) => void;

/**
 * Visits the pixels of embeddings that lie in some parts of a plot, each with the hectares of it inside. Where their windows
 * have more than `most` pixels, only every n-th row and column, n times n as much each. Gives n. Rejects like `window`.
 */
export async function visitCodes(
  parts: readonly GroundPart[],
  raster: Pick<PatchRaster, 'crs' | 'transform' | 'window'>,
  most: number,
  signal: AbortSignal,
  take: TakePixel,
): Promise<number> {
  const crs = findCrs(raster.crs);
  if ('refused' in crs) throw new Error(crs.refused);
  const grid = { transform: raster.transform, crs };
  const projection = openProjection(crs);
  const laid = parts.flatMap(({ rings }) => {
    const polygon = toPixelPolygon(rings, grid, projection);
    const windows = windowsOf(polygon, { x0: -(2 ** 30), y0: -(2 ** 30), width: 2 ** 31, height: 2 ** 31 });
    return windows.map((window) => ({ polygon, window }));
  });
  const pixels = laid.reduce((sum, { window: { width, height } }) => sum + width * height, 0);
  const step = Math.max(1, Math.ceil(Math.sqrt(pixels / most)));
  for (const { polygon, window } of laid) {
    const { x0, y0, width, height } = window;
    const rows = Math.max(1, Math.floor(STRIPE_PIXELS / width));
    for (let top = 0; top < height; top += rows) {
      const stripe = { x0, y0: y0 + top, width, height: Math.min(rows, height - top) };
      const weights = new Float64Array(stripe.width * stripe.height);
      weighPixels(polygon, grid, stripe, weights);
      const codes = await raster.window(stripe.x0, stripe.y0, stripe.width, stripe.height, signal);
      const row = new Int8Array(width * BANDS);
      for (let y = 0; y < stripe.height; y++) {
        if ((stripe.y0 + y) % step !== 0) continue;
        codes.copyRow(y, row);
        for (let x = 0; x < width; x++) {
          const weight = weights[y * width + x];
          if (weight === 0 || (stripe.x0 + x) % step !== 0) continue;
          take(row, x * BANDS, weight * step * step);
        }
      }
    }
  }
  return step;
}
