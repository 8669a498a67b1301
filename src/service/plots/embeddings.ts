import type { Diversity, Measured } from '../../collections/plot-record.ts';
import { measureDiversity, unknown } from '../../collections/statistics/assemble-statistics.ts';
import { describeFailure } from '../../forest/warnings.ts';
import type { PatchEmbeddings } from '../../forest/sources.ts';
import { BANDS, NODATA, SQUARES } from '../../geo/segmentation/grid.ts';
import type { PlotGround } from '../../geo/zonal/plot-ground.ts';
import { addVector, raoOfUnitVectors } from '../../geo/zonal/rao-q.ts';
import { firstAnswer } from '../../first-answer.ts';
import type { EmbeddingSources } from './embedding-sources.ts';
import type { ReportFailure } from './passes.ts';
import { visitCodes } from './visit-codes.ts';

/** Diversity of embeddings, where some are on this machine. */
export interface DiversityOfEmbeddings {
  /** Null where no such embeddings reach the plot. */
  measure(ground: PlotGround, signal: AbortSignal): Promise<Measured<Diversity> | null>;
}

/** Pixels of the largest part of a plot that is looked at whole; in a larger one every n-th row and column is. */
const MOST_EMBEDDING_PIXELS = 262_144;
/** Milliseconds for the embeddings of one plot. */
const EMBEDDING_DEADLINE_MS = 10_000;

/**
 * Rao's Q under the cosine distance over embeddings of the catalogue that are files here (`path`): those at public addresses cost
 * tens of megabytes a plot.
 */
export function diversityOfEmbeddings(
  sources: EmbeddingSources,
  report: ReportFailure,
  deadlineMs = EMBEDDING_DEADLINE_MS,
): DiversityOfEmbeddings {
  return {
    async measure(ground, outer) {
      if (!sources.hasLocal) return null;
      const local = (await sources.open()).filter(({ dataset }) => dataset.path !== undefined);
      const signal = AbortSignal.any([outer, AbortSignal.timeout(deadlineMs)]);
      return await firstAnswer(local, async (source) => {
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
  const vector = new Float64Array(BANDS);
  for (const part of ground.parts)
    await visitCodes([part], place.raster, MOST_EMBEDDING_PIXELS, signal, (codes, first, hectares) => {
      if (codes[first] === NODATA) return;
      for (let band = 0; band < BANDS; band++) vector[band] = SQUARES[codes[first + band] & 255];
      addVector(vector, 0, hectares, sums);
    });
  const use = { dataset: dataset.id, version: dataset.version, synthetic: dataset.synthetic };
  if (sums[BANDS] === 0) return null;
  return measureDiversity(
    { use, knownHa: sums[BANDS], areaHa: ground.areaHa },
    { score: raoOfUnitVectors(sums), basis: 'embeddings', year: place.raster.year },
  );
}
