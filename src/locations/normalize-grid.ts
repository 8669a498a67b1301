import type { Header } from './columns/header.ts';
import { locateRow } from './locate-row.ts';
import type { NormalizedLocation } from './normalized.ts';
import type { LocationOptions } from './options.ts';
import type { TablePlan } from './plan-table.ts';
import { asFeature } from './prepare-tables.ts';
import { readRow } from './read-row.ts';
import type { LocationSources } from './sources.ts';
import type { GridRow } from './source-table.ts';

/** How the rows of a grid are read. */
export interface GridReading {
  readonly header: Header;
  readonly plan: TablePlan;
  /** The sheet or layer; null where the file has one nameless table. */
  readonly name: string | null;
  readonly options: LocationOptions;
}

/** Gives one location for each row below the header to `take`, in order, as the file as a whole would. */
export async function normalizeGrid(
  rows: Iterable<GridRow>,
  { header, plan, name, options }: GridReading,
  sources: LocationSources,
  signal: AbortSignal,
  take: (location: NormalizedLocation) => void,
): Promise<void> {
  const context = { plan, sheet: name, options, sources };
  for (const row of rows) {
    if (row.row <= header.row) continue;
    const located = locateRow(readRow(asFeature(row, header), plan, options, sources), context, signal);
    // Waited for only where it has to be: most places are found in memory.
    const { location } = located instanceof Promise ? await located : located;
    take(location);
  }
}
