import type { ByYear, DatasetUse } from '../plot-record.ts';
import { DECIMAL_UNITS, rounded } from './rounded.ts';

/** How the properties of plots become totals. */
export interface TotalsPlan {
  /** Numbers that are added up. */
  readonly sums: readonly string[];
  /** Numbers by year that are added up year by year. */
  readonly years: readonly string[];
  /** Numbers averaged with the area of the plots as weight. */
  readonly areaMeans: readonly string[];
  /** Texts whose plots are counted by value. */
  readonly counts: readonly string[];
  /** Texts whose share of the area of all plots is given by value. */
  readonly areaShares?: readonly string[];
}

/** Totals of plots. A total of nothing known is null; `unknown` says how many plots each total leaves out. */
export interface Totals {
  readonly plots: number;
  readonly known: Readonly<Record<string, number>>;
  readonly unknown: Readonly<Record<string, number>>;
  /** The datasets that any of the plots was measured by. */
  readonly datasets: readonly DatasetUse[];
  readonly [property: string]: unknown;
}

export interface TotalsFold {
  /** Adds a plot by its properties as the answer writes them, so that totals are the sums of what was written. */
  add(properties: Readonly<Record<string, unknown>>): void;
  result(): Totals;
}

/** Ten-thousandths, so that sums are exact: `value` for sums, `value x area` and `area` for means. */
interface Sum {
  known: number;
  total: number;
  weight: number;
}

export function foldTotals({ sums, years, areaMeans, counts, areaShares = [] }: TotalsPlan): TotalsFold {
  const added = createSums(sums);
  const averaged = createSums(areaMeans);
  const yearly = new Map(years.map((name) => [name, { known: 0, byYear: new Map<string, number>() }]));
  const counted = new Map(counts.map((name) => [name, new Map<string, number>()]));
  const shares = new Map(areaShares.map((name) => [name, new Map<string, number>()]));
  const datasets = new Map<string, DatasetUse>();
  let plots = 0;

  return {
    add(properties) {
      plots++;
      for (const [name, sum] of added) addValue(sum, properties[name]);
      for (const [name, sum] of averaged) addWeighted(sum, properties[name], properties['area_ha']);
      for (const [name, sum] of yearly) addYears(sum, properties[name]);
      for (const [name, byValue] of counted) countValue(byValue, properties[name]);
      for (const [name, byValue] of shares) addArea(byValue, properties[name], properties['area_ha']);
      noteDatasets(datasets, properties['datasets']);
    },
    result() {
      const known = Object.fromEntries([...added, ...averaged, ...yearly].map(([name, sum]) => [name, sum.known]));
      return {
        plots,
        ...Object.fromEntries([...added].map(([name, sum]) => [name, sumOf(sum)])),
        ...Object.fromEntries([...yearly].map(([name, sum]) => [name, yearsOf(sum)])),
        ...Object.fromEntries([...averaged].map(([name, sum]) => [name, meanOf(sum)])),
        ...Object.fromEntries(
          [...counted].map(([name, byValue]) => [`${name}_counts`, Object.fromEntries(sorted(byValue))]),
        ),
        ...Object.fromEntries([...shares].map(([name, byValue]) => [`${name}_area_shares`, sharesOf(byValue)])),
        means: Object.fromEntries([...added].map(([name, sum]) => [name, perPlot(sum)])),
        known,
        unknown: Object.fromEntries(Object.entries(known).map(([name, count]) => [name, plots - count])),
        datasets: [...datasets.values()],
      };
    },
  };
}

function createSums(names: readonly string[]): Map<string, Sum> {
  return new Map(names.map((name) => [name, { known: 0, total: 0, weight: 0 }]));
}

function addValue(sum: Sum, value: unknown): void {
  if (typeof value !== 'number') return;
  sum.known++;
  sum.total += Math.round(value * DECIMAL_UNITS);
}

function addWeighted(sum: Sum, value: unknown, area: unknown): void {
  if (typeof value !== 'number' || typeof area !== 'number') return;
  sum.known++;
  sum.total += value * area;
  sum.weight += area;
}

function addYears(sum: { known: number; readonly byYear: Map<string, number> }, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  sum.known++;
  for (const [year, amount] of Object.entries(value as ByYear))
    sum.byYear.set(year, (sum.byYear.get(year) ?? 0) + Math.round(amount * DECIMAL_UNITS));
}

function countValue(byValue: Map<string, number>, value: unknown): void {
  const text = typeof value === 'string' ? value : 'unknown';
  byValue.set(text, (byValue.get(text) ?? 0) + 1);
}

function addArea(byValue: Map<string, number>, value: unknown, area: unknown): void {
  if (typeof area !== 'number') return;
  const text = typeof value === 'string' ? value : 'unknown';
  byValue.set(text, (byValue.get(text) ?? 0) + area);
}

/** Null where no area is known. */
function sharesOf(byValue: ReadonlyMap<string, number>): Readonly<Record<string, number>> | null {
  const all = [...byValue.values()].reduce((sum, area) => sum + area, 0);
  return all === 0 ? null : Object.fromEntries([...sorted(byValue)].map(([text, area]) => [text, rounded(area / all)]));
}

function noteDatasets(datasets: Map<string, DatasetUse>, used: unknown): void {
  if (!Array.isArray(used)) return;
  for (const { role, dataset, version, synthetic } of used as readonly (DatasetUse & { readonly role: string })[])
    datasets.set(`${role} ${dataset} ${version}`, { role, dataset, version, synthetic } as DatasetUse);
}

function sumOf({ known, total }: Sum): number | null {
  return known === 0 ? null : total / DECIMAL_UNITS;
}

function perPlot({ known, total }: Sum): number | null {
  return known === 0 ? null : rounded(total / known / DECIMAL_UNITS);
}

function meanOf({ total, weight }: Sum): number | null {
  return weight === 0 ? null : rounded(total / weight);
}

function yearsOf({ known, byYear }: { known: number; readonly byYear: ReadonlyMap<string, number> }): ByYear | null {
  if (known === 0) return null;
  const years = [...byYear.keys()].sort();
  return Object.fromEntries(years.map((year) => [year, (byYear.get(year) ?? 0) / DECIMAL_UNITS]));
}

function sorted(byValue: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...byValue].sort(([a], [b]) => (a < b ? -1 : 1));
}
