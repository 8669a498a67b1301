import type { SourceFile, SourceTable } from '../../locations/source-table.ts';
import { Problem } from '../../errors.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { countryCode } from '../built-in/country-code.ts';
import { MAX_NAMES, MAX_RECORDS, type RegistryRecord } from './registry.ts';
import { findColumns, missingColumns, type RegistryColumns } from './registry-columns.ts';

export interface RecordsRead {
  readonly records: readonly RegistryRecord[];
  readonly columns: RegistryColumns;
  /** Rows without a name, which cannot be found by one. */
  readonly nameless: number;
  /** Records whose place cannot be used; they are kept without one. The first of them, by number of row. */
  readonly badPlaces: { readonly count: number; readonly firstRow: number | null };
}

export interface ReadOptions {
  /** Columns by header, in place of those found. */
  readonly columns?: Partial<RegistryColumns>;
  readonly onProgress?: (rows: number) => void;
}

interface Row {
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** Undefined in a plain table. */
  readonly geometry: unknown;
}

/** Reads a list of producers from the first table of a file. Throws `Problem('malformed_file' | 'too_large')`. */
export async function readRecords(
  file: SourceFile,
  { columns: chosen = {}, onProgress }: ReadOptions,
  signal: AbortSignal,
): Promise<RecordsRead> {
  const [table] = file.tables;
  if (table === undefined) throw new Problem('malformed_file', 'The file has no table.');
  const records: RegistryRecord[] = [];
  let columns: RegistryColumns | null = null;
  let [nameless, bad, firstBad, rows] = [0, 0, null as number | null, 0];
  for await (const { row, values, geometry } of rowsOf(table)) {
    signal.throwIfAborted();
    onProgress?.(++rows);
    columns ??= columnsOf(Object.keys(values), chosen);
    const names = namesOf(values, columns);
    if (names.length === 0) {
      nameless++;
      continue;
    }
    if (records.length === MAX_RECORDS)
      throw new Problem(
        'too_large',
        `The list has more than ${MAX_RECORDS} producers; split it into several registries.`,
      );
    const at = placeOf(values, geometry, columns);
    if (at === 'bad') {
      bad++;
      firstBad ??= row;
    }
    const id = textOf(columns.id === null ? null : values[columns.id]) ?? `row ${row}`;
    const country = textOf(columns.country === null ? null : values[columns.country]);
    records.push({ id, names, at: at === 'bad' ? null : at, country: country === null ? null : countryCode(country) });
  }
  if (columns === null || records.length === 0)
    throw new Problem('malformed_file', 'Wanted a list with at least one named producer, got none.');
  return { records, columns, nameless, badPlaces: { count: bad, firstRow: firstBad } };
}

async function* rowsOf(table: SourceTable): AsyncGenerator<Row, void> {
  if (table.kind === 'features') {
    for await (const { row, properties, geometry } of table.features()) yield { row, values: properties, geometry };
    return;
  }
  let headers: readonly string[] | null = null;
  for await (const { row, cells } of table.rows()) {
    if (headers === null) headers = cells.map((cell, i) => textOf(cell) ?? `column ${i + 1}`);
    else yield { row, values: Object.fromEntries(headers.map((header, i) => [header, cells[i]])), geometry: undefined };
  }
}

function columnsOf(headers: readonly string[], chosen: Partial<RegistryColumns>): RegistryColumns {
  const missing = missingColumns(headers, chosen);
  if (missing.length > 0)
    throw new Problem('malformed_file', `The list has no column ${missing.join(', ')}; it has ${headers.join(', ')}.`);
  const columns = findColumns(headers, chosen);
  if (columns.names.length === 0)
    throw new Problem(
      'malformed_file',
      `No column was taken for names; say which of ${headers.join(', ')} they are in.`,
    );
  return columns;
}

/** Texts that stand for a name that is not known. */
const NO_NAME = /^(unknown|n\/?a|none|null|not (known|available)|-+|\?+|tbd)$/i;

/** All names of a producer, each once. Several in one cell are parted by semicolons or bars. */
function namesOf(values: Row['values'], { names }: RegistryColumns): readonly string[] {
  const texts = names.flatMap((column) => (textOf(values[column]) ?? '').split(/[;|]/));
  const kept = texts.map((text) => text.trim()).filter((text) => text !== '' && !NO_NAME.test(text));
  return [...new Set(kept)].slice(0, MAX_NAMES);
}

function placeOf(
  values: Row['values'],
  geometry: unknown,
  { lon, lat }: RegistryColumns,
): RegistryRecord['at'] | 'bad' {
  if (geometry !== undefined && geometry !== null) {
    const { shape } = toShape(geometry);
    return shape === null ? 'bad' : shape.inside;
  }
  if (lon === null || lat === null) return null;
  const [x, y] = [textOf(values[lon]), textOf(values[lat])];
  if (x === null && y === null) return null;
  const at = [numberOf(x), numberOf(y)] as const;
  // Nobody produces at 0, 0; it stands for a place that is not known.
  const isPlace = Math.abs(at[0]) <= 180 && Math.abs(at[1]) <= 90 && (at[0] !== 0 || at[1] !== 0);
  return isPlace ? at : 'bad';
}

function numberOf(text: string | null): number {
  return text === null || text === '' ? Number.NaN : Number(text.replace(/^([+-]?\d+),(\d+)$/, '$1.$2'));
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}
