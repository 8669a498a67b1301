/** A rectangle of pixels, in the order rows are stored. */
export interface PixelWindow {
  /** Column and row of its first pixel. */
  readonly x0: number;
  readonly y0: number;
  /** Pixels in a row; rows. */
  readonly width: number;
  readonly height: number;
}

/** A polygon in pixel space: x to the right and y down from the corner of pixel 0, 0; exterior ring, then its holes, flat and closed. */
export type PixelPolygon = readonly Float64Array[];

/**
 * Writes the share of each pixel of `window` that lies inside the polygons, 0 to 1, row by row into the first
 * `width * height` places of `out`. Exact but for rounding (below 1e-9), as exactextract defines it: straight edges in pixel
 * space, a pixel counts by the part of it that is covered. Polygons must be valid and must not overlap each other; the
 * direction of their rings does not matter.
 *
 * Every edge adds the signed area between itself and the right side of the window, spread over the pixels it
 * crosses as differences along the row; a running sum over the row then gives the shares (the signed-area accumulation of
 * R. Levien's font-rs). Time is linear in the pixels that edges cross plus the pixels of the window.
 *
 * @throws RangeError when `out` is too short.
 */
export function coverPixels(polygons: readonly PixelPolygon[], window: PixelWindow, out: Float64Array): void {
  const { width, height } = window;
  if (out.length < width * height) throw new RangeError(`wanted room for ${width * height} pixels, got ${out.length}`);
  // One place more in a row than pixels: an edge in the last pixel also writes after it.
  const stride = width + 1;
  const steps = new Float64Array(stride * height);
  for (const polygon of polygons)
    for (const [i, ring] of polygon.entries()) {
      const sign = Math.sign(signedArea(ring)) * (i === 0 ? 1 : -1);
      if (sign !== 0) addRing(ring, sign, window, steps);
    }
  for (let row = 0; row < height; row++) {
    let sum = 0;
    for (let column = 0; column < width; column++) {
      sum += steps[row * stride + column];
      out[row * width + column] = sum < ROUNDING ? 0 : sum > 1 - ROUNDING ? 1 : sum;
    }
  }
}

/** Shares this near to 0 or 1 are what rounding left. */
const ROUNDING = 1e-11;

/** Positive when the ring runs clockwise on the screen, where y points down. */
function signedArea(ring: Float64Array): number {
  const [originX, originY] = [ring[0] ?? 0, ring[1] ?? 0];
  let twice = 0;
  for (let i = 0; i + 3 < ring.length; i += 2)
    twice += (ring[i] - originX) * (ring[i + 3] - originY) - (ring[i + 2] - originX) * (ring[i + 1] - originY);
  return twice / 2;
}

function addRing(ring: Float64Array, sign: number, { x0, y0, width, height }: PixelWindow, steps: Float64Array): void {
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [ax, ay] = [ring[i] - x0, ring[i + 1] - y0];
    const [bx, by] = [ring[i + 2] - x0, ring[i + 3] - y0];
    // Clockwise on the screen, the inside lies to the right of an edge that goes up.
    if (ay > by) addEdge(bx, by, ax, ay, sign, width, height, steps);
    else if (by > ay) addEdge(ax, ay, bx, by, -sign, width, height, steps);
  }
}

/** Adds an edge that goes down from (ax, ay) to (bx, by), row by row. */
function addEdge(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  sign: number,
  width: number,
  height: number,
  steps: Float64Array,
): void {
  const slope = (bx - ax) / (by - ay);
  const last = Math.min(height, Math.ceil(by));
  for (let row = Math.max(0, Math.floor(ay)); row < last; row++) {
    const top = Math.max(row, ay);
    const bottom = Math.min(row + 1, by);
    if (bottom <= top) continue;
    // The ends themselves where they are in this row, so that edges that meet do so exactly.
    const from = top === ay ? ax : ax + (top - ay) * slope;
    const to = bottom === by ? bx : ax + (bottom - ay) * slope;
    addPiece(Math.min(from, to), Math.max(from, to), sign * (bottom - top), row * (width + 1), width, steps);
  }
}

/** Adds the part of an edge inside one row: from `left` to `right`, with `rise` of the row's height and the edge's sign. */
function addPiece(left: number, right: number, rise: number, at: number, width: number, steps: Float64Array): void {
  if (left >= width) return;
  if (right <= 0) {
    steps[at] += rise;
    return;
  }
  const perPixel = right > left ? rise / (right - left) : 0;
  let x = left;
  let spent = 0;
  if (x < 0) {
    spent = -x * perPixel;
    steps[at] += spent;
    x = 0;
  }
  while (x < width) {
    const column = Math.floor(x);
    const end = Math.min(column + 1, right);
    const isLast = end >= right;
    const part = isLast ? rise - spent : (end - x) * perPixel;
    // The share of this pixel that lies to the right of the piece, and what its right neighbours gain on top of that.
    const next = (x + end) / 2 - column;
    steps[at + column] += part * (1 - next);
    steps[at + column + 1] += part * next;
    if (isLast) return;
    spent += part;
    x = end;
  }
}
