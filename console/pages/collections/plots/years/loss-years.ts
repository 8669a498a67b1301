/** What is known of the losses of a location, whatever the period that is shown. */
export interface LossYears {
  /** Place in the file, from 0. */
  readonly index: number;
  /** First and last year that its dataset covers; null: none does. */
  readonly covered: readonly [from: number, to: number] | null;
  /** Years with a loss and the hectares, ascending. */
  readonly lost: readonly (readonly [year: number, hectares: number])[];
}

interface LossFeature {
  readonly properties: {
    readonly location_number: number;
    readonly location_type?: unknown;
    readonly years_looked_at?: { readonly from: number; readonly to: number } | null;
    readonly loss_ha_by_year?: Readonly<Record<string, number>> | null;
  };
}

/** The losses of a location as a fetch address gives it; null for one that is no plot. */
export function lossYears({ properties: p }: LossFeature): LossYears | null {
  if (p.location_type !== 'plot') return null;
  const looked = p.years_looked_at ?? null;
  return {
    index: p.location_number,
    covered: looked === null ? null : [looked.from, looked.to],
    lost: Object.entries(p.loss_ha_by_year ?? {})
      .map(([year, hectares]) => [Number(year), hectares] as const)
      .toSorted(([a], [b]) => a - b),
  };
}

/** `none`: looked at and nothing lost; `unknown`: no dataset covers it so far. */
type YearLook = number | 'none' | 'unknown';

/** The year in which a plot lost most until the end of another one, the earlier of equal ones. */
export function lookUntil(years: LossYears | undefined, until: number): YearLook {
  if (years === undefined || years.covered === null || years.covered[0] > until) return 'unknown';
  let [year, most] = [0, 0];
  for (const [each, hectares] of years.lost) if (each <= until && hectares > most) [year, most] = [each, hectares];
  return most === 0 ? 'none' : year;
}

/** A year of the time bar. */
export interface YearOfBar {
  readonly year: number;
  /** Plots that lost something in it. */
  readonly plots: number;
  /** Whether it was looked at in any plot. Where it was not, nothing is known of it, which is not 0. */
  readonly isCovered: boolean;
}

/** Every year from the first to the last, with what is known of it in some plots. */
export function yearsOfBar(plots: readonly LossYears[], first: number, last: number): readonly YearOfBar[] {
  const bars = Array.from({ length: last - first + 1 }, (_, i) => ({ year: first + i, plots: 0, isCovered: false }));
  for (const { covered, lost } of plots) {
    for (const [year] of lost) if (bars[year - first] !== undefined) bars[year - first]!.plots++;
    if (covered === null) continue;
    for (let year = Math.max(first, covered[0]); year <= Math.min(last, covered[1]); year++)
      bars[year - first]!.isCovered = true;
  }
  return bars;
}
