import type { SourceFeature } from './source-table.ts';

/** What of a table is compared. */
interface ComparedTable {
  readonly skipped: string | null;
  readonly plan: { readonly columns: readonly { readonly column: string }[] };
  features(): AsyncIterable<SourceFeature>;
}

/**
 * Finds tables that hold the same rows in the same order as one before them. Reads both side by side and stops at the
 * first difference, so that only equal tables are read to their end.
 */
export async function findEqualTables<T extends ComparedTable>(
  tables: readonly T[],
  signal: AbortSignal,
): Promise<ReadonlyMap<T, T>> {
  const equal = new Map<T, T>();
  const different: T[] = [];
  for (const table of tables) {
    if (table.skipped !== null) continue;
    for (const other of different) {
      if (!(await areEqual(table, other, signal))) continue;
      equal.set(table, other);
      break;
    }
    if (!equal.has(table)) different.push(table);
  }
  return equal;
}

async function areEqual(a: ComparedTable, b: ComparedTable, signal: AbortSignal): Promise<boolean> {
  const headings = ({ plan }: ComparedTable): string => JSON.stringify(plan.columns.map(({ column }) => column));
  if (headings(a) !== headings(b)) return false;
  const rows = b.features()[Symbol.asyncIterator]();
  try {
    let count = 0;
    for await (const row of a.features()) {
      signal.throwIfAborted();
      const next = await rows.next();
      if (next.done === true || contentOf(row) !== contentOf(next.value)) return false;
      count++;
    }
    return count > 0 && (await rows.next()).done === true;
  } finally {
    await rows.return?.();
  }
}

function contentOf({ properties, geometry }: SourceFeature): string {
  return JSON.stringify([properties, geometry ?? null]);
}
