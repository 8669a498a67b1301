import { withOrigin } from '../files/with-origin.ts';

/** Columns by which a row says where it is. */
const PLACE_FIELDS: ReadonlySet<string> = new Set([
  'geometry',
  'latitude',
  'longitude',
  'coordinates',
  'easting',
  'northing',
  'utm_zone',
  'hemisphere',
  'epsg',
  'address',
  'locality',
  'admin1',
  'country',
]);
/** Fields that give a position; without one of them a file has no column where it could be written. */
const POSITION_FIELDS: ReadonlySet<string> = new Set(['geometry', 'latitude', 'coordinates', 'easting']);
/** Warnings of what stands in the file and cannot be read, though an address may have been found in its place. */
const UNREAD: ReadonlySet<string> = new Set([
  'invalid_coordinate',
  'incomplete_coordinates',
  'out_of_range',
  'unreadable_geometry',
  'invalid_geometry',
  'unreadable_record',
  'not_a_feature',
  'crs_unknown',
  'crs_refused',
  'cell_error',
]);

/** A table of the file as the summary of the results has it. */
export interface ReadTable {
  readonly name: string | null;
  readonly columns: readonly { readonly column: string; readonly field: string | null }[];
}

interface UnreadWarning {
  readonly code: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A row whose place cannot be read, with its cells. */
export interface UnreadRow {
  /** Its place among the results. */
  readonly index: number;
  /** As the spreadsheet shows it. */
  readonly row: number;
  readonly name: string;
  readonly commodity: string | null;
  readonly reasons: readonly (UnreadWarning & { readonly fix: string })[];
  readonly cells: Readonly<Record<string, unknown>>;
  /** The columns that say where it is, in the order of the file; made up where the file has none. */
  readonly columns: readonly string[];
}

interface ResultFeature {
  readonly properties: Readonly<Record<string, unknown>> & {
    readonly warnings?: readonly (UnreadWarning & { readonly fix?: string })[];
    readonly source?: Readonly<Record<string, unknown>>;
  };
}

/** What is known of such a row before its cells are read. */
export interface ListedRow {
  readonly index: number;
  readonly name: string;
  readonly commodity: string;
}

/** Whether a result has no place, or not the one that the file means. `warnings` are codes. */
export function isUnread({
  lon,
  warnings,
}: {
  readonly lon: number | null;
  readonly warnings: readonly string[];
}): boolean {
  return lon === null || warnings.some((code) => UNREAD.has(code));
}

export function unreadRow({ properties }: ResultFeature, row: ListedRow, tables: readonly ReadTable[]): UnreadRow {
  const table = tables.find(({ name }) => name === (properties['source_sheet'] ?? null)) ?? tables[0];
  const cells = properties.source ?? {};
  const columns = (table?.columns ?? []).filter(({ field }) => field !== null && PLACE_FIELDS.has(field));
  const hasPosition = columns.some(({ field }) => POSITION_FIELDS.has(field!));
  return {
    index: row.index,
    row: Number(properties['source_row'] ?? row.index + 1),
    name: row.name,
    commodity: row.commodity === '' ? null : row.commodity,
    reasons: reasonsOf(properties.warnings),
    cells,
    columns: [...(hasPosition ? [] : MADE_UP), ...columns.map(({ column }) => column)],
  };
}

/** What cannot be read; where all of it can, what else keeps the row from a place. */
function reasonsOf(warnings: ResultFeature['properties']['warnings'] = []): UnreadRow['reasons'] {
  const unread = unreadReasons(warnings);
  if (unread.length > 0) return unread;
  const others = warnings.filter(({ code }) => code !== 'location_type_guessed' && code !== 'producer_missing');
  return others.slice(0, 1).map(withFix);
}

/** What cannot be read of a row; none where all of it can. That its geometry cannot be used may only follow from it. */
export function unreadReasons(warnings: ResultFeature['properties']['warnings'] = []): UnreadRow['reasons'] {
  const unread = warnings.filter(({ code }) => UNREAD.has(code));
  const cells = unread.filter(({ code }) => code !== 'invalid_geometry');
  return (cells.length > 0 ? cells : unread).map(withFix);
}

function withFix<W extends { readonly fix?: string }>(warning: W): W & { readonly fix: string } {
  return { ...warning, fix: warning.fix ?? '' };
}

/** Warnings without those that say once more of the place what another says of the row, as older versions stored them. */
export function saidOnce<W extends { readonly message: string }>(warnings: readonly W[], row: number): readonly W[] {
  const said = warnings.map(({ message }) => withoutRow(message, row));
  return warnings.filter((_, i) => said.indexOf(said[i]!) === i);
}

/** A message without "Row 7:" or "Row 7," at its beginning, whatever the language: that stands in front of it already. */
export function withoutRow(message: string, row: number): string {
  const rest = message.replace(new RegExp(`^[^\\d:,]{1,12}${row} ?[:,]? `), '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Columns of ours, for rows of files that have none for a position. */
const MADE_UP = ['latitude', 'longitude'] as const;

/** By the place of a row among the results: its columns with other texts. */
export type Corrections = ReadonlyMap<number, Readonly<Record<string, string>>>;

/** The corrected rows as a file, and how its columns are to be read: as those of the whole file were. */
export function correctedFile(
  rows: readonly UnreadRow[],
  corrections: Corrections,
  tables: readonly ReadTable[],
  name: string,
): { readonly file: File; readonly mapping: Readonly<Record<string, string | null>> } {
  const chosen = rows.filter(({ index }) => corrections.has(index));
  const objects = chosen.map(({ index, row, cells }) => ({
    ...withOrigin(cells, name, row),
    ...corrections.get(index),
  }));
  const columns = new Set(objects.flatMap((object) => Object.keys(object)));
  const known = new Map(tables.flatMap((table) => table.columns.map(({ column, field }) => [column, field] as const)));
  const mapping = Object.fromEntries(
    [...columns].map((column) => [
      column,
      known.get(column) ?? (MADE_UP.some((made) => made === column) ? column : null),
    ]),
  );
  const stem = name.replace(/\.[^.]*$/, '');
  return {
    file: new File([JSON.stringify(objects)], `${stem}-corrected.json`, { type: 'application/json' }),
    mapping,
  };
}
