import type { Bbox } from '../../geo/shape.ts';
import type { PixelWindow } from '../../geo/zonal/cover-pixels.ts';
import { pixelAreas } from '../../geo/zonal/pixel-areas.ts';
import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { sampleCentres } from '../../geo/zonal/sample-centres.ts';
import { NO_CLASS, sumClasses, sumClassesWithin, sumValues } from '../../geo/zonal/sum-pixels.ts';
import { weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import type { Pixels } from './encode-row.ts';
import { boxOfWindow, PIECE_PIXELS, windowOfBox, windowsOf } from './plan-pieces.ts';
import { readPieces, type Piece, type PieceRead, type RasterLayer } from './read-pieces.ts';
import type { RasterPlace, RasterSpec } from './raster-spec.ts';
import type { SampleMemory } from './sample-memory.ts';
import type { TileRef } from './tile-template.ts';
import { tilesAt, type RasterTile, type RasterTiles } from './raster-tiles.ts';

/** One map of a raster, ready to be measured on. */
export interface RasterMap<P extends Pixels = Pixels> {
  readonly spec: RasterSpec;
  readonly place: RasterPlace;
  readonly layer: RasterLayer<P>;
}

/** What all measuring of one thread shares. */
export interface RasterReader {
  readonly tiles: RasterTiles;
  readonly memory: SampleMemory;
}

/** A sum for each plot, or why there is none. Index as in the plots that were asked for. */
export type PlotSums = readonly ({ readonly sums: Float64Array } | { readonly error: unknown })[];

/** Hectares of each plot by class of a map; pixels without data are in none. */
export function measureClasses(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  const { classes: places } = map.layer.encoding;
  return measure(reader, map, null, plots, places, signal, (weights, [classes], count, out) =>
    sumClasses(weights, classes, count, places, out),
  );
}

/** Of each plot the sum of value times hectares, and the hectares that have a value. */
export function measureValues(
  reader: RasterReader,
  map: RasterMap<Float32Array>,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  return measure(reader, map, null, plots, 2, signal, (weights, [values], count, out) =>
    sumValues(weights, values, count, out),
  );
}

/** Gives the pixels of each plot and their hectares to a function, window by window. */
export async function visitValues(
  reader: RasterReader,
  map: RasterMap<Float32Array>,
  plots: readonly PlotGround[],
  signal: AbortSignal,
  visit: (plot: number, weights: Float64Array, values: Float32Array, count: number) => void,
): Promise<PlotSums> {
  return measure(reader, map, null, plots, 1, signal, (weights, [values], count, _, plot) =>
    visit(plot, weights, values, count),
  );
}

/**
 * Two rasters together: the finer one is the frame, whose pixels are weighed, and each takes the class that the other raster has at
 * its centre. That is exact where both have the same pixels, or the finer ones divide the coarser ones.
 *
 * Hectares of each plot by class of `map`, which is the finer one, and after them as many of the part where `within` has
 * the class `wanted`.
 */
export function measureClassesAndWithin(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  within: RasterMap<Uint8Array>,
  wanted: number,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  const { classes: places } = map.layer.encoding;
  return measure(reader, map, within, plots, 2 * places, signal, (weights, [own, sampled], count, out) => {
    sumClasses(weights, own, count, places, out);
    sumClassesWithin(weights, sampled, wanted, own, count, places, out, places);
  });
}

/** As `measureClassesAndWithin`, where `within` is the finer one, and the part inside it alone. */
export function measureClassesWithin(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  within: RasterMap<Uint8Array>,
  wanted: number,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  const { classes: places } = map.layer.encoding;
  return measure(reader, within, map, plots, places, signal, (weights, [own, sampled], count, out) =>
    sumClassesWithin(weights, own, wanted, sampled, count, places, out, 0),
  );
}

/** Adds up one window: its weights in hectares, the pixels of the frame and of the other raster at their centres. */
type AddWindow<P extends Pixels> = (
  weights: Float64Array,
  pixels: readonly P[],
  count: number,
  out: Float64Array,
  plot: number,
) => void;

async function measure<P extends Pixels>(
  { tiles, memory }: RasterReader,
  frame: RasterMap<P>,
  other: RasterMap<P> | null,
  plots: readonly PlotGround[],
  size: number,
  signal: AbortSignal,
  add: AddWindow<P>,
): Promise<PlotSums> {
  const all = new Float64Array(plots.length * size);
  const sums = plots.map((_, plot) => all.subarray(plot * size, (plot + 1) * size));
  const errors = new Map<number, unknown>();
  const pieces = await planPieces(tiles, frame, other, plots, errors, signal);
  const weights = new Float64Array(largest(pieces));
  await readPieces(pieces, memory, signal, {
    measure({ plot, polygon, reads }, windows) {
      const [{ tile, window }, ...rest] = reads;
      weighPixels(polygon, tile.grid, window, weights);
      const count = window.width * window.height;
      const pixels = other === null ? windows : [windows[0], sampled(tile, window, rest, windows)];
      add(weights, pixels, count, sums[plot], plot);
    },
    fail: ({ plot }, error) => errors.set(plot, error),
  });
  return sums.map((sum, plot) => (errors.has(plot) ? { error: errors.get(plot) } : { sums: sum }));
}

/** The classes of the other raster at the centres of the frame's pixels. */
function sampled<P extends Pixels>(
  tile: RasterTile,
  window: PixelWindow,
  rest: readonly PieceRead<P>[],
  windows: readonly P[],
): P {
  const out = new Uint8Array(window.width * window.height).fill(NO_CLASS);
  rest.forEach((read, i) => {
    const classes = windows[i + 1] as Uint8Array;
    sampleCentres(
      { grid: tile.grid, projection: tile.projection, window },
      { grid: read.tile.grid, projection: read.tile.projection, window: read.window, classes },
      out,
    );
  });
  return out as P;
}

function largest(pieces: readonly Piece[]): number {
  return pieces.reduce((most, { reads: [{ window }] }) => Math.max(most, window.width * window.height), 0);
}

/** The pieces of all plots; plots of which a file cannot be opened go to `errors` and have none. */
async function planPieces<P extends Pixels>(
  tiles: RasterTiles,
  frame: RasterMap<P>,
  other: RasterMap<P> | null,
  plots: readonly PlotGround[],
  errors: Map<number, unknown>,
  signal: AbortSignal,
): Promise<Piece<P>[]> {
  const boxes = plots.flatMap(({ parts }) => parts.map(({ bbox }) => bbox));
  const under = await openUnder(tiles, frame, boxes, signal);
  const pieces: Piece<P>[] = [];
  plots.forEach((ground, plot) =>
    noting(errors, plot, () => {
      for (const { rings, bbox } of ground.parts) {
        for (const tile of under(bbox)) {
          const polygon = toPixelPolygon(rings, tile.grid, tile.projection);
          for (const window of windowsOf(polygon, tile.own))
            pieces.push({ plot, polygon, reads: [{ layer: frame.layer, tile, window }] });
        }
      }
    }),
  );
  const planned = other === null ? pieces : await withOther(tiles, other, pieces, errors, signal);
  return errors.size === 0 ? planned : planned.filter(({ plot }) => !errors.has(plot));
}

/** The same pieces with the windows of the other raster under them. */
async function withOther<P extends Pixels>(
  tiles: RasterTiles,
  other: RasterMap<P>,
  pieces: readonly Piece<P>[],
  errors: Map<number, unknown>,
  signal: AbortSignal,
): Promise<Piece<P>[]> {
  const boxes = pieces.map(({ reads: [{ tile, window }] }) => boxOfWindow(tile, window));
  const under = await openUnder(tiles, other, boxes, signal);
  return pieces.map(({ plot, polygon, reads: [own] }, i) => {
    const reads: PieceRead<P>[] = [];
    noting(errors, plot, () => {
      for (const tile of under(boxes[i])) {
        const window = windowOfBox(tile, boxes[i]);
        if (window === null) continue;
        if (window.width * window.height > 64 * PIECE_PIXELS)
          throw new RangeError('its pixels are too small beside those of the other map');
        reads.push({ layer: other.layer, tile, window });
      }
    });
    return { plot, polygon, reads: [own, ...reads] };
  });
}

function noting(errors: Map<number, unknown>, plot: number, job: () => void): void {
  try {
    job();
  } catch (error) {
    errors.set(plot, error);
  }
}

/**
 * Opens every file of a map that lies under some boxes in degrees, each once. Gives the files under one of them that are there, and
 * throws why one could not be opened.
 */
async function openUnder(
  tiles: RasterTiles,
  { spec, place }: RasterMap,
  boxes: readonly Bbox[],
  signal: AbortSignal,
): Promise<(box: Bbox) => readonly RasterTile[]> {
  const refs = new Map<string, TileRef>();
  // A box on too many files is refused where its plot is planned.
  for (const box of boxes) for (const ref of orNull(() => tilesAt(place, box)) ?? []) refs.set(ref.address, ref);
  const names = [...refs.keys()];
  const settled = await Promise.allSettled([...refs.values()].map((ref) => tiles.open(spec, place, ref, signal)));
  signal.throwIfAborted();
  const opened = new Map(settled.map((result, i) => [names[i], result]));
  return (box) =>
    tilesAt(place, box).flatMap(({ address }) => {
      const result = opened.get(address);
      if (result?.status === 'rejected') throw result.reason;
      return result?.value ? [result.value] : [];
    });
}

/** Whether the pixels of one map are smaller than, or as large as, those of another, at the first plot that has both; true when none has. */
export async function isFinerThan(
  { tiles }: RasterReader,
  map: RasterMap,
  other: RasterMap,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<boolean> {
  const boxes = plots.flatMap(({ parts }) => parts.slice(0, 1).map(({ bbox }) => bbox));
  const [under, underOther] = [
    await openUnder(tiles, map, boxes, signal),
    await openUnder(tiles, other, boxes, signal),
  ];
  for (const box of boxes) {
    const [one, another] = orNull(() => [under(box)[0], underOther(box)[0]]) ?? [];
    if (one && another) return pixelArea(one) <= pixelArea(another) * (1 + 1e-6);
  }
  return true;
}

/** What a job gives; null when it throws, which whoever needs it meets again. */
function orNull<T>(job: () => T): T | null {
  try {
    return job();
  } catch {
    return null;
  }
}

/** Square metres of a pixel in the middle of a file. */
function pixelArea({ grid, image }: RasterTile): number {
  const [area] = pixelAreas(grid, { x0: image.width >> 1, y0: image.height >> 1, width: 1, height: 1 });
  return area;
}
