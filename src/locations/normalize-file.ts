import { setImmediate } from 'node:timers/promises';
import { Problem } from '../errors.ts';
import { sizeFault } from '../geo/shapes/flat-positions.ts';
import { UNWATCHED, type CrashWatch } from './crash-watch.ts';
import { locateRow, type LocatedRow, type StagedLocation } from './locate-row.ts';
import type { NormalizedLocation } from './normalized.ts';
import type { LocationOptions } from './options.ts';
import { prepareTables, type PreparedTable } from './prepare-tables.ts';
import { readRow } from './read-row.ts';
import type { LocationSources } from './sources.ts';
import { setAside, setRestAside, setUnreadableAside, watchTable } from './set-aside.ts';
import type { SourceFeature, SourceFile, UnreadRows } from './source-table.ts';
import { createLocationSummary, inWorkbook, type LocationSummary } from './summarise-locations.ts';

/** A file whose columns are known; its rows can be gone through more than once. */
export interface PreparedFile {
  readonly tables: readonly PreparedTable[];
  /** Reads every row without looking anything up; how many there are. */
  count(signal: AbortSignal): Promise<number>;
  /** Whether there is no row at all. */
  isEmpty(signal: AbortSignal): Promise<boolean>;
  /** Every row of every table that is read, in order; those before the row `from` (default 0) are passed over unlocated. */
  rows(signal: AbortSignal, from?: number): AsyncGenerator<PreparedRow, void>;
}

interface PreparedRow extends StagedRow {
  readonly table: PreparedTable;
}

/** A row that is normalised and not evaluated yet. */
export interface StagedRow extends StagedLocation {
  /** Its geometry is that of the file and can be used as it is. */
  readonly isSound: boolean;
  /** Why nothing is made of it, as a sentence; null where no worker crashed on it. */
  readonly aside: string | null;
}

export interface LocationRun {
  readonly features: AsyncIterable<NormalizedLocation>;
  readonly aggregate: () => LocationSummary;
}

/** Milliseconds of work after which other events get their turn. */
const SLICE_MS = 5;

/** Reads the beginning of every table and decides how its rows are read. */
export async function prepareFile(
  file: SourceFile,
  options: LocationOptions,
  sources: LocationSources,
  maxFeatures: number,
  signal: AbortSignal = new AbortController().signal,
  watch: CrashWatch = UNWATCHED,
): Promise<PreparedFile> {
  const watched = watch === UNWATCHED ? file.tables : file.tables.map((table, i) => watchTable(table, i, watch));
  const tables = await prepareTables(watched, options, sources, signal);
  refuseUnknownNames(tables, options);
  const yieldToEventLoop = createEventLoopYield();
  async function prepareRow(
    found: FileRow,
    number: number,
    signal: AbortSignal,
  ): Promise<LocatedRow & Pick<StagedRow, 'aside'>> {
    const { table } = found;
    const context = { table, options, sources, signal };
    if ('unread' in found) return await setRestAside(found.unread, context);
    const crashes = watch.crashesOf('normalizing', number);
    if (crashes > 0) return await setUnreadableAside(found.feature, crashes, context);
    watch.beginLocation('normalizing', number);
    const row = readRow(found.feature, table.plan, options, sources);
    const located = await locateRow(row, { plan: table.plan, sheet: table.name, options, sources }, signal);
    watch.begin(null);
    const later = watch.crashesOf('comparing', number) || watch.crashesOf('processing', number);
    return later > 0 ? setAside(located, later) : { ...located, aside: null };
  }
  return {
    tables,
    async count(signal) {
      let count = 0;
      for await (const rows of countRows(tables, maxFeatures)) {
        count += rows;
        await yieldToEventLoop(signal);
      }
      return count;
    },
    async isEmpty(signal) {
      for await (const _ of rowsOf(tables, maxFeatures)) return false;
      signal.throwIfAborted();
      return true;
    },
    async *rows(signal, from = 0) {
      let next = 0;
      for await (const found of rowsOf(tables, maxFeatures)) {
        const number = next++;
        if (number >= from) {
          const { table } = found;
          const ready = await prepareRow(found, number, signal);
          const { location, row, foundCountry, aside } = file.format === 'xlsx' ? withCells(ready, table) : ready;
          const isSound = row.measured?.shape != null && location.geometry === row.geometry;
          yield { location, statedCountry: row.country, foundCountry, isSound, aside, table };
        }
        await yieldToEventLoop(signal);
      }
    },
  };
}

/** The rows of all tables, in order. */
async function* rowsOf(tables: readonly PreparedTable[], maxFeatures: number): AsyncGenerator<FileRow, void> {
  let count = 0;
  for (const table of tables) {
    if (table.skipped !== null) continue;
    for await (const feature of table.features()) {
      if (++count > maxFeatures) throw tooManyRows(maxFeatures);
      const excess = sizeFault(feature.geometry);
      if (excess !== null) throw new Problem('too_large', `The geometry of row ${feature.row} ${excess.words}.`);
      yield { feature, table };
    }
    const unread = table.unread();
    if (unread !== null) yield { unread, table };
  }
}

/** Numbers of rows to be added up. */
async function* countRows(tables: readonly PreparedTable[], maxFeatures: number): AsyncGenerator<number, void> {
  const [table, ...others] = tables;
  if (table === undefined || table.parts === null || table.skipped !== null || others.length > 0) {
    for await (const _ of rowsOf(tables, maxFeatures)) yield 1;
    return;
  }
  let count = 0;
  for await (const rows of table.parts.count()) {
    count += rows;
    if (count > maxFeatures) throw tooManyRows(maxFeatures);
    yield rows;
  }
}

function tooManyRows(most: number): Problem {
  return new Problem('too_large', `The file has too many rows; wanted at most ${most}, got more.`);
}

/** A row of a table, or what stands for the rows that cannot be read. */
type FileRow = { readonly table: PreparedTable } & (
  | { readonly feature: SourceFeature }
  | { readonly unread: UnreadRows }
);

/** The warnings of a row of a workbook name its sheet and cells. */
function withCells<R extends LocatedRow>(located: R, table: PreparedTable): R {
  const { location } = located;
  if (location.properties.warnings.length === 0) return located;
  const warnings = location.properties.warnings.map((warning) => inWorkbook(warning, table));
  return { ...located, location: { ...location, properties: { ...location.properties, warnings } } };
}

/** Lets timers and sockets have their turn once a slice of work is used up. Promises alone never would. */
function createEventLoopYield(): (signal: AbortSignal) => Promise<void> | undefined {
  let since = performance.now();
  return (signal) => {
    if (performance.now() - since < SLICE_MS) return undefined;
    signal.throwIfAborted();
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/** One location for each row, in order, as soon as it is ready. */
export function normalizeRows(
  file: SourceFile,
  prepared: PreparedFile,
  sources: Pick<LocationSources, 'datasets'>,
  signal: AbortSignal,
): LocationRun {
  const summary = createLocationSummary(file, prepared.tables, sources);
  async function* features(): AsyncGenerator<NormalizedLocation, void> {
    for await (const { location, table } of prepared.rows(signal)) {
      summary.add(location, table);
      yield location;
    }
  }
  return { features: features(), aggregate: summary.result };
}

/** A mapping or sheet that names nothing of the file is a mistake, and is reported as one. */
function refuseUnknownNames(tables: readonly PreparedTable[], { mapping, sheets }: LocationOptions): void {
  const columns = new Set(tables.flatMap(({ plan }) => plan.columns.map(({ column }) => column)));
  const strange = Object.keys(mapping).find((column) => !columns.has(column));
  if (strange !== undefined) throw unknownName('mapping', 'column', strange, columns);
  const names = new Set(tables.map(({ name }) => name ?? ''));
  const missing = sheets?.find((name) => !names.has(name));
  if (missing !== undefined) throw unknownName('sheets', 'sheet', missing, names);
}

function unknownName(parameter: string, noun: string, got: string, known: ReadonlySet<string>): Problem {
  const shown = [...known]
    .slice(0, 30)
    .map((name) => JSON.stringify(name.slice(0, 60)))
    .join(', ');
  const choice =
    noun === 'sheet' && (known.size === 0 || known.has(''))
      ? 'nothing, because the file has no named sheets or layers'
      : `a ${noun} of the file (${shown})`;
  const detail = `${parameter}: wanted ${choice}, got ${JSON.stringify(got.slice(0, 60))}.`;
  return new Problem('invalid_body', detail, {
    errors: [{ pointer: `/form/${parameter}`, code: `unknown_${noun}`, detail }],
  });
}
