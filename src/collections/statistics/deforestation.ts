import type { ByYear, DatasetUse, Losses, Measured, PlotStatistics } from '../plot-record.ts';
import {
  afterCutOff,
  hasAnyYear,
  hasYear,
  yearsWithin,
  type MonitoringPeriod,
  type YearRange,
} from './monitoring-period.ts';
import { round } from '../../geo/round.ts';
import { CUT_OFF } from '../../monitoring-days.ts';

/**
 * Whether the datasets of losses that cover a plot agree on there being any in its baseline forest after the cut-off.
 * `single`: only one of them has data.
 */
type Agreement = 'agree' | 'disagree' | 'single';

/** What one dataset of losses found, or why it could not. */
interface LossFinding extends DatasetUse {
  readonly role: 'loss-year';
  /** Null where the baseline forest is unknown. */
  readonly noncompliance_area_ha: number | null;
  readonly covered_share: number;
}

/** The baseline a plot was measured against. */
interface BaselineUse extends DatasetUse {
  readonly role: 'forest-mask';
  readonly covered_share: number;
}

/** A plot's forest and what it lost in a period. Hectares with 4 decimals. */
export interface DeforestationCheck {
  /** `partial`: part of the plot or of the period is not covered, which `reason` names. `unknown`: no area can be given. */
  readonly status: 'measured' | 'partial' | 'unknown';
  readonly reason: string | null;
  /** Hectares of the forest of 2020-12-31 that were lost after it, in the period. */
  readonly noncompliance_area_ha: number | null;
  /** First day of the first year and last day of the last year with such a loss; datasets give years only. Null: none. */
  readonly deforestation_start: string | null;
  readonly deforestation_end: string | null;
  /** Hectares of forest on 2020-12-31. */
  readonly baseline_forest_ha: number | null;
  /** The years of the period that the numbers by year are of; no dataset covers the others. Null: none of them. */
  readonly years_looked_at: YearRange | null;
  /**
   * Hectares lost by year in the period, in and outside the baseline forest; null where unknown. A year that is left out had no
   * loss if it is one of `years_looked_at`; of any other nothing is known.
   */
  readonly loss_ha_by_year: ByYear | null;
  /** The part of them inside the baseline forest; years up to 2020 among them where the period has them. */
  readonly loss_in_baseline_ha_by_year: ByYear | null;
  /** Null where no dataset of losses has data. */
  readonly agreement: Agreement | null;
  readonly datasets: readonly (BaselineUse | LossFinding)[];
}

type Known<T> = Extract<Measured<T>, { readonly status: 'measured' }>;

/** A plot counts as covered from here on: rounding of edges and of shares takes less. */
const WHOLE = 0.999;

/**
 * Cuts the statistics of a plot to a period. The first dataset of losses that has data gives the numbers, as everywhere
 * in the catalogue; the others are listed with theirs and decide `agreement`.
 *
 * A year counts when any day of it lies in the period, because a loss of 2021 may be of any of its days; what is not
 * compliant is counted from 2021 on, however early the period begins; of a period without such a year nothing is known. No loss at all, and no forest to lose, are both
 * an area of 0 without the other being known.
 */
export function checkDeforestation(
  statistics: Pick<PlotStatistics, 'baseline' | 'losses'>,
  period: MonitoringPeriod,
): DeforestationCheck {
  const { baseline, losses } = statistics;
  const known = losses.filter((loss): loss is Known<Losses> => loss.status === 'measured');
  const findings = known.map((loss) => findingOf(loss, baseline, period));
  const first = known[0];
  const area = first === undefined ? areaWithoutLosses(baseline) : (findings[0]?.noncompliance_area_ha ?? null);
  const looked = first === undefined ? null : yearsWithin(period, first.years);
  const years = area === null || first?.inBaselineHa == null ? [] : yearsIn(first.inBaselineHa, afterCutOff(period));
  const baselineUse: BaselineUse[] =
    baseline.status === 'measured'
      ? [{ role: 'forest-mask', ...useOf(baseline), covered_share: baseline.coveredShare }]
      : [];
  return {
    ...statusOf(statistics, area, period),
    noncompliance_area_ha: area,
    deforestation_start: years.length === 0 ? null : `${years[0]}-01-01`,
    deforestation_end: years.length === 0 ? null : `${years.at(-1)}-12-31`,
    baseline_forest_ha: baseline.status === 'measured' ? rounded(baseline.forestHa) : null,
    years_looked_at: looked,
    loss_ha_by_year: first === undefined || looked === null ? null : cut(first.lossHa, period),
    loss_in_baseline_ha_by_year:
      first?.inBaselineHa == null || looked === null ? null : cut(first.inBaselineHa, period),
    agreement: agreementOf(findings),
    datasets: [...baselineUse, ...findings],
  };
}

function findingOf(loss: Known<Losses>, baseline: PlotStatistics['baseline'], period: MonitoringPeriod): LossFinding {
  const counted = afterCutOff(period);
  const area = yearsWithin(counted, loss.years) === null ? null : areaLost(loss, counted);
  return {
    role: 'loss-year',
    ...useOf(loss),
    noncompliance_area_ha: area ?? areaWithoutLosses(baseline),
    covered_share: loss.coveredShare,
  };
}

function areaLost({ lossHa, inBaselineHa }: Known<Losses>, counted: MonitoringPeriod): number | null {
  if (sum(lossHa, counted) === 0) return 0;
  return inBaselineHa === null ? null : rounded(sum(inBaselineHa, counted));
}

/** 0 where the whole plot is known to have had no forest, else null. */
function areaWithoutLosses(baseline: PlotStatistics['baseline']): 0 | null {
  return baseline.status === 'measured' && baseline.forestHa === 0 && baseline.coveredShare >= WHOLE ? 0 : null;
}

function agreementOf(findings: readonly LossFinding[]): Agreement | null {
  const known = findings.filter(({ noncompliance_area_ha: area }) => area !== null);
  if (known.length < 2) return known.length === 0 ? null : 'single';
  return new Set(known.map(({ noncompliance_area_ha: area }) => area !== 0)).size === 1 ? 'agree' : 'disagree';
}

function statusOf(
  { baseline, losses }: Pick<PlotStatistics, 'baseline' | 'losses'>,
  area: number | null,
  period: MonitoringPeriod,
): Pick<DeforestationCheck, 'status' | 'reason'> {
  const loss = losses.find((one): one is Known<Losses> => one.status === 'measured');
  const reasons: string[] = [];
  if (!hasAnyYear(afterCutOff(period)))
    reasons.push(`The period after ${period.start} up to ${period.end} contains no year after ${CUT_OFF}.`);
  if (baseline.status === 'unknown') reasons.push(`Forest on ${CUT_OFF} is unknown: ${baseline.reason}.`);
  else reasons.push(...coverageReason(baseline));
  if (loss === undefined) {
    const why = losses.find((one) => one.status === 'unknown');
    reasons.push(`Losses are unknown: ${why?.reason ?? 'no dataset of losses'}.`);
  } else reasons.push(...coverageReason(loss), ...yearsReason(loss, afterCutOff(period)));
  if (area === null) return { status: 'unknown', reason: reasons.join(' ') };
  // An area of 0 that one side alone proves needs nothing of the other.
  const isProven = area === 0 && (areaWithoutLosses(baseline) === 0 || isNeverLost(loss, period));
  return reasons.length === 0 || isProven
    ? { status: 'measured', reason: null }
    : { status: 'partial', reason: reasons.join(' ') };
}

function isNeverLost(loss: Known<Losses> | undefined, period: MonitoringPeriod): boolean {
  const counted = afterCutOff(period);
  return (
    loss !== undefined &&
    hasAnyYear(counted) &&
    sum(loss.lossHa, counted) === 0 &&
    loss.coveredShare >= WHOLE &&
    yearsReason(loss, counted).length === 0
  );
}

function coverageReason({
  dataset,
  coveredShare,
}: {
  readonly dataset: string;
  readonly coveredShare: number;
}): string[] {
  if (coveredShare >= WHOLE) return [];
  return [`${dataset} covers ${(coveredShare * 100).toFixed(1)} % of the plot.`];
}

function yearsReason({ dataset, years: [first, last] }: Known<Losses>, { start, end }: MonitoringPeriod): string[] {
  if (`${first - 1}-12-31` <= start && `${last}-12-31` >= end) return [];
  return [`${dataset} covers losses from ${first} to ${last}; the request was for ${start} to ${end}.`];
}

function yearsIn(hectares: ByYear, period: MonitoringPeriod): number[] {
  return Object.entries(hectares)
    .filter(([year, value]) => value > 0 && hasYear(period, Number(year)))
    .map(([year]) => Number(year))
    .toSorted((a, b) => a - b);
}

function sum(hectares: ByYear, period: MonitoringPeriod): number {
  return yearsIn(hectares, period).reduce((total, year) => total + (hectares[year] ?? 0), 0);
}

function cut(hectares: ByYear, period: MonitoringPeriod): ByYear {
  return Object.fromEntries(yearsIn(hectares, period).map((year) => [year, rounded(hectares[year] ?? 0)]));
}

function useOf({ dataset, version, synthetic }: DatasetUse): DatasetUse {
  return { dataset, version, synthetic };
}

/** Hectares with 4 decimals; what is there is never rounded to nothing. */
function rounded(hectares: number): number {
  return hectares > 0 ? Math.max(1e-4, round(hectares, 4)) : 0;
}
