import { deforestationView } from '../fetch/deforestation-view.ts';
import { emissionsView } from '../fetch/emissions-view.ts';
import { biodiversityView } from '../fetch/biodiversity-view.ts';
import type { Properties, View } from '../fetch/view.ts';
import { round } from '../../geo/round.ts';

/** Everything a supply shed counts of a plot: the three checks in one, with shares of the plot's own area. */
export const shedPlotView: View = {
  name: 'supply_shed',
  needsStatistics: false,
  fields: [
    ...new Set([...deforestationView.fields, ...emissionsView.fields, ...biodiversityView.fields]),
    'noncompliance_share',
    'baseline_forest_share',
  ],
  properties(record, collection, period) {
    const views = [deforestationView, emissionsView, biodiversityView].map((view) =>
      view.properties(record, collection, period),
    );
    const all: Properties = Object.assign({}, ...views) as Properties;
    return {
      ...all,
      datasets: views.flatMap(({ datasets }) => datasets as readonly unknown[]),
      noncompliance_share: shareOf(all['noncompliance_area_ha'], all['area_ha']),
      baseline_forest_share: shareOf(all['baseline_forest_ha'], all['area_ha']),
    };
  },
  totals: {
    sums: ['area_ha', 'baseline_forest_ha', 'noncompliance_area_ha', 'luc_tco2eyear'],
    years: ['loss_ha_by_year', 'loss_in_baseline_ha_by_year'],
    yearRanges: ['years_looked_at'],
    areaMeans: ['noncompliance_share', 'baseline_forest_share', 'luc_tco2ehayear', 'diversity_score'],
    meanBasis: { diversity_score: 'diversity_basis' },
    counts: ['plot_group', 'eudr_status', 'risk_level', 'convergence_verdict', 'commodity_type'],
    areaShares: ['risk_level'],
  },
};

/** With six decimals; null where either is unknown. */
function shareOf(part: unknown, whole: unknown): number | null {
  if (typeof part !== 'number' || typeof whole !== 'number' || whole <= 0) return null;
  return round(Math.min(1, part / whole), 6);
}
