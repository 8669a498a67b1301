import type { trainHead } from '../../service/models/train-head.ts';
import { textTable } from '../parts/text-table.ts';

type Receipt = Awaited<ReturnType<typeof trainHead>>;
type Part = Receipt['scores']['folds'][number];

/** What a person reads after training: what went in, how good it is where it had not looked, and what to beware of. */
export function trainingReport(name: string, commodity: string | null, receipt: Receipt): string {
  const { labels, blocks, embeddings, years, scores, strength, threshold, warnings } = receipt;
  const left = [
    `${labels.duplicates} duplicates`,
    `${labels.contradictions} in pixels with both labels`,
    `${labels.without_embeddings} without embeddings`,
  ];
  const all: Part = { name: 'all folds', positive: labels.positive, negative: labels.negative, ...scores };
  const parts = [...scores.folds, ...scores.regions.map((part) => ({ ...part, name: `region ${part.name}` }))];
  return [
    `${name}: ${labels.positive} pixels with the label, ${labels.negative} without, in ${blocks.count} blocks of ${blocks.degrees} degrees.`,
    `Of ${labels.rows} rows left out: ${left.join(', ')}.`,
    `Embeddings: ${embeddings.join(', ')}${years.length > 0 ? `, ${years.join(', ')}` : ''}. Labels: ${labels.file}, SHA-256 ${labels.sha256}.`,
    `Threshold ${threshold}, strength of the fit ${strength}. Each line: a head fitted, and its threshold chosen, without that ground.`,
    '',
    textTable(HEADINGS, [all, ...parts].map(cellsOf), [1, 2, 3, 4, 5, 6]).trimEnd(),
    ...(scores.regions_too_small > 0
      ? [`${scores.regions_too_small} more regions have too few labels of a class to be evaluated.`]
      : []),
    '',
    ...warnings.map((warning) => `WARNING: ${warning}`),
    ...(commodity === null
      ? ['No --commodity was given: the head is kept, but answers nothing.']
      : [`It answers for ${commodity} on the ground of its labels, before any published head.`]),
    '',
  ].join('\n');
}

const HEADINGS = ['left out', 'with', 'without', 'AUC', 'F1', 'precision', 'recall'];

function cellsOf({ name, positive, negative, auc, f1, precision, recall }: Part): string[] {
  const rates = [auc, f1, precision, recall].map((rate) => (rate === null ? '-' : rate.toFixed(3)));
  return [name, String(positive), String(negative), ...rates];
}
