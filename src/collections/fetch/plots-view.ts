import { groupInPeriod } from './deforestation-view.ts';
import type { View } from './view.ts';

/** The locations as they were normalised, with their group and nothing else of what was measured. */
export const plotsView: View = {
  name: 'plots',
  needsStatistics: false,
  fields: ['plot_group'],
  properties: (record, collection, period) => ({ plot_group: groupInPeriod(record, collection, period) }),
  totals: { sums: ['area_ha'], years: [], areaMeans: [], counts: ['country', 'commodity_type', 'location_confidence'] },
};
