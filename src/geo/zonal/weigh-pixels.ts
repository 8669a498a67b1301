import { coverPixels, type PixelPolygon, type PixelWindow } from './cover-pixels.ts';
import { isSameGrid, pixelAreas, type PixelGrid } from './pixel-polygon.ts';
import type { Projection } from '../crs/find-crs.ts';

/** Hectares of the window that a polygon was weighed in last. */
interface Weighed {
  readonly grid: PixelGrid;
  readonly window: PixelWindow;
  readonly hectares: Float64Array;
}

const weighed = new WeakMap<PixelPolygon, Weighed>();
/** Pixels of the largest window that is remembered: 16 kB. */
const MOST_REMEMBERED = 2_048;

/**
 * Writes the hectares of each pixel of a window that lie inside a polygon into `out`, row by row: the covered share of the
 * pixel times its area on the ellipsoid. The same polygon, which must not change, is weighed once for all maps of a grid that are
 * measured after each other.
 * @throws RangeError when `out` is too short.
 */
export function weighPixels(polygon: PixelPolygon, grid: PixelGrid, window: PixelWindow, out: Float64Array): void {
  const known = weighed.get(polygon);
  if (known !== undefined && isSameWindow(known.window, window) && isSameGrid(known.grid, grid)) {
    if (out.length < known.hectares.length)
      throw new RangeError(`wanted room for ${known.hectares.length} pixels, got ${out.length}`);
    out.set(known.hectares);
    return;
  }
  weigh(polygon, grid, window, out);
  const count = window.width * window.height;
  if (count <= MOST_REMEMBERED) weighed.set(polygon, { grid, window, hectares: out.slice(0, count) });
}

function isSameWindow(one: PixelWindow, other: PixelWindow): boolean {
  return one.x0 === other.x0 && one.y0 === other.y0 && one.width === other.width && one.height === other.height;
}

function weigh(polygon: PixelPolygon, grid: PixelGrid, window: PixelWindow, out: Float64Array): void {
  coverPixels([polygon], window, out);
  const areas = pixelAreas(grid, window);
  let at = 0;
  for (let row = 0; row < window.height; row++) {
    const hectares = areas[row] / 10_000;
    for (const end = at + window.width; at < end; at++) out[at] *= hectares;
  }
}

/** Classes of a window of a raster. */
interface ClassWindow {
  readonly grid: PixelGrid;
  readonly projection: Projection;
  readonly window: PixelWindow;
  /** Row by row. */
  readonly classes: Uint8Array;
}

/**
 * Writes the class of another raster under the centre of each pixel of a window into `out`, row by row; pixels whose centre
 * lies outside the other window keep what `out` has. Where both rasters have the same pixels, or those of the first divide
 * those of the second, that is exact; else a pixel of the first takes the class that its centre has.
 */
export function sampleCentres(
  frame: { readonly grid: PixelGrid; readonly projection: Projection; readonly window: PixelWindow },
  other: ClassWindow,
  out: Uint8Array,
): void {
  if (frame.grid.crs.code === other.grid.crs.code) sampleAligned(frame, other, out);
  else sampleProjected(frame, other, out);
}

/** A centre this near to an edge of the other pixel, in its pixels, lies on it: what rounding of transforms makes of 0. */
const NUDGE = 1e-7;

/** Rows and columns go their own ways where both rasters lie along the same axes. */
function sampleAligned(
  { grid, window }: Parameters<typeof sampleCentres>[0],
  other: ClassWindow,
  out: Uint8Array,
): void {
  const [a, , c, , e, f] = grid.transform;
  const [otherA, , otherC, , otherE, otherF] = other.grid.transform;
  const columns = new Int32Array(window.width);
  for (let x = 0; x < window.width; x++) {
    const column = Math.floor((a * (window.x0 + x + 0.5) + c - otherC) / otherA + NUDGE) - other.window.x0;
    columns[x] = column < 0 || column >= other.window.width ? -1 : column;
  }
  for (let y = 0; y < window.height; y++) {
    const row = Math.floor((e * (window.y0 + y + 0.5) + f - otherF) / otherE + NUDGE) - other.window.y0;
    if (row < 0 || row >= other.window.height) continue;
    const from = row * other.window.width;
    const to = y * window.width;
    for (let x = 0; x < window.width; x++) if (columns[x] >= 0) out[to + x] = other.classes[from + columns[x]];
  }
}

function sampleProjected(
  { grid, projection, window }: Parameters<typeof sampleCentres>[0],
  other: ClassWindow,
  out: Uint8Array,
): void {
  const [a, , c, , e, f] = grid.transform;
  const [otherA, , otherC, , otherE, otherF] = other.grid.transform;
  const place = new Float64Array(2);
  for (let y = 0; y < window.height; y++) {
    for (let x = 0; x < window.width; x++) {
      projection.toLonLat(a * (window.x0 + x + 0.5) + c, e * (window.y0 + y + 0.5) + f, place, 0);
      other.projection.toXY(place[0], place[1], place, 0);
      const column = Math.floor((place[0] - otherC) / otherA) - other.window.x0;
      const row = Math.floor((place[1] - otherF) / otherE) - other.window.y0;
      if (column < 0 || row < 0 || column >= other.window.width || row >= other.window.height) continue;
      out[y * window.width + x] = other.classes[row * other.window.width + column];
    }
  }
}
