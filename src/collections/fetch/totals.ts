import { codesOf } from '../../messages/recognised/codes-of.ts';
import { noteOverlaps, type CountedGround, type KnownNumbers } from '../counted-ground.ts';
import type { ByYear, DatasetUse } from '../plot-record.ts';
import type { YearRange } from '../statistics/monitoring-period.ts';
import { DECIMAL_UNITS, rounded } from './rounded.ts';

/** How the properties of plots become totals. */
export interface TotalsPlan {
  /** Numbers that are added up. */
  readonly sums: readonly string[];
  /** Numbers by year that are added up year by year. */
  readonly years: readonly string[];
  /** Ranges of years: totals have the years that are in all that are known, and count the plots of each year. */
  readonly yearRanges?: readonly string[];
  /** Numbers averaged with the area of the plots as weight. */
  readonly areaMeans: readonly string[];
  /** Of such a mean the text that says what it is measured on; numbers measured on different things have no mean. */
  readonly meanBasis?: Readonly<Record<string, string>>;
  /** Texts whose plots are counted by value. */
  readonly counts: readonly string[];
  /** Texts whose share of the area of all plots is given by value. */
  readonly areaShares?: readonly string[];
}

/**
 * Totals of plots. A total of nothing known is null; `unknown` says how many plots each total leaves out. Ground of several
 * plots counts once: of a plot that lies partly on earlier ones, totals take the rest, in proportion to its area.
 */
interface Totals {
  readonly plots: number;
  /** Hectares of plots that lie on earlier plots of the same totals, and are not in them again; null: no area is known. */
  readonly overlap_area_ha: number | null;
  /** False: some ground may be in the totals twice, which `overlaps_reason` explains. */
  readonly overlaps_counted_once: boolean;
  readonly overlaps_reason: string | null;
  readonly known: Readonly<Record<string, number>>;
  readonly unknown: Readonly<Record<string, number>>;
  /** The datasets that any of the plots was measured by. */
  readonly datasets: readonly DatasetUse[];
  readonly [property: string]: unknown;
}

/** What one plot adds to totals, worked out once however many totals it is part of. */
export interface Share {
  /** Ten-thousandths by sum; NaN: unknown. */
  readonly sums: Float64Array;
  /** Values by mean; NaN: unknown. */
  readonly means: Float64Array;
  /** What each of them is measured on; null where that makes no difference. */
  readonly bases: readonly (string | null)[];
  /** Hectares; NaN: unknown. */
  readonly area: number;
  /** Year and ten-thousandths, alternating, by yearly sum; null: unknown. */
  readonly years: readonly (readonly (string | number)[] | null)[];
  /** By range of years; null: none. */
  readonly yearRanges: readonly (YearRange | null)[];
  readonly counts: readonly string[];
  readonly areaShares: readonly string[];
  readonly datasets: readonly (readonly [key: string, use: DatasetUse])[];
  /** Sums, years, means and the area, one bit each, in this order. */
  readonly known: KnownNumbers;
}

export interface TotalsFold {
  /** Adds a plot, without what was counted of its ground before. */
  add(share: Share, ground: CountedGround): void;
  result(): Totals;
}

/** Reads what plots add to the totals of a plan from their properties as the answer writes them. */
export function shareReader(plan: TotalsPlan): (properties: Readonly<Record<string, unknown>>) => Share {
  const { sums, years, yearRanges = [], areaMeans, meanBasis = {}, counts, areaShares = [] } = plan;
  const basisNames = areaMeans.map((name) => meanBasis[name] ?? null);
  return (properties) => {
    const numbers = {
      sums: Float64Array.from(sums, (name) => Math.round(numberOr(properties[name]) * DECIMAL_UNITS)),
      years: years.map((name) => yearsOf(properties[name])),
      means: Float64Array.from(areaMeans, (name) => numberOr(properties[name])),
      area: numberOr(properties['area_ha']),
    };
    return {
      ...numbers,
      yearRanges: yearRanges.map((name) => (properties[name] as YearRange | null | undefined) ?? null),
      bases: basisNames.map((name) => (name === null ? null : textOr(properties[name]))),
      counts: counts.map((name) => textOr(properties[name])),
      areaShares: areaShares.map((name) => textOr(properties[name])),
      datasets: datasetsOf(properties['datasets']),
      known: knownOf(numbers),
    };
  };
}

function knownOf({ sums, years, means, area }: Pick<Share, 'sums' | 'years' | 'means' | 'area'>): KnownNumbers {
  const isKnown = [
    ...Array.from(sums, (value) => !Number.isNaN(value)),
    ...years.map((byYear) => byYear !== null),
    ...Array.from(means, (value) => !Number.isNaN(value)),
    !Number.isNaN(area),
  ];
  return isKnown.reduce((bits, known, bit) => bits | (known ? 1 << bit : 0), 0);
}

export function foldTotals(plan: TotalsPlan): TotalsFold {
  const { sums, years, yearRanges = [], areaMeans, counts, areaShares = [] } = plan;
  const yearBit = sums.length;
  const meanBit = yearBit + years.length;
  const areaBit = meanBit + areaMeans.length;
  const added = {
    known: new Uint32Array(sums.length),
    total: new Float64Array(sums.length),
    /** As the plots say it, whatever ground they share: for means of a plot. */
    measured: new Float64Array(sums.length),
  };
  const averaged = {
    known: new Uint32Array(areaMeans.length),
    total: new Float64Array(areaMeans.length),
    weight: new Float64Array(areaMeans.length),
    bases: areaMeans.map(() => new Set<string | null>()),
  };
  const yearly = years.map(() => ({ known: 0, byYear: new Map<string, number>() }));
  const ranges = yearRanges.map(() => new Map<string, number>());
  const inRanges = yearRanges.map(() => 0);
  const counted = counts.map(() => new Map<string, number>());
  const shared = areaShares.map(() => new Map<string, number>());
  const datasets = new Map<string, DatasetUse>();
  const overlaps = noteOverlaps();
  const overlap = { known: 0, total: 0 };
  let plots = 0;

  function add(share: Share, ground: CountedGround): void {
    const { before } = ground;
    plots++;
    if (share.known !== 0 && share.area !== 0) overlaps.add(ground);
    if (!Number.isNaN(share.area)) {
      overlap.known++;
      overlap.total += Math.round(share.area * (before?.[areaBit] ?? 0) * DECIMAL_UNITS);
    }
    for (let i = 0; i < sums.length; i++) {
      if (Number.isNaN(share.sums[i])) continue;
      added.known[i]!++;
      added.measured[i]! += share.sums[i]!;
      added.total[i]! += share.sums[i]! - Math.round(share.sums[i]! * (before?.[i] ?? 0));
    }
    for (let i = 0; i < areaMeans.length; i++) {
      if (Number.isNaN(share.means[i]! * share.area)) continue;
      const weight = share.area * (1 - (before?.[meanBit + i] ?? 0));
      averaged.known[i]!++;
      averaged.total[i]! += share.means[i]! * weight;
      averaged.weight[i]! += weight;
      averaged.bases[i]!.add(share.bases[i]!);
    }
    for (let i = 0; i < years.length; i++) addYears(yearly[i]!, share.years[i] ?? null, before?.[yearBit + i] ?? 0);
    for (let i = 0; i < ranges.length; i++) {
      const range = share.yearRanges[i] ?? null;
      if (range === null) continue;
      inRanges[i]!++;
      for (let year = range.from; year <= range.to; year++) addTo(ranges[i]!, String(year), 1);
    }
    for (let i = 0; i < counts.length; i++) addTo(counted[i]!, share.counts[i]!, 1);
    if (!Number.isNaN(share.area))
      for (let i = 0; i < areaShares.length; i++)
        addTo(shared[i]!, share.areaShares[i]!, share.area * (1 - (before?.[areaBit] ?? 0)));
    for (const [key, use] of share.datasets) if (!datasets.has(key)) datasets.set(key, use);
  }

  return {
    add,
    result() {
      const known = Object.fromEntries([
        ...sums.map((name, i) => [name, added.known[i]!] as const),
        ...areaMeans.map((name, i) => [name, averaged.known[i]!] as const),
        ...years.map((name, i) => [name, yearly[i]!.known] as const),
      ]);
      const { isCountedOnce, reason } = overlaps.result();
      return {
        plots,
        ...named(sums, (i) => (added.known[i] === 0 ? null : added.total[i]! / DECIMAL_UNITS)),
        ...named(years, (i) => yearTotals(yearly[i]!)),
        ...named(yearRanges, (i) => sharedYears(ranges[i]!, inRanges[i]!)),
        ...named(yearRanges, (i) => Object.fromEntries(sorted(ranges[i]!)), '_counts'),
        ...named(areaMeans, (i) =>
          averaged.weight[i] === 0 || averaged.bases[i]!.size > 1
            ? null
            : rounded(averaged.total[i]! / averaged.weight[i]!),
        ),
        ...named(counts, (i) => Object.fromEntries(sorted(counted[i]!)), '_counts'),
        ...named(areaShares, (i) => sharesOf(shared[i]!), '_area_shares'),
        overlap_area_ha: overlap.known === 0 ? null : overlap.total / DECIMAL_UNITS,
        overlaps_counted_once: isCountedOnce,
        overlaps_reason: reason,
        ...codesOf({ overlaps_reason: reason }),
        means: named(sums, (i) =>
          added.known[i] === 0 ? null : rounded(added.measured[i]! / added.known[i]! / DECIMAL_UNITS),
        ),
        known,
        unknown: Object.fromEntries(Object.entries(known).map(([name, count]) => [name, plots - count])),
        datasets: [...datasets.values()],
      };
    },
  };
}

function named<T>(names: readonly string[], value: (i: number) => T, suffix = ''): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name, i) => [`${name}${suffix}`, value(i)]));
}

function numberOr(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function yearsOf(value: unknown): readonly (string | number)[] | null {
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value as ByYear).flatMap(([year, amount]) => [year, Math.round(amount * DECIMAL_UNITS)]);
}

function datasetsOf(used: unknown): Share['datasets'] {
  if (!Array.isArray(used)) return [];
  return (used as readonly (DatasetUse & { readonly role: string })[]).map(({ role, dataset, version, synthetic }) => [
    `${role} ${dataset} ${version}`,
    { role, dataset, version, synthetic } as DatasetUse,
  ]);
}

function addYears(
  sum: { known: number; readonly byYear: Map<string, number> },
  amounts: readonly (string | number)[] | null,
  before: number,
): void {
  if (amounts === null) return;
  sum.known++;
  for (let i = 0; i < amounts.length; i += 2) {
    const amount = amounts[i + 1] as number;
    addTo(sum.byYear, amounts[i] as string, amount - Math.round(amount * before));
  }
}

function addTo(byName: Map<string, number>, name: string, amount: number): void {
  byName.set(name, (byName.get(name) ?? 0) + amount);
}

function yearTotals({ known, byYear }: { known: number; readonly byYear: ReadonlyMap<string, number> }): ByYear | null {
  return known === 0 ? null : Object.fromEntries(sorted(byYear).map(([year, total]) => [year, total / DECIMAL_UNITS]));
}

/** The years that all of `plots` ranges have, which lie together; null: none. */
function sharedYears(byYear: ReadonlyMap<string, number>, plots: number): YearRange | null {
  const years = sorted(byYear).flatMap(([year, count]) => (count === plots ? [Number(year)] : []));
  return years.length === 0 ? null : { from: years[0]!, to: years.at(-1)! };
}

/** Null where no area is known. */
function sharesOf(byValue: ReadonlyMap<string, number>): Readonly<Record<string, number>> | null {
  const all = [...byValue.values()].reduce((sum, area) => sum + area, 0);
  return all === 0 ? null : Object.fromEntries(sorted(byValue).map(([text, area]) => [text, rounded(area / all)]));
}

function sorted(byValue: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...byValue].sort(([a], [b]) => (a < b ? -1 : 1));
}
