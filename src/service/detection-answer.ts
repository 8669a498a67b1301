import type { Answer, CommodityShare } from '../facilities/sources.ts';
import type { PatchEmbeddings, PatchRaster } from '../forest/sources.ts';
import { createEvaluator, type Evaluator } from '../geo/detection/evaluate.ts';
import { shareAbove, type Share } from '../geo/detection/share.ts';
import type { Shape } from '../geo/shape.ts';
import { openHead, type InstalledHead } from './detection-models.ts';
import { sampleCodes, type SampledCodes } from './detection-sample.ts';

/** What is asked about a place. */
export interface DetectionQuestion {
  /** A commodity with a head, or null for any plantation: the union of all heads. */
  readonly commodity: string | null;
  readonly shape: Shape;
  readonly radiusM: number;
}

/** Farthest that is looked at, in metres: reading more takes longer than a check may. */
export const FARTHEST_M = 10_000;
/** Part of the sampled pixels that needs data; a place with less is not covered. */
const LEAST_COVERED = 0.25;

/**
 * Answers by drawing pixels around the shape from the first embeddings that cover it and evaluating heads over them. Null:
 * no embeddings cover the place, or too few of its pixels have data, or the embeddings are synthetic and mean nothing.
 */
export function createAnswerer(
  heads: readonly InstalledHead[],
  embeddings: () => Promise<readonly PatchEmbeddings[]>,
): (question: DetectionQuestion, signal: AbortSignal) => Promise<Answer<CommodityShare> | null> {
  const evaluators = new Map<string, Promise<Evaluator>>();

  function evaluatorOf(head: InstalledHead): Promise<Evaluator> {
    const opened = evaluators.get(head.id) ?? openHead(head).then(createEvaluator);
    evaluators.set(head.id, opened);
    opened.catch(() => evaluators.delete(head.id));
    return opened;
  }

  return async ({ commodity, shape, radiusM }, signal) => {
    const asked = heads.filter(
      ({ about }) =>
        (commodity === null || about.commodity === commodity) && Math.abs(shape.inside[1]) <= about.latitude,
    );
    const reach = Math.min(radiusM, FARTHEST_M);
    const sampled = asked.length === 0 ? null : await sampleAt(await embeddings(), shape, reach, signal);
    if (sampled === null) return null;
    const { codes, isComplete } = sampled;
    const above = await Promise.all(
      asked.map(async (head) =>
        (await evaluatorOf(head)).evaluate(codes).map((probability) => probability - head.about.threshold),
      ),
    );
    // Above the threshold of any head; a pixel without data has none of any.
    const union = above[0].map((_, pixel) => Math.max(...above.map((differences) => differences[pixel])));
    const found = shareAbove(union, 0, isComplete);
    if (!(found.n > 0 && found.n >= LEAST_COVERED * union.length)) return null;
    const [{ id, about }] = asked;
    const dataset = { id: commodity === null ? about.model : id, version: about.version, synthetic: false };
    const detail = describe(found, isComplete, asked, sampled, reach < radiusM);
    return { dataset, value: { share: found.share, detail } };
  };
}

type SampledPlace = SampledCodes & { readonly embeddings: string; readonly raster: PatchRaster };

/** Asks the embeddings in their order; one that fails is passed over, and its failure stands when no later one answers. */
async function sampleAt(
  sources: readonly PatchEmbeddings[],
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): Promise<SampledPlace | null> {
  let failure: { readonly error: unknown } | null = null;
  for (const source of sources) {
    try {
      const place = await source.at(shape.inside[0], shape.inside[1], signal);
      if (place === null) continue;
      if (source.dataset.synthetic) return null;
      const { raster } = place;
      return { ...(await sampleCodes(raster, shape, radiusM, signal)), embeddings: source.dataset.id, raster };
    } catch (error) {
      signal.throwIfAborted();
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
  return null;
}

function describe(
  { n, masked, standardError }: Share,
  isComplete: boolean,
  heads: readonly InstalledHead[],
  { embeddings, raster }: SampledPlace,
  isNarrowed: boolean,
): string {
  const pixels = isComplete ? `All ${n} pixels` : `${n} sampled pixels (standard error ${percent(standardError)})`;
  const thresholds = heads.map(({ id, about }) => `${id} from ${about.threshold} on (${about.thresholdSource})`);
  const sentences = [
    `${pixels} of ${embeddings}, ${raster.year}; counted by ${thresholds.join('; ')}.`,
    ...(masked > 0 ? [`${masked} more have no data.`] : []),
    ...(isNarrowed ? [`Only the nearest ${FARTHEST_M / 1000} km were looked at.`] : []),
    'Accuracy: docs/detection-models.md.',
  ];
  return sentences.join(' ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
