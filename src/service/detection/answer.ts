import type { Answer, CommodityShare } from '../../facilities/sources.ts';
import { correctedShare, shareAbove, wilsonInterval, type ErrorRates, type Share } from '../../geo/detection/share.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { aboutHead } from './about.ts';
import type { ClaimHeads, HeadClaims } from './claims.ts';
import { BUILT_UP } from './heads.ts';
import { PUBLISHED_MODELS } from '../../readers/models/published-models.ts';
import type { InstalledHead } from '../models/installed-models.ts';

/** Least difference between the two rates of a head that is of any use for a correction. */
const LEAST_SKILL = 0.2;

/** What is requested about a place. */
export interface DetectionQuestion {
  /** A commodity, `plantation` or `built-up`. */
  readonly subject: string;
  readonly shape: Shape;
  readonly radiusM: number;
}

/** Farthest that is looked at, in metres: reading more takes longer than a check may. */
export const FARTHEST_M = 10_000;
/** Part of the sampled pixels that needs data; a place with less is not covered. */
const LEAST_COVERED = 0.25;

/** The share of ground that a detector finds of what it knows, and what its sample and its errors leave open. */
interface Measured {
  readonly share: number;
  readonly between: readonly [lowest: number, highest: number];
}

/** Answers by the heads of a subject. Null: nothing covers the place, or too few of its pixels have data. */
export function createAnswerer(
  claimHeads: ClaimHeads,
): (question: DetectionQuestion, signal: AbortSignal) => Promise<Answer<CommodityShare> | null> {
  return async ({ subject, shape, radiusM }, signal) => {
    const claims = await claimHeads(subject, shape, Math.min(radiusM, FARTHEST_M), signal);
    if (claims === null) return null;
    const found = shareAbove(claims.margins, 0, claims.isComplete);
    if (!isCovered(found)) return null;
    const [head] = claims.heads;
    const { version, synthetic = false } = head.about;
    const dataset = { id: head.id, version, synthetic, about: aboutHead(head) };
    // The threshold of built-up ground was chosen by what it claims; how dense is dense was measured with it.
    const rates = subject === BUILT_UP ? null : combinedRates(claims);
    const newest = measured(found, rates);
    const before = subject === BUILT_UP ? NOT_ASKED : await yearBefore(claims, rates, signal);
    const detail = [
      `${pixelsOf(found, claims.isComplete)} of ${claims.embeddings.id}, ${claims.raster.year}; counted by ${thresholdsOf(claims)}.`,
      ...errorsInWords(found, newest, rates),
      ...remarks(found, radiusM),
      ...yearsInWords(claims, newest, before),
    ].join(' ');
    const between = before.measured === null ? newest.between : spanOf(newest, before.measured);
    const params = {
      pixels: found.n,
      embeddings: claims.embeddings.id,
      data_year: claims.raster.year,
      least_share: newest.between[0],
      most_share: newest.between[1],
    };
    const said = { code: 'method.detector', params, message: detail };
    return { dataset, value: { share: newest.share, between, covered: coveredPart(found, radiusM), detail, said } };
  };
}

/** A claimed share with its interval, corrected where the rates are known. */
export function measured(found: Share, rates: ErrorRates | null): Measured {
  const [lowest, highest] = wilsonInterval(found);
  if (rates === null) return { share: found.share, between: [lowest, highest] };
  const correct = (share: number): number => correctedShare(share, rates);
  return { share: correct(found.share), between: [correct(lowest), correct(highest)] };
}

/**
 * How heads that count together err: as often as the worst of them, because the published ones were each at their worst in
 * another region, where the others claimed nothing. Null where one is not known.
 */
export function combinedRates({ heads }: Pick<HeadClaims, 'heads'>): ErrorRates | null {
  const rates = heads.map(ratesOf);
  const known = rates.filter((each) => each !== null);
  if (known.length < rates.length) return null;
  return {
    falsePositive: Math.max(...known.map(({ falsePositive }) => falsePositive)),
    truePositive: Math.max(...known.map(({ truePositive }) => truePositive)),
  };
}

/** What heads measured on the year before; null where there are no embeddings of it. */
interface YearBefore {
  readonly measured: Measured | null;
  readonly year: number | null;
  readonly failed: boolean;
}

const NOT_ASKED: YearBefore = { measured: null, year: null, failed: false };

/** What the same heads measure on embeddings of the year before. */
export async function yearBefore(
  claims: HeadClaims,
  rates: ErrorRates | null,
  signal: AbortSignal,
): Promise<YearBefore> {
  try {
    const earlier = await claims.earlier();
    if (earlier === null) return NOT_ASKED;
    const found = shareAbove(earlier.margins, 0, earlier.isComplete);
    if (!isCovered(found)) return NOT_ASKED;
    return { measured: measured(found, rates), year: earlier.raster.year, failed: false };
  } catch {
    signal.throwIfAborted();
    return { ...NOT_ASKED, failed: true };
  }
}

/** Two years disagree when what one of them allows the other rules out. */
export function disagrees({ between: [least, most] }: Measured, { between: [low, high] }: Measured): boolean {
  return most < low || high < least;
}

/**
 * The interval of the newest year, or of both where they disagree: then neither is to be taken for certain. Where one of
 * them finds it and the other does not, nothing is settled.
 */
export function spanOf(newest: Measured, before: Measured): readonly [number, number] {
  if (!disagrees(newest, before)) return newest.between;
  if (newest.between[0] === 0 || before.between[0] === 0) return [0, 1];
  return [Math.min(newest.between[0], before.between[0]), Math.max(newest.between[1], before.between[1])];
}

/** Whether the two newest years agree, in words; nothing where there is only one. */
export function yearsInWords(
  { raster }: HeadClaims,
  newest: Measured,
  { measured: before, year, failed }: YearBefore,
): string[] {
  if (failed) return [`The year before could not be read in time, so ${raster.year} stands alone.`];
  if (before === null) return [];
  const said = `${year} gives ${percent(before.share)}`;
  return disagrees(newest, before)
    ? [`The two newest years disagree: ${said}, ${raster.year} ${percent(newest.share)}.`]
    : [`${said}, which agrees.`];
}

/** What the correction did, in words. */
export function errorsInWords(found: Share, { between: [least, most] }: Measured, rates: ErrorRates | null): string[] {
  const span = `Between ${percent(least)} and ${percent(most)}`;
  if (rates === null) return [`${span} (95 %), its errors not known.`];
  const { falsePositive, truePositive } = rates;
  return [
    `${percent(found.share)} were claimed. ${span} (95 %) after correction for false claims on ${percent(falsePositive)} of other ground and for finding ${percent(truePositive)} of its own.`,
  ];
}

/** Whether enough pixels have data for an answer. */
export function isCovered({ n, masked }: Share): boolean {
  return n > 0 && n >= LEAST_COVERED * (n + masked);
}

/** The part of the requested ground that an answer rests on: what has data, of the part that is near enough to be looked at. */
export function coveredPart({ n, masked }: Share, requestedM: number): number {
  return (n / (n + masked)) * Math.min(1, (FARTHEST_M / requestedM) ** 2);
}

/** The heads with the probability each counts from, and where that comes from. */
export function thresholdsOf({ heads }: Pick<HeadClaims, 'heads'>): string {
  return heads.map(({ id, about }) => `${id} from ${about.threshold} on (${about.thresholdSource})`).join('; ');
}

/** How many pixels were looked at, and how sure their share is. */
export function pixelsOf({ n, standardError }: Share, isComplete: boolean): string {
  if (n === 1) return 'The one pixel';
  return isComplete ? `All ${n} pixels` : `${n} sampled pixels (standard error ${percent(standardError)})`;
}

/** What else has to be known of an answer. */
export function remarks({ masked }: Share, requestedM: number): string[] {
  return [
    ...(masked > 0 ? [`${masked} more have no data.`] : []),
    ...(requestedM > FARTHEST_M ? [`Only the nearest ${FARTHEST_M / 1000} km were looked at.`] : []),
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/**
 * How often a head claims what is not there and what is, where that was published or measured: of a trained head on ground
 * it had not seen. Null where nobody knows, or where a head claims nearly as much of either.
 */
function ratesOf({ about }: InstalledHead): ErrorRates | null {
  const { training, model, commodity } = about;
  const rates = training === undefined ? publishedRates(model, commodity) : trainedRates(training.scores);
  return rates !== null && rates.truePositive - rates.falsePositive >= LEAST_SKILL ? rates : null;
}

function publishedRates(model: string, commodity: string | null): ErrorRates | null {
  const heads = PUBLISHED_MODELS.find(({ id }) => id === model)?.heads ?? [];
  return heads.find((head) => head.commodity === commodity)?.rates ?? null;
}

/** A head that was trained before false positives were counted has no rates. */
function trainedRates({ recall, false_positive_rate: rate }: { recall: number; false_positive_rate?: number }) {
  return rate === undefined ? null : { falsePositive: rate, truePositive: recall };
}
