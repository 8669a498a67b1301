import { groundOf } from './ground.ts';
import { rounded } from './rounded.ts';
import type { View } from './view.ts';

/** How varied a plot is: Rao's quadratic entropy, and on what it was measured. */
export const biodiversityView: View = {
  name: 'biodiversity',
  needsStatistics: true,
  fields: [
    'area_ha',
    'measured_ground',
    'diversity_score',
    'diversity_status',
    'diversity_reason',
    'diversity_basis',
    'diversity_year',
    'datasets',
  ],
  properties(record) {
    const isPlot = record.locationType === 'plot';
    const diversity = record.statistics?.diversity ?? null;
    const measured = diversity?.status === 'measured' ? diversity : null;
    return {
      ...groundOf(record),
      diversity_score: measured === null ? null : rounded(measured.score),
      diversity_status: isPlot ? (measured?.status ?? 'unknown') : null,
      diversity_reason:
        diversity?.status === 'unknown' ? diversity.reason : notMeasured(isPlot, diversity, record.problem),
      diversity_basis: measured?.basis ?? null,
      diversity_year: measured?.year ?? null,
      datasets:
        measured === null
          ? []
          : [
              {
                role: measured.basis,
                dataset: measured.dataset,
                version: measured.version,
                synthetic: measured.synthetic,
                covered_share: measured.coveredShare,
              },
            ],
    };
  },
  totals: {
    sums: ['area_ha'],
    years: [],
    areaMeans: ['diversity_score'],
    meanBasis: { diversity_score: 'diversity_basis' },
    counts: ['diversity_status', 'diversity_basis'],
  },
};

function notMeasured(isPlot: boolean, diversity: object | null, problem: string | null): string | null {
  return isPlot && diversity === null ? (problem ?? 'The plot was not measured.') : null;
}
