import { ranksOf, sortByRank, type Ranks } from '../../../parts/table/rank-texts.ts';
import { hasWords, shownCommodity, shownCountry } from '../../../parts/table/shown-words.ts';
import type { PlotRow } from './plot-row.ts';
import { GROUPS, type Group } from './groups.ts';
import { RESULTS } from './result-status.ts';

/** Which locations are shown, and in which order; as it stands in the address. */
export interface PlotSelection {
  /** Empty: all. */
  readonly groups: readonly Group[];
  /** A doubt that rows have to have; null: any. */
  readonly why: string | null;
  readonly text: string;
  readonly sort: PlotSort;
  readonly descending: boolean;
}

const PLOT_SORTS = ['index', 'result', 'name', 'country', 'commodity', 'area', 'lost', 'confidence'] as const;
type PlotSort = (typeof PLOT_SORTS)[number];

/** Reads the selection out of an address; what it does not understand is left out. */
export function readPlotSelection(query: Pick<URLSearchParams, 'get'>): PlotSelection {
  const [sort, direction] = (query.get('sort') ?? '').split(':');
  const chosen = (query.get('res') ?? '').split(',');
  return {
    groups: GROUPS.filter((group) => chosen.includes(group)),
    why: query.get('why'),
    text: query.get('q') ?? '',
    sort: PLOT_SORTS.find((key) => key === sort) ?? 'index',
    descending: direction === 'desc',
  };
}

/** Takes all filters out of the address. */
export const NO_PLOT_FILTER = { res: null, why: null, rev: null, q: null } as const;

/** The rows that fit a selection, in the order of the file. */
export function filterPlots(
  rows: readonly PlotRow[],
  { groups, why, text }: Omit<PlotSelection, 'sort' | 'descending'>,
): readonly PlotRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (groups.length === 0 && why === null && words.length === 0) return rows;
  return rows.filter(
    (row) =>
      (groups.length === 0 || (row.group !== null && groups.includes(row.group))) &&
      (why === null || row.doubts.includes(why)) &&
      hasWords(row, row.searched, words),
  );
}

/** The text that rows are sorted by; null where that is none. */
export function sortedText({ sort }: Pick<PlotSelection, 'sort'>): ((row: PlotRow) => string) | null {
  return sort === 'name' || sort === 'country' || sort === 'commodity' ? TEXTS[sort] : null;
}

/**
 * The same rows in the order of a selection; equal ones stay in the order of the file, and unknown numbers come last. The ranks
 * are those of the text that rows are sorted by.
 */
export function sortPlots(
  rows: readonly PlotRow[],
  { sort, descending }: Pick<PlotSelection, 'sort' | 'descending'>,
  ranks?: Ranks,
): readonly PlotRow[] {
  if (sort === 'index' && !descending) return rows;
  if (sort === 'name' || sort === 'country' || sort === 'commodity') {
    const text = TEXTS[sort];
    return sortByRank(rows, text, ranks ?? ranksOf(rows.map(text)), descending);
  }
  const sign = descending ? -1 : 1;
  if (sort === 'area' || sort === 'lost') {
    const key = sort === 'area' ? 'areaHa' : 'lostHa';
    return rows.toSorted((a, b) => {
      const [first, second] = [a[key], b[key]];
      if (first === null || second === null)
        return Number(first === null) - Number(second === null) || a.index - b.index;
      return sign * (first - second) || a.index - b.index;
    });
  }
  const compare = COMPARE[sort];
  return rows.toSorted((a, b) => sign * compare(a, b) || a.index - b.index);
}

/** By group, and in a group by what one map says. */
const rank = ({ group, result }: PlotRow): number =>
  (group === null ? GROUPS.length : GROUPS.indexOf(group)) * 10 +
  (result === null ? RESULTS.length : RESULTS.indexOf(result));
/** What was not processed after all levels, nothing known last. */
const TRUST: readonly (string | null)[] = ['high', 'medium', 'low', 'invalid'];
const trust = ({ confidence }: PlotRow): number => {
  const at = TRUST.indexOf(confidence);
  return at >= 0 ? at : TRUST.length + Number(confidence === null);
};

const TEXTS = {
  name: ({ name }: PlotRow) => name,
  country: shownCountry,
  commodity: shownCommodity,
} as const;

const COMPARE = {
  index: (a, b) => a.index - b.index,
  result: (a, b) => rank(a) - rank(b),
  confidence: (a, b) => trust(a) - trust(b),
} as const satisfies Record<
  Exclude<PlotSort, 'area' | 'lost' | keyof typeof TEXTS>,
  (a: PlotRow, b: PlotRow) => number
>;
