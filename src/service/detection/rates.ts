import type { ErrorRates } from '../../geo/detection/share.ts';
import { PUBLISHED_MODELS } from '../../readers/models/published-models.ts';
import type { InstalledHead } from '../models/installed-models.ts';

/** Least difference between the two rates of a head that is of any use for a correction. */
const LEAST_SKILL = 0.2;

/**
 * How often a head claims what is not there and what is, where that was published or measured: of a trained head on ground
 * it had not seen. Null where nobody knows, or where a head claims nearly as much of either.
 */
export function ratesOf({ about }: InstalledHead): ErrorRates | null {
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
