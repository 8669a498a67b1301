import { yearsOf, type Period } from '../batch/period.ts';
import { CUT_OFF } from '../../../../src/monitoring-days.ts';

/** A year that was looked at in some plot at least: its losses in hectares. */
interface LossBar {
  readonly year: number;
  /** Inside what was forest on the cut-off date; null where that is not known. */
  readonly inside: number | null;
  /** Everything else that was lost. */
  readonly outside: number;
  /** Plots that the year was looked at in, where these are not all. */
  readonly onlyPlots: number | null;
  /** Whether the period has a part of the year only; the losses are those of the whole year. A missing first day makes no part. */
  readonly isPart: boolean;
}

/** A year that no dataset covers: nothing is known of it, which is not 0. */
interface YearWithoutData {
  readonly year: number;
  readonly noData: true;
}

export type LossYear = LossBar | YearWithoutData;

export interface LossBars {
  /** One a year of the period. */
  readonly bars: readonly LossYear[];
  /** Ends of the axis and the lines between, ascending from 0. */
  readonly ticks: readonly number[];
  /** Bars before the cut-off: the line stands after so many of them. Null when all lie on one side of it and none begins there. */
  readonly cutOffAfter: number | null;
}

type ByYear = Readonly<Record<string, number>> | null;

/** How many plots each year was looked at in; a year that is left out was looked at in none. */
export interface LookedAt {
  readonly byYear: Readonly<Record<string, number>>;
  /** Plots of which any year was looked at. */
  readonly plots: number;
}

/** What was looked at in a single plot. */
export function lookedAtIn(years: { readonly from: number; readonly to: number } | null | undefined): LookedAt {
  if (years === null || years === undefined) return { byYear: {}, plots: 0 };
  const { from, to } = years;
  return { byYear: Object.fromEntries(Array.from({ length: to - from + 1 }, (_, i) => [from + i, 1])), plots: 1 };
}

/** The bars of a chart of losses in a period. `all` holds what lies in the baseline forest as well. */
export function lossBars(
  all: NonNullable<ByYear>,
  inBaseline: ByYear,
  period: Period,
  { byYear, plots }: LookedAt,
): LossBars {
  const bars = yearsOf(period).map((year): LossYear => {
    const looked = byYear[year] ?? 0;
    if (looked === 0) return { year, noData: true };
    const total = all[year] ?? 0;
    const inside = inBaseline === null ? null : Math.min(total, inBaseline[year] ?? 0);
    const isPart = period.start > `${year}-01-01` || period.end < `${year}-12-31`;
    return { year, inside, outside: total - (inside ?? 0), onlyPlots: looked < plots ? looked : null, isPart };
  });
  const before = bars.filter(({ year }) => year <= Number(CUT_OFF.slice(0, 4))).length;
  const most = Math.max(0, ...bars.map(totalOf));
  return { bars, ticks: ticksTo(most), cutOffAfter: bars.length === 0 || before === bars.length ? null : before };
}

/** Hectares to draw: none of a year without data. */
export function totalOf(bar: LossYear): number {
  return hasData(bar) ? (bar.inside ?? 0) + bar.outside : 0;
}

export function hasData(bar: LossYear): bar is LossBar {
  return !('noData' in bar);
}

/** Years as people write them, `2021, 2025-2026`. */
export function yearsText(years: readonly number[]): string {
  const runs: [first: number, last: number][] = [];
  for (const year of years) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === year - 1) run[1] = year;
    else runs.push([year, year]);
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ');
}

const STEPS = [1, 2, 2.5, 5, 10] as const;
const WANTED = 4;

/** Round numbers from 0 to at least `most`, about four of them; 0 and 1 when there is nothing. */
function ticksTo(most: number): readonly number[] {
  if (most === 0) return [0, 1];
  const rough = most / WANTED;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((size) => size * power >= rough) ?? 10);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(10)));
}
