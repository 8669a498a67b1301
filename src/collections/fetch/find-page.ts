import type { CollectionReader } from '../collection.ts';
import type { Cursor } from './cursor.ts';
import { selectFeatures, type Selection } from './select-features.ts';

/** Where a page ends. */
interface PageEnd {
  /** How many locations are on it. */
  readonly count: number;
  /** The last location of the page where another one follows; null on the last page. */
  readonly next: Cursor | null;
}

/** Reads a page and one location more, without keeping them, to learn whether another page follows. */
export async function findPageEnd(
  reader: Pick<CollectionReader, 'records'>,
  selection: Selection,
  page: { readonly after: Cursor | null; readonly limit: number },
  signal: AbortSignal,
): Promise<PageEnd> {
  let count = 0;
  let last: Cursor | null = null;
  for await (const { at } of selectFeatures(reader, selection, page.after, signal)) {
    if (count === page.limit) return { count, next: last };
    count++;
    last = at;
  }
  return { count, next: null };
}
