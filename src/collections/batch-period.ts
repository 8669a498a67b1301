import { CUT_OFF, DEFAULT_MONITORING_START } from '../monitoring-days.ts';

interface BatchPeriod {
  /** `YYYY-MM-DD`. */
  readonly monitoringStart: string;
  readonly monitoringEnd: string;
}

interface PeriodFault {
  readonly field: 'monitoring_start' | 'monitoring_end';
  /** What was wanted and what came. */
  readonly detail: string;
}

/**
 * The period of a batch: by default from 2017-01-01 to `today`. A batch has addresses for the period before and since the
 * cut-off date, so it begins before that date and ends after it, and no later than today.
 */
export function batchPeriod(
  given: { readonly start?: string | undefined; readonly end?: string | undefined },
  today: string,
): BatchPeriod | PeriodFault {
  const monitoringStart = given.start ?? DEFAULT_MONITORING_START;
  const monitoringEnd = given.end ?? today;
  const fault = (field: PeriodFault['field'], wanted: string, got: string): PeriodFault => ({
    field,
    detail: `${field}: wanted ${wanted}, got ${JSON.stringify(got.slice(0, 40))}.`,
  });
  if (!isDate(monitoringStart)) return fault('monitoring_start', 'a date as YYYY-MM-DD', monitoringStart);
  if (!isDate(monitoringEnd)) return fault('monitoring_end', 'a date as YYYY-MM-DD', monitoringEnd);
  if (monitoringStart >= CUT_OFF)
    return fault('monitoring_start', `a date before the cut-off date ${CUT_OFF}`, monitoringStart);
  if (monitoringEnd <= CUT_OFF)
    return fault('monitoring_end', `a date after the cut-off date ${CUT_OFF}`, monitoringEnd);
  if (monitoringEnd > today) return fault('monitoring_end', `a date no later than today, ${today}`, monitoringEnd);
  return { monitoringStart, monitoringEnd };
}

/** True for a day of the calendar, written with leading zeros. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
