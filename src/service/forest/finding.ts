import { lastDayKnown, plotVerdict } from '../../collections/fetch/plot-verdict.ts';
import type { EudrVerdict } from '../../collections/fetch/eudr-verdict.ts';
import type { PlotStatistics } from '../../collections/plot-record.ts';
import { checkDeforestation } from '../../collections/statistics/deforestation.ts';
import type { CheckStatus, DeforestationFinding } from '../../locations/plots/check-plot.ts';
import { NOT_COVERED } from '../plots/measures.ts';
import { CUT_OFF } from '../../monitoring-days.ts';

/** What the verdict of `/fetch_deforestation_check` is as the status of a check. */
const STATUSES = {
  no_deforestation_found: 'pass',
  more_information_needed: 'warn',
  deforestation_found: 'fail',
  unknown: 'unknown',
  not_a_plot: 'unknown',
} as const satisfies Record<EudrVerdict['eudr_status'], CheckStatus>;

/**
 * What statistics say of deforestation after 2020-12-31, up to `today` (`YYYY-MM-DD`), in the words of the fetch endpoint.
 * Null where no dataset covers the plot.
 */
export function forestFinding(
  statistics: Pick<PlotStatistics, 'areaHa' | 'baseline' | 'losses'>,
  today: string,
): DeforestationFinding | null {
  const { baseline, losses } = statistics;
  if ([baseline, ...losses].every((one) => one.status === 'unknown' && one.reason === NOT_COVERED)) return null;
  const period = { start: CUT_OFF, end: today };
  const check = checkDeforestation(statistics, period);
  const until = lastDayKnown(statistics, period);
  const { eudr_status: verdict, eudr_comment: comment } = plotVerdict(check, statistics, period, until);
  if (check.datasets.length === 0) return { status: STATUSES[verdict], detail: comment };
  const { noncompliance_area_ha, baseline_forest_ha, deforestation_start, deforestation_end, datasets } = check;
  const by = datasets.map(({ dataset, version }) => `${dataset} ${version}`).join(', ');
  return {
    status: STATUSES[verdict],
    detail: `${comment} By ${by}.`,
    receipt: {
      noncompliance_area_ha,
      baseline_forest_ha,
      deforestation_start,
      deforestation_end,
      monitored_until: until,
      datasets,
    },
  };
}

/** Today as `YYYY-MM-DD`, UTC. */
export function todayUtc(): string {
  return new Date().toISOString().slice(0, 10);
}
