import type { TrainingReceipt } from '../../readers/models/training-receipt.ts';
import { TRAINING_RULES } from './training-rules.ts';

const { poor } = TRAINING_RULES;

/** What whoever uses a trained head has to know, in sentences; empty when nothing is amiss. */
export function trainingWarnings(
  { labels, scores, years }: Pick<TrainingReceipt, 'labels' | 'scores' | 'years'>,
  synthetic: boolean,
): readonly string[] {
  const warnings: string[] = [];
  if (scores.auc < poor.area)
    warnings.push(
      `Poor: an area under the curve of ${scores.auc} on ground it has not seen; from ${poor.area} on a head is of use.`,
    );
  if (scores.f1 < poor.f1) warnings.push(`Poor: F1 ${scores.f1} on ground it has not seen, below ${poor.f1}.`);
  if (scores.precision < poor.precision)
    warnings.push(`Poor: more than half of what it claims is something else (precision ${scores.precision}).`);
  for (const { name, auc, f1 } of scores.regions)
    if ((auc ?? 0) < poor.regionArea || f1 < poor.regionF1)
      warnings.push(`Fails in the region ${name} when it was not fitted there: area ${auc ?? 'unknown'}, F1 ${f1}.`);
  if (scores.regions.length === 0)
    warnings.push('No region could be held out: nothing is known of how it does away from its labels.');
  if (labels.without_embeddings > 0.2 * labels.rows)
    warnings.push(`${labels.without_embeddings} of ${labels.rows} labels have no embeddings and were left out.`);
  if (labels.contradictions > 0)
    warnings.push(`${labels.contradictions} rows lie in pixels that have both labels and were left out.`);
  if (years.length > 1)
    warnings.push(`The labels are of several years (${years.join(', ')}); embeddings differ between years.`);
  if (synthetic) warnings.push('Fitted on generated embeddings: it says nothing of any real place.');
  return warnings;
}
