import { ranksOf, sortByRank, type Ranks } from '../../parts/table/rank-texts.ts';
import { hasWords, shownCommodity, shownCountry } from '../../parts/table/shown-words.ts';
import {
  groupOf,
  INDICATORS,
  LEVELS,
  ROW_GROUPS,
  STATUSES,
  type Indicator,
  type ResultRow,
  type RowGroup,
  type Status,
} from './result-row.ts';

/** What of the results is shown, and in which order; as it stands in the address. */
export interface Selection {
  /** Empty: all. */
  readonly levels: readonly RowGroup[];
  readonly indicator: Indicator | null;
  readonly status: Status | null;
  /** Code of a warning. */
  readonly warning: string | null;
  readonly text: string;
  readonly sort: SortKey;
  readonly descending: boolean;
}

const SORT_KEYS = ['index', 'level', 'score', 'name', 'country', 'commodity', 'warnings'] as const;
type SortKey = (typeof SORT_KEYS)[number];

/** Reads the selection out of an address; what it does not understand is left out. */
export function readSelection(query: Pick<URLSearchParams, 'get'>): Selection {
  const [indicator, status] = (query.get('ind') ?? '').split(':');
  const [sort, direction] = (query.get('sort') ?? '').split(':');
  const chosen = (query.get('level') ?? '').split(',');
  return {
    levels: ROW_GROUPS.filter((group) => chosen.includes(group)),
    indicator: INDICATORS.find((name) => name === indicator) ?? null,
    status: STATUSES.find((name) => name === status) ?? null,
    warning: query.get('warn'),
    text: query.get('q') ?? '',
    sort: SORT_KEYS.find((key) => key === sort) ?? 'index',
    descending: direction === 'desc',
  };
}

/** Takes all filters out of the address. */
export const NO_FILTER = { level: null, ind: null, warn: null, rev: null, q: null } as const;
/** Takes everything out of the address that belongs to the results of one task. */
export const NO_RESULTS = {
  ...NO_FILTER,
  task: null,
  group: null,
  circles: null,
  sel: null,
  sort: null,
  map: null,
  show: null,
} as const;

/** The rows that fit a selection, in the order of the file. */
export function filterRows(
  rows: readonly ResultRow[],
  { levels, indicator, status, warning, text }: Omit<Selection, 'sort' | 'descending'>,
): readonly ResultRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  // Without a filter nothing is to be looked at, which the page does each time that it has read more.
  if (levels.length === 0 && indicator === null && warning === null && words.length === 0) return rows;
  const at = indicator === null ? -1 : INDICATORS.indexOf(indicator);
  return rows.filter(
    (row) =>
      (levels.length === 0 || levels.includes(groupOf(row))) &&
      (at < 0 || status === null || row.indicators[at] === status[0]) &&
      (warning === null || row.warnings.includes(warning)) &&
      hasWords(row, searched(row), words),
  );
}

/** The text that rows are sorted by; null where that is none. */
export function sortedText({ sort }: Pick<Selection, 'sort'>): ((row: ResultRow) => string) | null {
  return sort === 'name' || sort === 'country' || sort === 'commodity' ? TEXTS[sort] : null;
}

/**
 * The same rows in the order of a selection; equal ones stay in the order of the file. The ranks are those of the text that
 * rows are sorted by.
 */
export function sortRows(
  rows: readonly ResultRow[],
  { sort, descending }: Pick<Selection, 'sort' | 'descending'>,
  ranks?: Ranks,
): readonly ResultRow[] {
  if (sort === 'index' && !descending) return rows;
  if (sort === 'name' || sort === 'country' || sort === 'commodity') {
    const text = TEXTS[sort];
    return sortByRank(rows, text, ranks ?? ranksOf(rows.map(text)), descending);
  }
  const sign = descending ? -1 : 1;
  const compare = COMPARE[sort];
  return [...rows].sort((a, b) => sign * compare(a, b) || a.index - b.index);
}

/** What is searched of each row, made with the first key and dropped with the row. */
const searchedOf = new WeakMap<ResultRow, string>();

function searched(row: ResultRow): string {
  let text = searchedOf.get(row);
  if (text === undefined) {
    const { name, id, supplier, country, commodity } = row;
    text = `${name} ${id} ${supplier} ${country} ${commodity}`.toLowerCase();
    searchedOf.set(row, text);
  }
  return text;
}

/** Best first; rows without a level last. */
const rank = ({ level }: ResultRow): number => (level === null ? LEVELS.length : LEVELS.indexOf(level));

const TEXTS = {
  name: ({ name }: ResultRow) => name,
  country: shownCountry,
  commodity: shownCommodity,
} as const;

const COMPARE = {
  index: (a, b) => a.index - b.index,
  level: (a, b) => rank(a) - rank(b),
  score: (a, b) => (a.score ?? -1) - (b.score ?? -1),
  warnings: (a, b) => a.warnings.length - b.warnings.length,
} as const satisfies Record<Exclude<SortKey, keyof typeof TEXTS>, (a: ResultRow, b: ResultRow) => number>;
