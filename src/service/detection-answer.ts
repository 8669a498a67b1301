import type { Answer, CommodityShare } from '../facilities/sources.ts';
import { shareAbove, type Share } from '../geo/detection/share.ts';
import type { Shape } from '../geo/shape.ts';
import { aboutHead } from './detection-about.ts';
import type { AskHeads, HeadClaims } from './detection-claims.ts';

/** What is asked about a place. */
export interface DetectionQuestion {
  /** A commodity, `plantation` or `built-up`. */
  readonly subject: string;
  readonly shape: Shape;
  readonly radiusM: number;
}

/** Farthest that is looked at, in metres: reading more takes longer than a check may. */
export const FARTHEST_M = 10_000;
/** Part of the sampled pixels that needs data; a place with less is not covered. */
export const LEAST_COVERED = 0.25;

/** Answers by the heads of a subject. Null: nothing covers the place, or too few of its pixels have data. */
export function createAnswerer(
  ask: AskHeads,
): (question: DetectionQuestion, signal: AbortSignal) => Promise<Answer<CommodityShare> | null> {
  return async ({ subject, shape, radiusM }, signal) => {
    const claims = await ask(subject, shape, Math.min(radiusM, FARTHEST_M), signal);
    if (claims === null) return null;
    const found = shareAbove(claims.margins, 0, claims.isComplete);
    if (!isCovered(found)) return null;
    const [head] = claims.heads;
    const { version, synthetic = false } = head.about;
    const dataset = { id: head.id, version, synthetic, about: aboutHead(head) };
    const detail = [
      `${pixelsOf(found, claims.isComplete)} of ${claims.embeddings.id}, ${claims.raster.year}; counted by ${thresholdsOf(claims)}.`,
      ...remarks(found, radiusM),
    ].join(' ');
    return { dataset, value: { share: found.share, detail } };
  };
}

/** Whether enough pixels have data for an answer. */
export function isCovered({ n, masked }: Share): boolean {
  return n > 0 && n >= LEAST_COVERED * (n + masked);
}

/** The heads with the probability each counts from, and where that comes from. */
export function thresholdsOf({ heads }: Pick<HeadClaims, 'heads'>): string {
  return heads.map(({ id, about }) => `${id} from ${about.threshold} on (${about.thresholdSource})`).join('; ');
}

/** How many pixels were looked at, and how sure their share is. */
export function pixelsOf({ n, standardError }: Share, isComplete: boolean): string {
  return isComplete ? `All ${n} pixels` : `${n} sampled pixels (standard error ${percent(standardError)})`;
}

/** What else has to be known of an answer. */
export function remarks({ masked }: Share, askedM: number): string[] {
  return [
    ...(masked > 0 ? [`${masked} more have no data.`] : []),
    ...(askedM > FARTHEST_M ? [`Only the nearest ${FARTHEST_M / 1000} km were looked at.`] : []),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
