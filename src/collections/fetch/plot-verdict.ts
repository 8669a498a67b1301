import type { PlotStatistics } from '../plot-record.ts';
import { checkDeforestation, type DeforestationCheck } from '../statistics/deforestation.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { eudrVerdict, type EudrVerdict } from './eudr-verdict.ts';

type Forest = Pick<PlotStatistics, 'areaHa' | 'baseline' | 'losses'>;

/**
 * Maps of losses appear in the year after the last one they cover. A period that ends in that year or the next is evaluated
 * by what is known, and the verdict says from when on nothing is; after a longer gap it is not known.
 */
const MAX_LAG_YEARS = 1;

/** The last day of the period that the first dataset of losses covers; null where none does. */
export function lastDayKnown({ losses }: Pick<Forest, 'losses'>, { end }: MonitoringPeriod): string | null {
  const known = losses.find((loss) => loss.status === 'measured');
  if (known === undefined) return null;
  const last = `${known.years[1]}-12-31`;
  return last < end ? last : end;
}

/** What the check of a plot means, as of the last day `until` that losses are known of; `statistics` null: it was not measured. */
export function plotVerdict(
  check: DeforestationCheck,
  statistics: Forest | null,
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
