import { checkDeforestation, type DeforestationCheck } from '../statistics/deforestation.ts';
import { withConvergence, convergenceOf, convergenceProperties } from './convergence.ts';
import type { Collection } from '../collection.ts';
import { plotGroup, type PlotGroup } from '../plot-group.ts';
import type { PlotRecord } from '../plot-record.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { NOT_A_PLOT } from './eudr-verdict.ts';
import { groundOf } from './ground.ts';
import { lastDayKnown, plotVerdict } from './plot-verdict.ts';
import type { View } from './view.ts';

const NOT_CHECKED = {
  noncompliance_area_ha: null,
  deforestation_start: null,
  deforestation_end: null,
  baseline_forest_ha: null,
  years_looked_at: null,
  loss_ha_by_year: null,
  loss_in_baseline_ha_by_year: null,
  agreement: null,
  datasets: [],
} satisfies Omit<DeforestationCheck, 'status' | 'reason'>;

const STAGED = 'The collection is staged: its plots are not measured until POST /batch_process.';

/** Forest of 2020-12-31 and what was lost of it in the period, with the datasets that say so. */
export const deforestationView: View = {
  name: 'deforestation_check',
  needsStatistics: true,
  takesUnmeasured: true,
  fields: [
    'locations_confidence',
    'area_ha',
    'measured_ground',
    'plot_group',
    'eudr_status',
    'risk_level',
    'eudr_comment',
    'convergence_verdict',
    'crop_group',
    'check_status',
    'check_reason',
    ...Object.keys(NOT_CHECKED),
    'monitored_until',
    'monitoring_start',
    'monitoring_end',
    'convergence',
  ],
  properties(record, collection, period) {
    const isPlot = record.locationType === 'plot';
    const { check, until, convergence, verdict } = findingOf(record, collection, period);
    const { status, reason: why, ...findings } = check;
    return {
      locations_confidence: collection.locationsConfidence,
      ...groundOf(record),
      plot_group: plotGroup(record, verdict.eudr_status, convergence?.verdict ?? null),
      ...verdict,
      convergence_verdict: convergence?.verdict ?? null,
      crop_group: convergence?.cropGroup ?? null,
      check_status: isPlot ? status : null,
      check_reason: why,
      ...findings,
      monitored_until: until,
      monitoring_start: period.start,
      monitoring_end: period.end,
      convergence: convergenceProperties(convergence),
    };
  },
  totals: {
    sums: ['area_ha', 'baseline_forest_ha', 'noncompliance_area_ha'],
    years: ['loss_ha_by_year', 'loss_in_baseline_ha_by_year'],
    yearRanges: ['years_looked_at'],
    areaMeans: [],
    counts: ['eudr_status', 'risk_level', 'convergence_verdict'],
    areaShares: ['risk_level'],
  },
};

/** What was found of a location in the period; of a facility nothing. */
function findingOf(record: PlotRecord, collection: Collection, period: MonitoringPeriod) {
  const { locationType, statistics, problem } = record;
  const isPlot = locationType === 'plot';
  const reason = isPlot ? (problem ?? (collection.status === 'staged' ? STAGED : 'The plot was not measured.')) : null;
  const check: DeforestationCheck =
    statistics === null ? { status: 'unknown', reason, ...NOT_CHECKED } : checkDeforestation(statistics, period);
  const until = statistics === null ? null : lastDayKnown(statistics, period);
  const convergence = convergenceOf(record, collection, period);
  const verdict = isPlot ? withConvergence(plotVerdict(check, statistics, period, until), convergence) : NOT_A_PLOT;
  return { check, until, convergence, verdict };
}

/** The group of a location, by what was found of it in the period. */
export function groupInPeriod(record: PlotRecord, collection: Collection, period: MonitoringPeriod): PlotGroup | null {
  const { convergence, verdict } = findingOf(record, collection, period);
  return plotGroup(record, verdict.eudr_status, convergence?.verdict ?? null);
}
