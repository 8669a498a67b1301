import { measureEmissions } from '../statistics/emissions.ts';
import { groundOf } from './ground.ts';
import { rounded } from './rounded.ts';
import type { View } from './view.ts';

/** Above-ground biomass and the emissions of its change in the period. */
export const emissionsView: View = {
  name: 'biomass_emissions',
  needsStatistics: true,
  fields: [
    'area_ha',
    'measured_ground',
    'luc_tco2eyear',
    'luc_tco2ehayear',
    'emissions_status',
    'emissions_reason',
    'emissions_from_year',
    'emissions_to_year',
    'agb_t',
    'agb_t_by_year',
    'datasets',
    'monitoring_start',
    'monitoring_end',
  ],
  properties(record, _collection, period) {
    const { statistics } = record;
    const biomass = statistics?.biomass.status === 'measured' ? statistics.biomass : null;
    const emissions = statistics === null ? null : measureEmissions(statistics, period);
    const measured = emissions?.status === 'measured' ? emissions : null;
    const isPlot = record.locationType === 'plot';
    return {
      ...groundOf(record),
      luc_tco2eyear: emissions?.luc_tco2eyear ?? null,
      luc_tco2ehayear: emissions?.luc_tco2ehayear ?? null,
      emissions_status: isPlot ? (measured?.status ?? 'unknown') : null,
      emissions_reason:
        emissions === null ? (isPlot ? (record.problem ?? 'The plot was not measured.') : null) : reasonOf(emissions),
      emissions_from_year: measured?.from_year ?? null,
      emissions_to_year: measured?.to_year ?? null,
      agb_t: measured === null ? null : rounded(measured.to_tonnes),
      agb_t_by_year:
        biomass === null
          ? null
          : Object.fromEntries(Object.entries(biomass.tonnes).map(([year, tonnes]) => [year, rounded(tonnes)])),
      datasets:
        biomass === null
          ? []
          : [
              {
                role: 'biomass',
                dataset: biomass.dataset,
                version: biomass.version,
                synthetic: biomass.synthetic,
                covered_share: biomass.coveredShare,
              },
            ],
      monitoring_start: period.start,
      monitoring_end: period.end,
    };
  },
  totals: {
    sums: ['area_ha', 'luc_tco2eyear', 'agb_t'],
    years: ['agb_t_by_year'],
    areaMeans: ['luc_tco2ehayear'],
    counts: ['emissions_status'],
  },
};

function reasonOf(emissions: ReturnType<typeof measureEmissions>): string | null {
  return emissions.status === 'unknown' ? emissions.reason : null;
}
