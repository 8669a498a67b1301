import { ranksOf, type Ranks } from './rank-texts.ts';
import { shownCountry } from './shown-words.ts';

interface Row {
  readonly index: number;
}

/** A heading in a table, with the rows below it. */
export interface RowGroup<R> {
  /** Below 0, so that no row has the same. */
  readonly index: number;
  /** Empty for rows that have none. */
  readonly name: string;
  readonly group: readonly R[];
  /** Whether its rows are left out. */
  readonly isClosed: boolean;
}

export function isGroup<R extends Row>(item: R | RowGroup<R>): item is RowGroup<R> {
  return item.index < 0;
}

/**
 * Rows under a heading for each group, in alphabetical order, those without a name last; each group keeps the order of its rows.
 * Of those whose names are `closed` there is the heading alone. The ranks are those of the names.
 */
export function groupRows<R extends Row>(
  rows: readonly R[],
  nameOf: (row: R) => string,
  closed: ReadonlySet<string> = new Set(),
  ranks?: Ranks,
): readonly (R | RowGroup<R>)[] {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const name = nameOf(row).trim();
    const found = groups.get(name);
    if (found === undefined) groups.set(name, [row]);
    else found.push(row);
  }
  const order = ranks ?? ranksOf(groups.keys());
  const rankOf = (name: string): number => (name === '' ? Infinity : (order.get(name) ?? order.size));
  return [...groups]
    .sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .flatMap(([name, group], i) => {
      const isClosed = closed.has(name);
      return [{ index: -1 - i, name, group, isClosed }, ...(isClosed ? [] : group)];
    });
}

export const GROUPS = ['supplier', 'country'] as const;
export type GroupKey = (typeof GROUPS)[number];

interface GroupedRow {
  readonly supplier: string;
  readonly country: string;
  readonly countryCode: string;
}

/** What rows of a group have in common, as its heading says it. */
export const GROUP_NAMES: Readonly<Record<GroupKey, (row: GroupedRow) => string>> = {
  supplier: ({ supplier }) => supplier,
  country: shownCountry,
};

/** What an address groups by as `group`; null: nothing. */
export function readGroup(query: Pick<URLSearchParams, 'get'>): GroupKey | null {
  return GROUPS.find((key) => key === query.get('group')) ?? null;
}
