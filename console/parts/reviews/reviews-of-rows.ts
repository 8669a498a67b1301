export const REVIEW_STATES = ['accepted', 'rejected', 'reviewed', 'open'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** The states that an address names as `rev`; none: all. */
export function readStates(query: Pick<URLSearchParams, 'get'>): readonly ReviewState[] {
  const chosen = (query.get('rev') ?? '').split(',');
  return REVIEW_STATES.filter((state) => chosen.includes(state));
}

export function stateOf(byRow: ReadonlyMap<number, { readonly state: ReviewState }>, row: number): ReviewState {
  return byRow.get(row)?.state ?? 'open';
}

/** The rows in one of the states; all where none is named. */
export function inStates<Row extends { readonly index: number }>(
  rows: readonly Row[],
  states: readonly ReviewState[],
  byRow: ReadonlyMap<number, { readonly state: ReviewState }>,
): readonly Row[] {
  return states.length === 0 ? rows : rows.filter(({ index }) => states.includes(stateOf(byRow, index)));
}
