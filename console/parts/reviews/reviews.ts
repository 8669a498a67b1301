import { signal, type ReadonlySignal } from '@preact/signals';
import { call, type Answer } from '../../api/client.ts';
import type { ReviewState } from './reviews-of-rows.ts';

export type Review = Omit<Answer<'listReviews'>['reviews'][number], 'row'>;

/** What people decided of the rows of a collection or task, as it is read and added to. */
export interface Reviews {
  /** Id of the collection or task. */
  readonly id: string;
  /** By the place of the row; nobody has decided of a row that is not in it. */
  readonly byRow: ReadonlySignal<ReadonlyMap<number, Review>>;
  /** Why they could not be read; null where they could. */
  readonly error: ReadonlySignal<unknown>;
  /** Adds a review to each of the rows. */
  record(rows: readonly number[], state: ReviewState, note: string): Promise<void>;
  close(): void;
}

/** Rows of one request, and reviews of a page. */
const AT_ONCE = 10_000;

/** Reads the newest review of each row. */
export function openReviews(id: string): Reviews {
  const byRow = signal<ReadonlyMap<number, Review>>(new Map());
  const error = signal<unknown>(null);
  const abort = new AbortController();

  async function read(): Promise<void> {
    for (let after: number | null = null; ;) {
      const query: { limit: number; after?: number } = { limit: AT_ONCE, ...(after !== null && { after }) };
      const page: Answer<'listReviews'> = await call('listReviews', { path: { id }, query, signal: abort.signal });
      // What was recorded meanwhile is newer.
      const found = page.reviews.map(({ row, ...review }) => [row, review] as const);
      byRow.value = new Map([...found, ...byRow.value]);
      after = page.next;
      if (after === null) return;
    }
  }
  read().catch((reason: unknown) => {
    if (!abort.signal.aborted) error.value = reason;
  });

  return {
    id,
    byRow,
    error,
    async record(rows, state, note) {
      for (let from = 0; from < rows.length; from += AT_ONCE) {
        const part = rows.slice(from, from + AT_ONCE);
        const { by, at } = await call('recordReview', { path: { id }, body: { rows: [...part], state, note } });
        const review: Review = { state, note, by, at, of_earlier_run: false };
        const next = new Map(byRow.value);
        for (const row of part) next.set(row, review);
        byRow.value = next;
      }
    },
    close: () => abort.abort(new Error('the rows are no longer shown')),
  };
}
