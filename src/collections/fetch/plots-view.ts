import { plotGroup } from '../plot-group.ts';
import type { View } from './view.ts';

/** The locations as they were normalised, with nothing measured. */
export const plotsView: View = {
  name: 'plots',
  needsStatistics: false,
  fields: ['plot_group'],
  properties: (record) => ({ plot_group: plotGroup(record, 'unknown', null) }),
  totals: { sums: ['area_ha'], years: [], areaMeans: [], counts: ['country', 'commodity_type', 'location_confidence'] },
};
