import { findHeader, type Header, HEADER_ROWS, uniqueNames } from './columns/header.ts';
import { columnQuestion, usableProposals } from './columns/column-question.ts';
import { Problem } from '../errors.ts';
import type { LocationOptions } from './options.ts';
import { planTable, sampleColumns, type TablePlan } from './plan-table.ts';
import type { ColumnSources } from './sources.ts';
import type {
  GridPart,
  GridRow,
  GridTable,
  SourceFeature,
  SourceNote,
  SourceTable,
  UnreadRows,
} from './source-table.ts';

/** A table with the way its rows are read, or the reason why it is left out. */
export interface PreparedTable {
  readonly name: string | null;
  /** Row of the header in a spreadsheet; null where names come with the rows. */
  readonly headerRow: number | null;
  readonly plan: TablePlan;
  /** Null: its rows are read. */
  readonly skipped: string | null;
  /** What was assumed about its columns, in sentences. */
  readonly remarks: readonly string[];
  features(): AsyncIterable<SourceFeature>;
  /** The same rows unread, for other threads; null where they are read one by one. */
  readonly parts: PreparedParts | null;
  /** What its rows end before, once they have been gone through; null: they were all read. */
  unread(): UnreadRows | null;
}

interface PreparedParts {
  readonly header: Header;
  cut(): AsyncIterable<GridPart>;
  /** How many rows there are below the header, in numbers to be added up. */
  count(): AsyncIterable<number>;
}

/** Rows at the beginning of a table by which it is understood, and how much of them is held at most. */
const SAMPLE_ROWS = 300;
const SAMPLE_WEIGHT = 2_000_000;

const NO_HEADINGS =
  'The table has no headings, so its columns are called column_1 and so on. Say what they hold with `mapping`, or add a row of headings.';

/** Finds headers and columns of every table and decides which of them hold locations. */
export async function prepareTables(
  tables: readonly SourceTable[],
  options: LocationOptions,
  words: ColumnSources,
  signal: AbortSignal,
): Promise<PreparedTable[]> {
  const prepared: PreparedTable[] = [];
  for (const table of tables) prepared.push(await prepare(table, options, words, signal));
  if (prepared.length === 1) return prepared;
  const strongest = Math.max(...prepared.map(({ plan }) => plan.strength));
  const chosen = prepared.map((table) => ({ ...table, skipped: reasonToSkip(table, strongest, options) }));
  const equal = await findEqualTables(chosen, signal);
  return chosen.map((table) => {
    const other = equal.get(table);
    return other === undefined ? table : asEqual(table, other, options);
  });
}

/** A table that repeats another is read only where it was requested by name, and in any case said to repeat it. */
function asEqual(table: PreparedTable, other: PreparedTable, { sheets }: LocationOptions): PreparedTable {
  const [name, first] = [table.name ?? '', other.name ?? ''].map((text) => JSON.stringify(text.slice(0, 60)));
  if (sheets !== null)
    return { ...table, remarks: [...table.remarks, `The sheets ${first} and ${name} hold the same rows.`] };
  return {
    ...table,
    skipped: `It holds the same rows as the sheet ${first}, which is read; name both in \`sheets\` to have them read twice.`,
  };
}

function reasonToSkip({ name, plan }: PreparedTable, strongest: number, { sheets }: LocationOptions): string | null {
  if (sheets !== null) return sheets.includes(name ?? '') ? null : 'It was not requested.';
  if (plan.strength === 0) return 'No column of it says where anything is.';
  return plan.strength < 2 && strongest >= 2
    ? 'It names countries alone, and other sheets hold places; name it in the request to have it read.'
    : null;
}

async function prepare(
  table: SourceTable,
  options: LocationOptions,
  words: ColumnSources,
  signal: AbortSignal,
): Promise<PreparedTable> {
  if (table.kind === 'grid') return await prepareGrid(table, options, words, signal);
  const sample = await firstOf(table.features(), SAMPLE_ROWS);
  const columns = new Set(sample.flatMap(({ properties }) => Object.keys(properties)));
  return {
    name: table.name,
    headerRow: null,
    ...(await planColumns(table.name, sample, [...columns], options, words, signal)),
    skipped: null,
    features: () => table.features(),
    parts: null,
    unread: () => table.unread?.() ?? null,
  };
}

async function prepareGrid(
  table: GridTable,
  options: LocationOptions,
  words: ColumnSources,
  signal: AbortSignal,
): Promise<PreparedTable> {
  const rows = await firstOf(table.rows(), SAMPLE_ROWS + HEADER_ROWS);
  const header = findHeader(rows);
  const sample = rows.filter(({ row }) => row > header.row).map((row) => asFeature(row, header));
  const { plan, remarks } = await planColumns(table.name, sample, header.names, options, words, signal);
  return {
    name: table.name,
    headerRow: header.row,
    plan,
    remarks: header.row === 0 && header.names.length > 1 ? [NO_HEADINGS, ...remarks] : remarks,
    skipped: null,
    features: () => namedRows(table, header),
    parts: partsOf(table, header),
    unread: () => table.unread?.() ?? null,
  };
}

function partsOf({ parts, count }: GridTable, header: Header): PreparedParts | null {
  return parts === undefined || count === undefined ? null : { header, cut: parts, count: () => count(header.row) };
}

/** Plans by the rules, and once more where a language model proposes fields for columns the rules could not place. */
async function planColumns(
  name: string | null,
  sample: readonly SourceFeature[],
  columns: readonly string[],
  options: LocationOptions,
  words: ColumnSources,
  signal: AbortSignal,
): Promise<Pick<PreparedTable, 'plan' | 'remarks'>> {
  const plan = planTable(name, sample, columns, options, words);
  if (words.proposeColumns === undefined) return { plan, remarks: [] };
  const question = columnQuestion(name, sampleColumns(sample, columns), plan.columns, options.mapping);
  if (question === null) return { plan, remarks: [] };
  try {
    const proposals = usableProposals(await words.proposeColumns(question, signal), question);
    if (proposals.size === 0) return { plan, remarks: [] };
    return { plan: planTable(name, sample, columns, options, words, proposals), remarks: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Problem ? error.message : 'The language model that proposes columns failed.';
    return { plan, remarks: [`${reason} Columns were found by the rules alone.`] };
  }
}

/** Rows above the header are titles. */
async function* namedRows(table: GridTable, header: Header): AsyncGenerator<SourceFeature, void> {
  for await (const row of table.rows()) if (row.row > header.row) yield asFeature(row, header);
}

/** A row below the header with the names of its cells. */
export function asFeature({ row, cells, notes }: GridRow, { names }: Header): SourceFeature {
  const properties: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i++) properties[names[i]] = cells[i] ?? null;
  if (notes === undefined && cells.length <= names.length) return { row, properties };
  const named: SourceNote[] = (notes ?? []).map((note) =>
    typeof note.column === 'number' ? { ...note, column: names[note.column] ?? `column_${note.column + 1}` } : note,
  );
  const beyond = cells.slice(names.length);
  if (beyond.some((cell) => cell !== null && cell !== '')) {
    const more = uniqueNames(beyond.map((_, i) => `column_${names.length + i + 1}`));
    for (const [i, name] of more.entries()) properties[name] = beyond[i] ?? null;
    named.push({ code: 'extra_cells', blanks: { got: cells.length, wanted: names.length, from: names.length + 1 } });
  }
  return named.length === 0 ? { row, properties } : { row, properties, notes: named };
}

/** At most `count` items, and fewer where they are large; always one. */
async function firstOf<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  let weight = 0;
  for await (const item of items) {
    found.push(item);
    weight += weightOf(item, SAMPLE_WEIGHT - weight);
    if (found.length === count || weight >= SAMPLE_WEIGHT) break;
  }
  return found;
}

/** Characters of texts and number of other values, as far as `most`. */
function weightOf(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = 1;
  for (const name in value) {
    weight += weightOf((value as Readonly<Record<string, unknown>>)[name], most - weight);
    if (weight >= most) break;
  }
  return weight;
}

/** What of a table is compared. */
interface ComparedTable {
  readonly skipped: string | null;
  readonly plan: { readonly columns: readonly { readonly column: string }[] };
  features(): AsyncIterable<SourceFeature>;
  unread(): UnreadRows | null;
}

/**
 * Finds tables that hold the same rows in the same order as one before them. Reads both side by side and stops at the
 * first difference, so that only equal tables are read to their end.
 */
async function findEqualTables<T extends ComparedTable>(
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
    const isWhole = (await rows.next()).done === true && a.unread() === null && b.unread() === null;
    return count > 0 && isWhole;
  } finally {
    await rows.return?.();
  }
}

function contentOf({ properties, geometry }: SourceFeature): string {
  return JSON.stringify([properties, geometry ?? null]);
}
