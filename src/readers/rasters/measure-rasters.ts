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

/** Hectares of each plot by class of a map: 256 sums a plot, the last one of pixels without data. */
export function measureClasses(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  return measure(reader, map, null, plots, 256, signal, (weights, [classes], count, out) =>
    sumClasses(weights, classes, count, out),
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
 * Hectares of each plot by class of `map`, which is the finer one: 256 sums, and after them 256 of the part where `within`
 * has the class `wanted`.
 */
export function measureClassesAndWithin(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  within: RasterMap<Uint8Array>,
  wanted: number,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  return measure(reader, map, within, plots, 512, signal, (weights, [own, sampled], count, out) => {
    sumClasses(weights, own, count, out);
    sumClassesWithin(weights, sampled, wanted, own, count, out.subarray(256));
  });
}

/** As `measureClassesAndWithin`, where `within` is the finer one, and its part alone: 256 sums. */
export function measureClassesWithin(
  reader: RasterReader,
  map: RasterMap<Uint8Array>,
  within: RasterMap<Uint8Array>,
  wanted: number,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotSums> {
  return measure(reader, within, map, plots, 256, signal, (weights, [own, sampled], count, out) =>
    sumClassesWithin(weights, own, wanted, sampled, count, out),
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
  const opener = createOpener(tiles, signal);
  const pieces: Piece<P>[] = [];
  const planned = plots.map(async (ground, plot) => {
    const own: Piece<P>[] = [];
    for (const { rings, bbox } of ground.parts) {
      for (const tile of await opener.at(frame, bbox)) {
        const polygon = toPixelPolygon(rings, tile.grid, tile.projection);
        for (const window of windowsOf(polygon, tile.own))
          own.push({
            plot,
            polygon,
            reads: [{ layer: frame.layer, tile, window }, ...(await otherReads(tile, window))],
          });
      }
    }
    return own;
  });

  async function otherReads(tile: RasterTile, window: PixelWindow): Promise<PieceRead<P>[]> {
    if (other === null) return [];
    const box = boxOfWindow(tile, window);
    const under = await opener.at(other, box);
    return under.flatMap((below) => {
      const found = windowOfBox(below, box);
      if (found === null) return [];
      if (found.width * found.height > 64 * PIECE_PIXELS)
        throw new RangeError('its pixels are too small beside those of the other map');
      return [{ layer: other.layer, tile: below, window: found }];
    });
  }

  const settled = await Promise.allSettled(planned);
  signal.throwIfAborted();
  settled.forEach((result, plot) => {
    if (result.status === 'fulfilled') for (const piece of result.value) pieces.push(piece);
    else errors.set(plot, result.reason);
  });
  return pieces;
}

/** Opens each file once for all plots of a pass, failures included. */
function createOpener(tiles: RasterTiles, signal: AbortSignal) {
  const opened = new Map<string, Promise<RasterTile | null>>();
  return {
    /** The files of a map that lie under a box in degrees and are there. */
    async at({ spec, place, layer }: RasterMap, box: Parameters<typeof tilesAt>[1]): Promise<RasterTile[]> {
      const found: RasterTile[] = [];
      for (const ref of tilesAt(place, box)) {
        const key = `${layer.id}\n${ref.address}`;
        const opening = opened.get(key) ?? tiles.open(spec, place, ref, signal);
        opened.set(key, opening);
        const tile = await opening;
        if (tile !== null) found.push(tile);
      }
      return found;
    },
  };
}

/** Whether the pixels of one map are smaller than, or as large as, those of another, at the first plot that has both. */
export async function isFinerThan(
  { tiles }: RasterReader,
  map: RasterMap,
  other: RasterMap,
  plots: readonly PlotGround[],
  signal: AbortSignal,
): Promise<boolean> {
  const opener = createOpener(tiles, signal);
  for (const { parts } of plots) {
    const box = parts[0]?.bbox;
    if (box === undefined) continue;
    const pair = await Promise.all([opener.at(map, box), opener.at(other, box)]).catch(() => null);
    if (pair?.[0][0] === undefined || pair[1][0] === undefined) continue;
    return pixelArea(pair[0][0]) <= pixelArea(pair[1][0]) * (1 + 1e-6);
  }
  return true;
}

/** Square metres of a pixel in the middle of a file. */
function pixelArea({ grid, image }: RasterTile): number {
  const [area] = pixelAreas(grid, { x0: image.width >> 1, y0: image.height >> 1, width: 1, height: 1 });
  return area;
}
