import type { CollectionReader } from '../collection.ts';
import { columnNames, columnOf, type ColumnFilter } from './filter.ts';
import type { Selection } from './select-features.ts';
import { COMMON_FIELDS, REVIEW_FIELDS } from './view.ts';

interface ColumnSearch {
  /** Filters whose column no location has. */
  readonly missing: readonly ColumnFilter[];
  /** The columns there are, when some are missing: those a filter can name. */
  readonly known: readonly string[];
}

/** Columns remembered for a suggestion. */
const MAX_KNOWN = 1_000;

/**
 * Looks whether every filter names a column that the answer adds or any location has; reads no further than the first
 * location that answers. A selection without locations has every column.
 */
export async function findColumns(
  reader: Pick<CollectionReader, 'records'>,
  { collections, view, filters }: Selection,
  signal: AbortSignal,
): Promise<ColumnSearch> {
  const computed = new Set<string>([...COMMON_FIELDS, ...view.fields, ...REVIEW_FIELDS]);
  let missing = filters.filter(({ name }) => !computed.has(name));
  if (missing.length === 0) return { missing: [], known: [] };
  const known = new Set(computed);
  let isEmpty = true;
  for (const { collection } of collections) {
    for await (const { feature } of reader.records(collection)) {
      signal.throwIfAborted();
      isEmpty = false;
      missing = missing.filter(({ name }) => columnOf(feature.properties, name) === null);
      if (missing.length === 0) return { missing: [], known: [] };
      if (known.size < MAX_KNOWN) for (const name of columnNames(feature.properties)) known.add(name);
    }
  }
  return { missing: isEmpty ? [] : missing, known: [...known] };
}
