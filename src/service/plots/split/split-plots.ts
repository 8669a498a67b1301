import type { Config } from '../../../config/settings.ts';
import { firstAnswer, type SourceFailure } from '../../../first-answer.ts';
import { describeFailures } from '../../../forest/warnings.ts';
import type { PatchEmbeddings, PatchRaster } from '../../../forest/sources.ts';
import { openGeos } from '../../../geo/partition/open-geos.ts';
import type { Polygon, UncheckedFeature } from '../../../geo/geometry.ts';
import { round } from '../../../geo/round.ts';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { toShape } from '../../../geo/shapes/to-shape.ts';
import { groundOf, type PlotGround } from '../../../geo/zonal/plot-ground.ts';
import { isRecord } from '../../../is-record.ts';
import { describeSplit, groundName, SPLIT_RESULTS } from '../../../plots/split/describe-split.ts';
import { MOST_CELLS, splitPlot, type PlotSplit, type SplitPart } from '../../../plots/split/split-plot.ts';
import type { Dataset } from '../../../readers/catalogue/dataset.ts';
import type { RasterReader } from '../../../readers/rasters/raster-map.ts';
import { soon } from '../../forest/check.ts';
import { openForestSources, type OpenedForestSources } from '../../forest/sources.ts';
import type { ReportFailure } from '../passes.ts';
import { openRasterReader } from '../statistics.ts';
import { measureCrops, type CropSources } from './crop-shares.ts';
import { coverLayers, measureCover } from './land-cover.ts';
import {
  embeddingsRef,
  unknownSplit,
  type GroundCover,
  type PartFeature,
  type SplitFeature,
  type SplitProperties,
} from './split-feature.ts';
import { MAX_SPLIT_HA } from './split-limits.ts';

/** Finds out of plots whether they are clearly two things, on the datasets of one catalogue. */
interface PlotSplitter {
  /** A plot with its kinds of ground and the split that is proposed. Rejects only when `signal` aborts. */
  split(feature: UncheckedFeature, signal: AbortSignal): Promise<SplitFeature>;
  close(): Promise<void>;
}

export type SplitterConfig = Pick<
  Config,
  | 'dataDir'
  | 'cacheMaxMb'
  | 'forestMemoryMb'
  | 'forestThreads'
  | 'taskConcurrency'
  | 'forestPointTimeoutMs'
  | 'checkTimeoutMs'
>;

/**
 * Opens the embeddings and maps of a catalogue for one thread; nothing of them is read before the first plot.
 * @throws CatalogueError for an entry that says what no reader understands.
 */
export function openPlotSplitter(
  datasets: readonly Dataset[],
  crops: CropSources,
  config: SplitterConfig,
  report: ReportFailure = () => {},
): PlotSplitter {
  const layers = coverLayers(datasets.map((dataset) => soon(dataset, config.checkTimeoutMs)));
  const embeddings = datasets.filter(({ role }) => role === 'embeddings');
  let sources: Promise<OpenedForestSources> | null = null;
  let reader: Promise<RasterReader> | null = null;

  async function coverOf(pieces: readonly Piece[], isSynthetic: boolean, signal: AbortSignal): Promise<GroundCover[]> {
    reader ??= openRasterReader(datasets, config);
    const opened = await reader;
    const grounds = pieces.map(({ ground }) => ground);
    const cover = await measureCover(layers, grounds, isSynthetic, opened, signal, report);
    await opened.tiles.trim();
    const found: GroundCover[] = [];
    for (const [i, { shape }] of pieces.entries())
      found.push({ land_cover: cover[i], crops: await measureCrops(crops, shape, config.checkTimeoutMs, signal) });
    return found;
  }

  async function look(geometry: unknown, signal: AbortSignal): Promise<SplitProperties> {
    const plot = plotOf(geometry);
    if ('split_result' in plot) return plot;
    sources ??= openForestSources(embeddings, config, report);
    const { embeddings: queried } = await sources;
    const failures: SourceFailure<PatchEmbeddings>[] = [];
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(config.forestPointTimeoutMs)]);
    const found = await firstAnswer(queried, (source) => splitOn(source, plot.shape, inTime), { failures, signal });
    for (const { source, error } of failures) report(source.dataset.id, error);
    if (found === null || 'split_result' in found) {
      // Maps may know the plot where embeddings do not.
      const [cover] = await coverOf([plot], false, signal);
      return { ...(found ?? nothingFound(failures, plot.areaHa)), ...cover };
    }
    const { split, dataset, raster } = found;
    const { parts } = split;
    const geometries = (parts ?? []).map(geometryOf);
    const pieces = [plot, ...geometries.map(pieceOf)];
    const [whole, ...covers] = await coverOf(pieces, dataset.synthetic, signal);
    const described = describeSplit(split, dataset.synthetic);
    return {
      split_proposed: SPLIT_RESULTS[described.result].proposed,
      split_result: described.result,
      split_reason: described.reason,
      split_confidence: described.confidence,
      split_confidence_reasons: described.confidenceReasons,
      messages: described.messages,
      area_ha: round(split.areaHa, 4),
      unknown_ha: round(split.unknownHa, 4),
      grounds: described.grounds,
      embeddings: embeddingsRef(dataset, raster.year, split.segments),
      parts:
        parts === null
          ? null
          : { type: 'FeatureCollection', features: partFeatures(parts, geometries, covers, split.areaHa) },
      ...whole,
    };
  }

  return {
    async split(feature, signal) {
      signal.throwIfAborted();
      const { properties, ...rest } = feature;
      const found = await look(feature.geometry, signal);
      return { ...rest, type: 'Feature', properties: { ...(isRecord(properties) ? properties : {}), ...found } };
    },
    async close() {
      const [opened, read] = await Promise.allSettled([sources, reader]);
      if (opened.status === 'fulfilled') await opened.value?.close();
      if (read.status === 'fulfilled') await read.value?.tiles.close();
    },
  };
}

/** Keeps the splitter of a catalogue open until another catalogue is given. */
export function keepSplitter(
  crops: CropSources,
  config: SplitterConfig,
): { readonly of: (datasets: readonly Dataset[]) => Promise<PlotSplitter> } {
  let kept: { readonly datasets: readonly Dataset[]; readonly splitter: PlotSplitter } | null = null;
  return {
    async of(datasets) {
      if (kept?.datasets === datasets) return kept.splitter;
      const before = kept;
      kept = { datasets, splitter: openPlotSplitter(datasets, crops, config) };
      await before?.splitter.close();
      return kept.splitter;
    },
  };
}

/** Ground to be measured. */
interface Piece {
  readonly shape: Shape;
  readonly ground: PlotGround;
}

/** A plot that can be looked at, or why it cannot. */
function plotOf(geometry: unknown): (Piece & { readonly areaHa: number }) | SplitProperties {
  const laid = toShape(geometry);
  if (laid.shape === null)
    return unknownSplit('invalid_geometry', `The geometry cannot be used: ${laid.fault.message}`, null);
  const { shape } = laid;
  if (shape.polygons.length === 0)
    return unknownSplit(
      'no_polygon',
      `A ${shape.points.length > 0 ? 'point' : 'line'} has no ground that could be divided; wanted the outline of the plot as a polygon.`,
      null,
    );
  const areaHa = shape.polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000;
  if (shape.bbox[2] - shape.bbox[0] > 180)
    return unknownSplit(
      'across_antimeridian',
      'The plot lies across the antimeridian; wanted its two sides as two plots.',
      areaHa,
    );
  if (areaHa > MAX_SPLIT_HA) return tooLarge(areaHa, `wanted at most ${MAX_SPLIT_HA} ha, got ${areaHa.toFixed(0)}`);
  const ground = groundOf(shape, null);
  if (ground === null) return unknownSplit('invalid_geometry', 'The geometry has no area.', null);
  return { shape, ground, areaHa };
}

function tooLarge(areaHa: number, why: string): SplitProperties {
  return unknownSplit('too_large', `The plot is larger than can be looked at: ${why}.`, areaHa);
}

interface Found {
  readonly split: PlotSplit;
  readonly dataset: PatchEmbeddings['dataset'];
  readonly raster: PatchRaster;
}

/** What one dataset of embeddings says of a plot; null where it does not cover its inside. */
async function splitOn(
  { dataset, at }: PatchEmbeddings,
  { polygons, inside }: Shape,
  signal: AbortSignal,
): Promise<Found | SplitProperties | null> {
  const place = await at(inside[0], inside[1], signal);
  if (place === null || !place.raster.covers(Math.floor(place.x), Math.floor(place.y))) return null;
  const split = await splitPlot(polygons, place.raster, await openGeos(), signal);
  if (split !== null) return { split, dataset, raster: place.raster };
  const areaHa = polygons.reduce((sum, rings) => sum + polygonArea(rings).area, 0) / 10_000;
  return tooLarge(areaHa, `its parts lie more than ${MOST_CELLS * 20} m apart`);
}

function nothingFound(failures: readonly SourceFailure<PatchEmbeddings>[], areaHa: number): SplitProperties {
  if (failures.length === 0)
    return unknownSplit('outside_coverage', 'No dataset of embeddings covers the plot.', areaHa);
  const reasons = describeFailures(failures.map(({ source, error }) => ({ dataset: source.dataset.id, error })));
  return unknownSplit(
    'source_unavailable',
    `Embeddings that may cover the plot could not be read: ${reasons}.`,
    areaHa,
  );
}

function geometryOf({ polygon }: SplitPart): Polygon {
  return {
    type: 'Polygon',
    coordinates: polygon.map((ring) =>
      Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]),
    ),
  };
}

function pieceOf(geometry: Polygon): Piece {
  const { shape } = toShape(geometry);
  const ground = shape && groundOf(shape, null);
  if (shape === null || ground === null) throw new Error('a part of a plot was drawn without ground');
  return { shape, ground };
}

function partFeatures(
  parts: readonly SplitPart[],
  geometries: readonly Polygon[],
  covers: readonly GroundCover[],
  areaHa: number,
): PartFeature[] {
  const counts = new Map<number, number>();
  return parts.map(({ part, area, unknownHa, otherHa, treeProbability }, i) => {
    const number = (counts.get(part) ?? 0) + 1;
    counts.set(part, number);
    const ground = groundName(part);
    return {
      type: 'Feature',
      geometry: geometries[i],
      properties: {
        part: `${ground}${number}`,
        ground,
        area_ha: round(area / 10_000, 4),
        share: round(area / 10_000 / areaHa, 4),
        unknown_ha: round(unknownHa, 4),
        other_ground_ha: round(otherHa, 4),
        tree_probability: treeProbability === null ? null : round(treeProbability, 2),
        ...covers[i],
      },
    };
  });
}
