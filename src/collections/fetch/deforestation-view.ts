import type { PlotStatistics } from '../plot-record.ts';
import { checkDeforestation, type DeforestationCheck } from '../statistics/deforestation.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { eudrVerdict, NOT_A_PLOT, type EudrVerdict } from './eudr-verdict.ts';
import { groundOf } from './ground.ts';
import type { View } from './view.ts';

const NOT_CHECKED = {
  noncompliance_area_ha: null,
  deforestation_start: null,
  deforestation_end: null,
  baseline_forest_ha: null,
  loss_ha_by_year: null,
  loss_in_baseline_ha_by_year: null,
  agreement: null,
  datasets: [],
} satisfies Omit<DeforestationCheck, 'status' | 'reason'>;

/** Forest of 2020-12-31 and what was lost of it in the period, with the datasets that say so. */
export const deforestationView: View = {
  name: 'deforestation_check',
  needsStatistics: true,
  fields: [
    'locations_confidence',
    'area_ha',
    'measured_ground',
    'eudr_status',
    'risk_level',
    'eudr_comment',
    'check_status',
    'check_reason',
    ...Object.keys(NOT_CHECKED),
    'monitored_until',
    'monitoring_start',
    'monitoring_end',
  ],
  properties(record, collection, period) {
    const { statistics } = record;
    const isPlot = record.locationType === 'plot';
    const reason = isPlot ? (record.problem ?? 'The plot was not measured.') : null;
    const check: DeforestationCheck =
      statistics === null ? { status: 'unknown', reason, ...NOT_CHECKED } : checkDeforestation(statistics, period);
    const { status, reason: why, ...findings } = check;
    const until = statistics === null ? null : lastDayKnown(statistics, period);
    return {
      locations_confidence: collection.locationsConfidence,
      ...groundOf(record),
      ...(isPlot ? verdictOf(check, statistics, period, until) : NOT_A_PLOT),
      check_status: isPlot ? status : null,
      check_reason: why,
      ...findings,
      monitored_until: until,
      monitoring_start: period.start,
      monitoring_end: period.end,
    };
  },
  totals: {
    sums: ['area_ha', 'baseline_forest_ha', 'noncompliance_area_ha'],
    years: ['loss_ha_by_year', 'loss_in_baseline_ha_by_year'],
    areaMeans: [],
    counts: ['eudr_status', 'risk_level'],
    areaShares: ['risk_level'],
  },
};

/**
 * Maps of losses appear in the year after the one they tell of last. A period that ends in that year or the next is judged
 * by what is known, and the verdict says from when on nothing is; of a longer gap it cannot be told.
 */
const MAX_LAG_YEARS = 1;

/** The last day of the period that the first dataset of losses tells of; null where none does. */
function lastDayKnown({ losses }: PlotStatistics, { end }: MonitoringPeriod): string | null {
  const known = losses.find((loss) => loss.status === 'measured');
  if (known === undefined) return null;
  const last = `${known.years[1]}-12-31`;
  return last < end ? last : end;
}

function verdictOf(
  check: DeforestationCheck,
  statistics: PlotStatistics | null,
  period: MonitoringPeriod,
  until: string | null,
): EudrVerdict {
  const areaHa = statistics?.areaHa ?? 0;
  const isLagging =
    until !== null && until < period.end && Number(period.end.slice(0, 4)) - Number(until.slice(0, 4)) <= MAX_LAG_YEARS;
  if (statistics === null || !isLagging || until <= period.start) return eudrVerdict(check, areaHa);
  const verdict = eudrVerdict(checkDeforestation(statistics, { ...period, end: until }), areaHa);
  return { ...verdict, eudr_comment: `${verdict.eudr_comment} Losses after ${until} are not known yet.` };
}
