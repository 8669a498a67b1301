import type { MapPlace } from '../../../map/map-place.ts';
import type { PlotRow } from './plot-row.ts';

/** Outlines drawn at the same time. */
export const MOST_OUTLINES = 2_000;
/** Zoom below which outlines are smaller than the dots. */
const OUTLINE_ZOOM = 9;

/** Pixels of the world at zoom 0, as MapLibre has it. */
const WORLD = 512;

/**
 * Numbers of the locations whose middles lie in a view of so many pixels, or just outside of it; at most `MOST_OUTLINES`, and
 * none where outlines could not be seen.
 */
export function plotsInView(rows: readonly PlotRow[], place: MapPlace | null, width: number, height: number): number[] {
  if (place === null || place.zoom < OUTLINE_ZOOM) return [];
  const perPixel = 360 / (WORLD * 2 ** place.zoom);
  const [dLon, dLat] = [width * perPixel * 0.75, height * perPixel * 0.75];
  const found: number[] = [];
  for (const { index, lon, lat } of rows) {
    if (lon === null || lat === null) continue;
    if (Math.abs(lon - place.lon) > dLon || Math.abs(lat - place.lat) > dLat) continue;
    found.push(index);
    if (found.length === MOST_OUTLINES) break;
  }
  return found;
}
