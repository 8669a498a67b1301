import type { Baseline, Biomass, ByYear, DatasetUse, Diversity, Losses, Measured } from '../plot-record.ts';
import { round } from '../../geo/round.ts';

/** Hectares of a plot that a raster has data for, of all it has. */
interface Covered {
  readonly use: DatasetUse;
  readonly knownHa: number;
  readonly areaHa: number;
}

/** What was lost, as sums over pixels. */
interface LossSums {
  /** Hectares by class: 0 is not lost, from 1 on years counted from the dataset's first one. */
  readonly byClass: ArrayLike<number>;
  /** The same inside the baseline forest; null where that is unknown. */
  readonly inBaseline: ArrayLike<number> | null;
  readonly years: readonly [first: number, last: number];
}

/** Below this part of a plot a dataset is said not to cover it. */
const LEAST_SHARE = 1e-6;
/** A year of biomass that covers this much less of the plot than the best one is left out: its difference would be no change. */
const YEAR_SHARE = 1e-3;

export function unknown(reason: string): { readonly status: 'unknown'; readonly reason: string } {
  return { status: 'unknown', reason };
}

export function measureBaseline(covered: Covered, forestHa: number): Measured<Baseline> {
  return measured(covered, { forestHa: hectares(forestHa) });
}

/** Yearly losses. The part inside the baseline is never more than the whole, which sampling one raster on another could make it. */
export function measureLosses(covered: Covered, { byClass, inBaseline, years }: LossSums): Measured<Losses> {
  const lossHa = byYear(byClass, years);
  return measured(covered, {
    lossHa,
    inBaselineHa:
      inBaseline === null
        ? null
        : Object.fromEntries(
            Object.entries(byYear(inBaseline, years)).map(([year, value]) => [
              year,
              Math.min(value, lossHa[year] ?? value),
            ]),
          ),
    years,
  });
}

/** Tonnes by the year of the map, `sums` of tonnes and the hectares that have a value. */
export function measureBiomass(
  use: DatasetUse,
  areaHa: number,
  sums: ReadonlyMap<number, { readonly tonnes: number; readonly knownHa: number }>,
): Measured<Biomass> {
  const best = Math.max(0, ...[...sums.values()].map(({ knownHa }) => knownHa));
  const kept = [...sums].filter(([, { knownHa }]) => knownHa > 0 && knownHa >= best - YEAR_SHARE * areaHa);
  const tonnes = Object.fromEntries(kept.map(([year, sum]) => [year, round(sum.tonnes, 4)]));
  return measured({ use, knownHa: best, areaHa }, { tonnes });
}

export function measureDiversity(covered: Covered, diversity: Diversity): Measured<Diversity> {
  return Number.isNaN(diversity.score)
    ? noData(covered.use)
    : measured(covered, { ...diversity, score: round(diversity.score, 4) });
}

/** What is said of a plot on which a dataset has no data. */
export function noData({ dataset }: DatasetUse): { readonly status: 'unknown'; readonly reason: string } {
  return unknown(`${dataset} has no data there`);
}

function measured<T extends object>({ use, knownHa, areaHa }: Covered, value: T): Measured<T> {
  const coveredShare = Math.min(1, round(knownHa / areaHa, 4));
  if (!(knownHa / areaHa > LEAST_SHARE)) return noData(use);
  const { dataset, version, synthetic } = use;
  return { status: 'measured', dataset, version, synthetic, coveredShare: Math.max(1e-4, coveredShare), ...value };
}

function byYear(sums: ArrayLike<number>, [first, last]: readonly [number, number]): ByYear {
  const years: [string, number][] = [];
  for (let year = first; year <= last; year++) {
    const value = hectares(sums[year - first + 1] ?? 0);
    if (value > 0) years.push([String(year), value]);
  }
  return Object.fromEntries(years);
}

/** Hectares with 6 decimals, 100 cm2: endpoints round to 4, and sums of years must not gather what that takes. */
function hectares(value: number): number {
  return round(Math.max(0, value), 6);
}
