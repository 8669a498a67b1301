import { codesOf, eachWithCodes } from '../messages/recognised/codes-of.ts';
import type { ColumnFinding } from './columns/detect-columns.ts';
import type { NormalizedLocation } from './normalized.ts';
import type { PreparedTable } from './prepare-tables.ts';
import { type GeocodePrecision, type LocationDataset, type LocationSources, PRECISIONS } from './sources.ts';
import type { SourceFile, SourceFormat } from './source-table.ts';
import { LOCATION_WARNINGS, type LocationWarning, type LocationWarningCode } from './warnings.ts';

/** How one table was read. */
export interface TableMapping {
  /** The sheet or layer; null where the file has one nameless table. */
  readonly name: string | null;
  readonly header_row: number | null;
  /** Why the table was left out; null when it was read. */
  readonly skipped: string | null;
  readonly columns: readonly ColumnFinding[];
}

interface TableSummary extends TableMapping {
  /** Rows read. */
  readonly rows: number;
  /** What `skipped` says, as codes with parameters. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
}

/** Columns without a field that a mapping lists; those with one are all there. */
const MAX_UNUSED_COLUMNS = 500;

/** How the columns of each table are read. */
export function mappingOf(tables: readonly PreparedTable[]): readonly TableMapping[] {
  return tables.map(({ name, headerRow, skipped, plan }) => {
    let unused = 0;
    const columns = plan.columns.filter(({ field }) => field !== null || ++unused <= MAX_UNUSED_COLUMNS);
    return { name, header_row: headerRow, skipped, columns };
  });
}

/** How each table of a file is read, those left out included. */
export function mappingOfFile(
  { hidden = [] }: Pick<SourceFile, 'hidden'>,
  tables: readonly PreparedTable[],
): readonly TableMapping[] {
  const leftOut = hidden.map((name) => ({ name, header_row: null, skipped: 'The sheet is hidden.', columns: [] }));
  return [...mappingOf(tables), ...leftOut];
}

/** The collection's `properties`. */
export interface LocationSummary {
  readonly format: SourceFormat;
  readonly total: number;
  readonly by_type: { readonly facility: number; readonly plot: number };
  readonly by_geometry_source: { readonly input: number; readonly geocoded: number; readonly none: number };
  readonly by_precision: Readonly<Record<GeocodePrecision, number>>;
  /** How many warnings of each code there are. */
  readonly warnings: readonly { readonly code: LocationWarningCode; readonly count: number; readonly fix: string }[];
  readonly tables: readonly TableSummary[];
  /** What was assumed about the file as a whole. */
  readonly remarks: readonly string[];
  /** What the remarks say, as codes with parameters. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
  /** Where countries, geocoded places and what was measured on plots come from. */
  readonly datasets: readonly LocationDataset[];
}

/** What is counted of some locations, to be added up with others. */
export interface LocationTally {
  total: number;
  readonly types: Record<NormalizedLocation['properties']['location_type'], number>;
  readonly geometrySources: Record<NormalizedLocation['properties']['geometry_source'], number>;
  readonly precisions: Record<GeocodePrecision, number>;
  /** In the order in which they came first. */
  readonly warnings: Map<LocationWarningCode, number>;
}

export function emptyTally(): LocationTally {
  return {
    total: 0,
    types: { facility: 0, plot: 0 },
    geometrySources: { input: 0, geocoded: 0, none: 0 },
    precisions: Object.fromEntries(PRECISIONS.map((precision) => [precision, 0])) as LocationTally['precisions'],
    warnings: new Map(),
  };
}

export function addToTally(tally: LocationTally, { properties }: NormalizedLocation): void {
  tally.total++;
  tally.types[properties.location_type]++;
  tally.geometrySources[properties.geometry_source]++;
  if (properties.geocode_precision !== null) tally.precisions[properties.geocode_precision]++;
  for (const { code } of properties.warnings) tally.warnings.set(code, (tally.warnings.get(code) ?? 0) + 1);
}

function mergeTally(into: LocationTally, { total, types, geometrySources, precisions, warnings }: LocationTally): void {
  into.total += total;
  addUp(into.types, types);
  addUp(into.geometrySources, geometrySources);
  addUp(into.precisions, precisions);
  for (const [code, count] of warnings) into.warnings.set(code, (into.warnings.get(code) ?? 0) + count);
}

function addUp<K extends string>(sums: Record<K, number>, more: Readonly<Record<K, number>>): void {
  for (const key in more) sums[key] += more[key];
}

/** Folds locations into the collection's aggregate in memory that does not grow with their number. */
export function createLocationSummary(
  file: Pick<SourceFile, 'format' | 'remarks'>,
  tables: readonly PreparedTable[],
  sources: Pick<LocationSources, 'datasets'>,
) {
  const tally = emptyTally();
  const rows = new Map<PreparedTable, number>();

  return {
    add(location: NormalizedLocation, table: PreparedTable): void {
      addToTally(tally, location);
      rows.set(table, (rows.get(table) ?? 0) + 1);
    },
    merge(part: LocationTally, table: PreparedTable): void {
      mergeTally(tally, part);
      rows.set(table, (rows.get(table) ?? 0) + part.total);
    },
    result(): LocationSummary {
      const remarks = [...file.remarks, ...tables.flatMap(({ remarks, skipped }) => (skipped === null ? remarks : []))];
      return {
        format: file.format,
        total: tally.total,
        by_type: { ...tally.types },
        by_geometry_source: { ...tally.geometrySources },
        by_precision: { ...tally.precisions },
        warnings: [...tally.warnings].map(([code, count]) => ({ code, count, fix: fixFor(code, file.format) })),
        tables: tables.map((table) => ({
          name: table.name,
          header_row: table.headerRow,
          rows: rows.get(table) ?? 0,
          skipped: table.skipped,
          ...codesOf({ skipped: table.skipped }),
          columns: eachWithCodes(table.plan.columns, 'why'),
        })),
        remarks,
        ...codesOf({ remarks }),
        datasets: sources.datasets(),
      };
    },
  };
}

/** Advice that holds for text files and would mislead in a workbook. */
const WORKBOOK_FIXES: Readonly<Partial<Record<LocationWarningCode, string>>> = {
  extra_cells: 'Give the cells beyond the last heading a heading of their own, or clear them.',
  crs_unknown: 'Send crs=EPSG:<code>, or add a column with the UTM zone or the EPSG code.',
  crs_refused: 'Write longitude and latitude on WGS84 (EPSG:4326) in two columns.',
};

/** How to mend what a warning names, for a file of a format. */
function fixFor(code: LocationWarningCode, format: string): string {
  return (format === 'xlsx' ? WORKBOOK_FIXES[code] : undefined) ?? LOCATION_WARNINGS[code].fix;
}

/** The warning in the words of a workbook: sheet and cell in place of row and column, and advice that holds there. */
export function inWorkbook(
  warning: LocationWarning,
  { name, plan }: Pick<PreparedTable, 'name' | 'plan'>,
): LocationWarning {
  const { code, row, column, message } = warning;
  const sheet = name === null ? '' : `Sheet ${JSON.stringify(name)}, `;
  const at = plan.columns.findIndex((known) => known.column === column);
  const place = at < 0 ? `row ${row}` : `cell ${letters(at)}${row}`;
  const whole = sheet + place;
  return {
    ...warning,
    message: message.replace(/^Row \d+/, `${whole[0].toUpperCase()}${whole.slice(1)}`),
    fix: fixFor(code, 'xlsx'),
  };
}

/** The letters of a column of a spreadsheet, counted from 0: A, ..., Z, AA. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
