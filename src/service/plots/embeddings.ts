import type { Diversity, Measured } from '../../collections/plot-record.ts';
import { measureDiversity, unknown } from '../../collections/statistics/assemble-statistics.ts';
import type { Config } from '../../config/settings.ts';
import { describeFailure } from '../../forest/warnings.ts';
import type { PatchEmbeddings, PatchRaster } from '../../forest/sources.ts';
import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import { BANDS, NODATA, SQUARES } from '../../geo/segmentation/grid.ts';
import { toPixelPolygon } from '../../geo/zonal/pixel-polygon.ts';
import type { GroundPart, PlotGround } from '../../geo/zonal/plot-ground.ts';
import { addVector, raoOfUnitVectors } from '../../geo/zonal/rao-q.ts';
import { weighPixels } from '../../geo/zonal/weigh-pixels.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { windowsOf } from '../../readers/rasters/plan-measuring.ts';
import { openForestSources, type OpenedForestSources } from '../forest/sources.ts';
import type { ReportFailure } from './passes.ts';
import { firstAnswer } from '../../first-answer.ts';

/** Diversity of embeddings, where some are on this machine. */
export interface DiversityOfEmbeddings {
  /** Null where no such embeddings reach the plot. */
  measure(ground: PlotGround, signal: AbortSignal): Promise<Measured<Diversity> | null>;
  close(): Promise<void>;
}

/** Pixels of the largest window that is looked at whole; in a larger one every n-th row and column is. */
const MOST_EMBEDDING_PIXELS = 262_144;
/** Milliseconds for the embeddings of one plot. */
const EMBEDDING_DEADLINE_MS = 10_000;
/** Pixels of a window that are read at once: 16 MB. */
const STRIPE_PIXELS = 262_144;

/**
 * Rao's Q under the cosine distance over embeddings of the catalogue that are files here (`path`): those at public addresses cost
 * tens of megabytes a plot.
 */
export function diversityOfEmbeddings(
  datasets: readonly Dataset[],
  config: Pick<Config, 'dataDir' | 'cacheMaxMb' | 'forestMemoryMb' | 'forestThreads' | 'taskConcurrency'>,
  report: ReportFailure,
): DiversityOfEmbeddings {
  const local = datasets.filter(({ role, path }) => role === 'embeddings' && path !== undefined);
  let opened: Promise<OpenedForestSources> | null = null;
  return {
    async measure(ground, outer) {
      if (local.length === 0) return null;
      const { embeddings } = await (await (opened ??= openForestSources(local, config))).current();
      const signal = AbortSignal.any([outer, AbortSignal.timeout(EMBEDDING_DEADLINE_MS)]);
      return await firstAnswer(embeddings, async (source) => {
        try {
          return await measureOn(source, ground, signal);
        } catch (error) {
          outer.throwIfAborted();
          const { id } = source.dataset;
          report(id, error);
          return unknown(`${id}: ${describeFailure(error)}`);
        }
      });
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
    },
  };
}

async function measureOn(
  { dataset, at }: PatchEmbeddings,
  ground: PlotGround,
  signal: AbortSignal,
): Promise<Measured<Diversity> | null> {
  const [middle] = ground.parts;
  const [lon, lat] = [(middle.bbox[0] + middle.bbox[2]) / 2, (middle.bbox[1] + middle.bbox[3]) / 2];
  const place = await at(lon, lat, signal);
  if (place === null) return null;
  const sums = new Float64Array(BANDS + 1);
  for (const part of ground.parts) await addPart(part, place.raster, sums, signal);
  const use = { dataset: dataset.id, version: dataset.version, synthetic: dataset.synthetic };
  if (sums[BANDS] === 0) return null;
  return measureDiversity(
    { use, knownHa: sums[BANDS], areaHa: ground.areaHa },
    { score: raoOfUnitVectors(sums), basis: 'embeddings', year: place.raster.year },
  );
}

/** Adds the vectors of the pixels of a part, by what of each is inside; in a large part of every n-th row and column, n times n as much. */
async function addPart(
  { rings }: GroundPart,
  raster: PatchRaster,
  sums: Float64Array,
  signal: AbortSignal,
): Promise<void> {
  const crs = findCrs(raster.crs);
  if ('refused' in crs) throw new Error(crs.refused);
  const grid = { transform: raster.transform, crs };
  const polygon = toPixelPolygon(rings, grid, openProjection(crs));
  const windows = windowsOf(polygon, { x0: -(2 ** 30), y0: -(2 ** 30), width: 2 ** 31, height: 2 ** 31 });
  const pixels = windows.reduce((sum, { width, height }) => sum + width * height, 0);
  const step = Math.max(1, Math.ceil(Math.sqrt(pixels / MOST_EMBEDDING_PIXELS)));
  const vector = new Float64Array(BANDS);
  for (const { x0, y0, width, height } of windows) {
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
          if (weight === 0 || row[x * BANDS] === NODATA || (stripe.x0 + x) % step !== 0) continue;
          for (let band = 0; band < BANDS; band++) vector[band] = SQUARES[row[x * BANDS + band] & 255];
          addVector(vector, 0, weight * step * step, sums);
        }
      }
    }
  }
}
