import type { PixelWindow } from '../../geo/zonal/cover-pixels.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { sampleCentres, weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import { NO_CLASS, sumClasses, sumClassPairs, sumClassesWithin, sumValues } from '../../geo/zonal/sum-pixels.ts';
import type { Pixels } from './encode-row.ts';
import { planMeasuring } from './plan-measuring.ts';
import type { RasterMap, RasterReader } from './raster-map.ts';
import type { RasterTile } from './raster-tiles.ts';
import { readPieces, type Piece, type PieceRead } from './read-pieces.ts';

/** A sum for each plot, or why there is none. Index as in the requested plots. */
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

/**
 * Hectares of each plot by pairs of classes: those of `other`, at the centres of the pixels of `map`, for each class of `map` in
 * turn. What `other` has no class for is its class 0.
 */
export function measurePairs(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  other: RasterMap<Uint8Array>,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  const [places, otherPlaces] = [map, other].map(({ layer }) => layer.encoding.classes);
  return measure(reader, map, other, plots, places * otherPlaces, signal, (weights, [own, sampled], count, out) =>
    sumClassPairs(weights, own, places, sampled, otherPlaces, count, out),
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
  const pieces = await planMeasuring(tiles, frame, other, plots, errors, signal);
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
