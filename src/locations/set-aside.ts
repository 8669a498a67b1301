import type { CrashWatch } from './crash-watch.ts';
import { locateRow, type LocatedRow } from './locate-row.ts';
import type { LocationOptions } from './options.ts';
import type { PreparedTable } from './prepare-tables.ts';
import { readRow } from './read-row.ts';
import type { LocationSources } from './sources.ts';
import type { SourceFeature, SourceTable, UnreadRows } from './source-table.ts';
import { byGravity, locationWarning, type LocationWarning } from './warnings.ts';

interface Aside {
  /** Why the row is in the results with nothing but what could be said of it, as a sentence. */
  readonly aside: string;
}

type RowSetAside = LocatedRow & Aside;

/**
 * A row that was normalised, on which the worker crashes later. Its geometry, which is what a worker crashes on as a rule,
 * goes no further: the rows after it and the exports would meet it again.
 */
export function setAside<R extends Pick<LocatedRow, 'location'>>(located: R, crashes: number): R & Aside {
  const { location } = located;
  const { properties } = location;
  const warning = locationWarning('set_aside', { row: properties.source_row }, { crashes });
  return {
    ...located,
    location: {
      ...location,
      geometry: null,
      properties: { ...properties, geometry_source: 'none', warnings: byGravity([warning, ...properties.warnings]) },
    },
    aside: `Set aside: this location ended its worker process ${crashes} times and was not processed.`,
  };
}

/** What a row that stands for nothing but its cells is made with. */
interface BareRowContext {
  readonly table: PreparedTable;
  readonly options: LocationOptions;
  readonly sources: LocationSources;
  readonly signal: AbortSignal;
}

/** A row that crashes the worker while it is normalised: its own columns as they stand, and nothing made of them. */
export async function setUnreadableAside(
  { row, id, properties }: SourceFeature,
  crashes: number,
  context: BareRowContext,
): Promise<RowSetAside> {
  const bare = await bareRow(id === undefined ? { row, properties: {} } : { row, id, properties: {} }, context, []);
  const { location } = bare;
  return setAside(
    { ...bare, location: { ...location, properties: { ...location.properties, source: properties } } },
    crashes,
  );
}

/** One row in place of all rows of a table that cannot be read, because the worker crashes when it reads on. */
export async function setRestAside({ crashes, after }: UnreadRows, context: BareRowContext): Promise<RowSetAside> {
  const row = (after ?? 0) + 1;
  const located = await bareRow({ row, properties: {} }, context, [
    locationWarning('unread_rows', { row }, { crashes }),
  ]);
  const { name } = context.table;
  const table = name === null ? 'the file' : `the sheet or layer ${JSON.stringify(name.slice(0, 60))}`;
  const unread = after === null ? `no row of ${table} was read` : `nothing of ${table} after row ${after} was read`;
  return { ...located, aside: `Set aside: reading on ended the worker process ${crashes} times; ${unread}.` };
}

/** An empty row. It counts as a plot where nothing says what it is, so that exports list it among what they leave out. */
async function bareRow(
  feature: SourceFeature,
  { table: { plan, name }, options, sources, signal }: BareRowContext,
  warnings: readonly LocationWarning[],
): Promise<LocatedRow> {
  const type = options.locationType ?? plan.sheetType ?? 'plot';
  const row = readRow(feature, plan, { ...options, locationType: type }, sources);
  const located = await locateRow(row, { plan, sheet: name, options, sources }, signal);
  const { location } = located;
  return { ...located, location: { ...location, properties: { ...location.properties, warnings } } };
}

/**
 * A table that notes which row is read next, and ends before those on which its reader crashes the worker. Readers read ahead:
 * a row is noted as soon as the one before it has come.
 */
export function watchTable(table: SourceTable, number: number, watch: CrashWatch): SourceTable {
  const stop = watch.unreadFrom(number);
  let unread: UnreadRows | null = null;
  async function* watched<R extends { readonly row: number }>(rows: () => AsyncIterable<R>): AsyncGenerator<R, void> {
    let after: number | null = null;
    let next = 0;
    const isEnd = (): boolean => {
      if (next !== stop?.row) return false;
      unread = { crashes: stop.crashes, after };
      return true;
    };
    const noteNext = (): void => watch.begin(`reading row ${next + 1} of table ${number + 1}`);
    if (isEnd()) return;
    noteNext();
    try {
      for await (const row of rows()) {
        after = row.row;
        next++;
        noteNext();
        yield row;
        if (isEnd()) return;
        // Whoever took the row has noted what it did with it.
        noteNext();
      }
    } finally {
      watch.begin(null);
    }
  }
  return table.kind === 'grid'
    ? { kind: 'grid', name: table.name, rows: () => watched(() => table.rows()), unread: () => unread }
    : { ...table, features: () => watched(() => table.features()), unread: () => unread };
}
