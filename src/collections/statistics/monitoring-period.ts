import { CUT_OFF } from '../../monitoring-days.ts';

/** Days of a monitoring period, `YYYY-MM-DD`: after `start`, up to and including `end`. */
export interface MonitoringPeriod {
  readonly start: string;
  readonly end: string;
}

/** Whether a day of the year lies in the period. With a `start` of 2020-12-31 the year 2020 does not, 2021 does. */
export function hasYear({ start, end }: MonitoringPeriod, year: number): boolean {
  return `${year}-12-31` > start && `${year}-01-01` <= end;
}

/** Whether the period has any year at all: one that ends before it begins has none, nor has 2021-12-31 to 2021-12-31. */
export function hasAnyYear(period: MonitoringPeriod): boolean {
  const first = Number(period.start.slice(0, 4));
  return hasYear(period, first) || hasYear(period, first + 1);
}

/** Years, both inclusive. */
export interface YearRange {
  readonly from: number;
  readonly to: number;
}

/** The years of the period that lie from `first` to `last`, a year counting when any of its days lies in the period; null: none. */
export function yearsWithin(period: MonitoringPeriod, [first, last]: readonly [number, number]): YearRange | null {
  const begin = Number(period.start.slice(0, 4));
  const from = Math.max(first, hasYear({ ...period, end: `${begin}-12-31` }, begin) ? begin : begin + 1);
  const to = Math.min(last, Number(period.end.slice(0, 4)));
  return from > to ? null : { from, to };
}

/** The period from the cut-off on. */
export function afterCutOff({ start, end }: MonitoringPeriod): MonitoringPeriod {
  return { start: start > CUT_OFF ? start : CUT_OFF, end };
}
