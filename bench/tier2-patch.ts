import type { Polygon } from '../src/geo/geometry.ts';
import { latticeProjection, placeOnLattice } from '../src/geo/outline/lattice.ts';
import { outlineSegment, type SegmentOutline } from '../src/geo/outline/outline.ts';
import { traceSegment } from '../src/geo/outline/trace-segment.ts';
import { type CodeSource, type CodeWindow, windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../src/geo/segmentation/find-segment.ts';
import { forestGate } from '../src/geo/segmentation/forest-gate.ts';
import type { Grid } from '../src/geo/segmentation/grid.ts';
import { segmentInWindow } from '../src/geo/segmentation/segment-in-window.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';

/** A patch as a live lookup makes it, forest or not. */
export interface BenchPatch {
  readonly found: FoundSegment;
  readonly probability: number;
  readonly outline: SegmentOutline;
  readonly polygon: Polygon;
  readonly point: LonLat;
}

type Place = Pick<Grid, 'transform' | 'crs'>;

/** The grid as a source whose pixel blocks begin at its first pixel. */
export function sourceOf(grid: Grid): CodeSource {
  return {
    phase: { x: 0, y: 0 },
    window: (x0, y0, width, height) => Promise.resolve(windowOfGrid(grid, x0, y0, width, height)),
  };
}

/** The patch of a pixel's centre, its segment looked for in a growing window. */
export async function growingPatch(source: CodeSource, x: number, y: number, place: Place): Promise<BenchPatch> {
  const found = await findSegment(source, x, y);
  if (found === null) throw new Error(`no data at pixel ${x}, ${y}`);
  return finish(found, x, y, place);
}

/** The patch of a pixel's centre, its segment cut in one window that begins at `x0`, `y0`. */
export function fixedPatch(window: CodeWindow, x0: number, y0: number, x: number, y: number, place: Place): BenchPatch {
  const segment = segmentInWindow(window, (x - x0) >> 1, (y - y0) >> 1, DEFAULT_DEPTH);
  if (segment === null) throw new Error(`no data at pixel ${x}, ${y}`);
  const [column, row] = [x0 / 2, y0 / 2];
  const found = {
    ...segment,
    column: segment.column + column,
    row: segment.row + row,
    marker: [segment.marker[0] + column, segment.marker[1] + row] as const,
    within: { column, row, width: window.width / 2, height: window.height / 2 },
    codes: { window, column, row },
  };
  return finish(found, x, y, place);
}

/** The gate and the outline; phase 0, 0. */
function finish(found: FoundSegment, x: number, y: number, { transform, crs }: Place): BenchPatch {
  const { probability } = forestGate(found);
  const [a, , c, , e, f] = transform;
  const { lattice, column, row } = placeOnLattice([2 * a, 0, c, 0, 2 * e, f], crs);
  const image = { width: found.width, height: found.height, labels: found.mask };
  const [dx, dy] = [found.column + column, found.row + row];
  const traced = traceSegment(image, (x >> 1) - found.column, (y >> 1) - found.row, dx, dy);
  if (traced === null) throw new Error('the segment does not hold its cell');
  const point = new Float64Array(2);
  latticeProjection(crs).toLonLat(c + a * (x + 0.5), f + e * (y + 0.5), point, 0);
  const outline = outlineSegment(traced.rings, lattice, [point[0], point[1]]);
  return { found, probability, outline, polygon: outline.polygon, point: [point[0], point[1]] };
}
