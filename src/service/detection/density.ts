import type { Answer, CommodityShare, Density } from '../../facilities/sources.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';

/** Part of a check's time after which settlements answer in place of embeddings that have not come. */
const PATIENCE = 0.5;

/**
 * What a measured share of built-up ground says of density. Null where ground without data could decide it either way: that
 * is not known, and somebody else may know.
 */
export function asDensity({
  dataset,
  value: { share, covered = 1, detail },
}: Answer<CommodityShare>): Answer<Density> | null {
  const { denseBuiltUpShare, denseRadiusM, leastCoveredShare } = THRESHOLDS;
  const least = covered >= leastCoveredShare ? share : share * covered;
  const most = covered >= leastCoveredShare ? share : least + 1 - covered;
  const dense = least > denseBuiltUpShare;
  if (!dense && most > denseBuiltUpShare) return null;
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  const words = `${percent(share)} of the ground within ${denseRadiusM} m is built up, ${dense ? 'more than' : 'not more than'} the ${percent(denseBuiltUpShare)} of dense ground.`;
  return { dataset, value: { dense, detail: `${words} ${detail}` } };
}

/** The signal of a check that ends sooner, so that there is time left to ask somebody else. */
export function soonerSignal(signal: AbortSignal, checkTimeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs * PATIENCE)]);
}
