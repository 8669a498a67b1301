import { yearsOf, type Period } from '../batch/period.ts';
import { CUT_OFF } from '../../../../src/monitoring-days.ts';

/** Losses of a year in hectares. */
export interface LossBar {
  readonly year: number;
  /** Inside what was forest on the cut-off date; null where that is not known. */
  readonly inside: number | null;
  /** Everything else that was lost. */
  readonly outside: number;
}

export interface LossBars {
  readonly bars: readonly LossBar[];
  /** Ends of the axis and the lines between, ascending from 0. */
  readonly ticks: readonly number[];
  /** Bars before the cut-off: the line stands after so many of them. Null when all lie on one side of it and none begins there. */
  readonly cutOffAfter: number | null;
}

type ByYear = Readonly<Record<string, number>> | null;

/** The bars of a chart of losses in a period. `all` holds what lies in the baseline forest as well. */
export function lossBars(all: NonNullable<ByYear>, inBaseline: ByYear, period: Period): LossBars {
  const bars = yearsOf(period).map((year): LossBar => {
    const total = all[year] ?? 0;
    const inside = inBaseline === null ? null : Math.min(total, inBaseline[year] ?? 0);
    return { year, inside, outside: total - (inside ?? 0) };
  });
  const before = bars.filter(({ year }) => year <= Number(CUT_OFF.slice(0, 4))).length;
  const most = Math.max(0, ...bars.map(({ inside, outside }) => (inside ?? 0) + outside));
  return { bars, ticks: ticksTo(most), cutOffAfter: bars.length === 0 || before === bars.length ? null : before };
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
