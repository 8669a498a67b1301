import type { Polygon } from '../src/geo/geometry.ts';
import { latticeProjection, placeOnLattice } from '../src/geo/outline/lattice.ts';
import { outlineSegment, type SegmentOutline } from '../src/geo/outline/outline.ts';
import { traceSegment } from '../src/geo/outline/trace-segment.ts';
import { cellsOf, type CodeSource, type CodeWindow, windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import {
  type CutSegment,
  cutSegment,
  DEFAULT_DEPTH,
  findSegment,
  type FoundSegment,
  readCodes,
} from '../src/geo/segmentation/find-segment.ts';
import { forestGate } from '../src/geo/segmentation/forest-gate.ts';
import type { CellMemory } from '../src/geo/segmentation/cell-memory.ts';
import type { EmbeddingRaster } from '../src/readers/embeddings/embedding-source.ts';
import type { Grid } from '../src/geo/segmentation/grid.ts';
import { segmentInWindow } from '../src/geo/segmentation/segment-in-window.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';

/** A patch as a live lookup makes it, forest or not. */
export interface BenchPatch<T extends CutSegment = CutSegment> {
  readonly found: T;
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
export async function growingPatch(
  source: CodeSource,
  x: number,
  y: number,
  place: Place,
): Promise<BenchPatch<FoundSegment>> {
  const found = await findSegment(source, x, y);
  if (found === null) throw new Error(`no data at pixel ${x}, ${y}`);
  return finish(found, x, y, place);
}

/** The patch of a pixel's centre as a lookup of the service makes it of a raster, forest or not; pixel blocks begin at its first pixel. */
export async function livePatch(
  raster: EmbeddingRaster,
  memory: CellMemory,
  x: number,
  y: number,
  signal: AbortSignal,
): Promise<BenchPatch> {
  const source: CodeSource = {
    phase: { x: 0, y: 0 },
    window: (x0, y0, width, height) => raster.window(x0, y0, width, height, signal),
    async cells(x0, y0, width, height) {
      const cells = memory.of(await raster.version(x0, y0, width, height, signal));
      await cells.load({ column: x0 / 2, row: y0 / 2, width: width / 2, height: height / 2 });
      return cells;
    },
  };
  const found = await cutSegment(source, x, y, { signal });
  if (found === null) throw new Error(`no data at pixel ${x}, ${y}`);
  const known = (await cellsOf(source, found, signal))?.meanProbability(found) ?? null;
  const probability = known ?? forestGate({ ...found, codes: await readCodes(source, found, signal) }).probability;
  return outlined(found, probability, x, y, raster);
}

/** The patch of a pixel's centre, its segment cut in one window that begins at `x0`, `y0`. */
export function fixedPatch(
  window: CodeWindow,
  x0: number,
  y0: number,
  x: number,
  y: number,
  place: Place,
): BenchPatch<FoundSegment> {
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
function finish(found: FoundSegment, x: number, y: number, place: Place): BenchPatch<FoundSegment> {
  return outlined(found, forestGate(found).probability, x, y, place);
}

function outlined<T extends CutSegment>(
  found: T,
  probability: number,
  x: number,
  y: number,
  { transform, crs }: Place,
): BenchPatch<T> {
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
