import type { Answer, CommodityShare, Density } from '../facilities/sources.ts';
import { THRESHOLDS } from '../facilities/thresholds.ts';

/** Part of a check's time after which settlements answer in place of embeddings that have not come. */
const PATIENCE = 0.5;

/** What a measured share of built-up ground says of density. */
export function asDensity({ dataset, value: { share, detail } }: Answer<CommodityShare>): Answer<Density> {
  const { denseBuiltUpShare, denseRadiusM } = THRESHOLDS;
  const dense = share > denseBuiltUpShare;
  const percent = (part: number): string => `${Math.round(part * 100)} %`;
  const words = `${percent(share)} of the ground within ${denseRadiusM} m is built up, ${dense ? 'more than' : 'not more than'} the ${percent(denseBuiltUpShare)} of dense ground.`;
  return { dataset, value: { dense, detail: `${words} ${detail}` } };
}

/** The signal of a check that ends sooner, so that there is time left to ask somebody else. */
export function soonerSignal(signal: AbortSignal, checkTimeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs * PATIENCE)]);
}
