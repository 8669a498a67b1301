import type { LocationWarningCode } from './warnings.ts';

/** Something a reader found wrong or doubtful at one row, in the words of the table of warnings. */
export interface SourceNote {
  readonly code: LocationWarningCode;
  /** Name of the column, or its number from 0 where the names are not known yet. */
  readonly column?: string | number;
  /** The value as it stands in the file. */
  readonly value?: string;
  /** Fills the blanks of the warning's message. */
  readonly blanks?: Readonly<Record<string, string | number>>;
}

/** A row of a spreadsheet before its header is known. */
export interface GridRow {
  /** As the spreadsheet shows it, from 1; in a text file the number of the line it begins on. */
  readonly row: number;
  readonly cells: readonly unknown[];
  readonly notes?: readonly SourceNote[];
}

/** A row whose values have names. */
export interface SourceFeature {
  /** The row of the spreadsheet, else the number of the feature in the file, from 1. */
  readonly row: number;
  readonly id?: string | number;
  /** On WGS84, longitude first; anything JSON can hold, null when the row has none, undefined in a plain table. */
  readonly geometry?: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly notes?: readonly SourceNote[];
}

/** Rows at the end of a table that were left unread, because the worker crashes when it reads on. */
export interface UnreadRows {
  readonly crashes: number;
  /** The last row that was read; null where none was. */
  readonly after: number | null;
}

interface TableOf<K extends string> {
  readonly kind: K;
  /** Name of the sheet or layer; null where the file has one nameless table. */
  readonly name: string | null;
  /** What its rows end before, once they have been gone through; absent or null: they were all read. */
  unread?(): UnreadRows | null;
}

/** Rows of cells: where the header is, the domain finds out. */
export interface GridTable extends TableOf<'grid'> {
  /** Reads from the beginning; may be called more than once. */
  rows(): AsyncIterable<GridRow>;
  /** The same rows by the text of many, which another thread can read; absent where the format has no such texts. */
  parts?(): AsyncIterable<GridPart>;
  /** How many rows stand below a row, in numbers to be added up; throws what `rows` does. Present where `parts` is. */
  count?(after: number): AsyncIterable<number>;
}

/** The text of whole rows that lie next to each other, and how it is read. */
export interface GridPart {
  readonly text: string;
  /** Of the first, counted as in `GridRow`. */
  readonly row: number;
  /** How many there are, empty lines included. */
  readonly rows: number;
  readonly encoding: string;
  readonly delimiter: string;
  /** Null in a text without the end of a line. */
  readonly recordEnd: '\r\n' | '\n' | '\r' | null;
}

/** Rows with names and perhaps geometry. */
export interface FeatureTable extends TableOf<'features'> {
  features(): AsyncIterable<SourceFeature>;
}

export type SourceTable = GridTable | FeatureTable;

/** What a file was found to be. */
export type SourceFormat =
  | 'geojson'
  | 'csv'
  | 'xlsx'
  | 'kml'
  | 'kmz'
  | 'gpx'
  | 'shapefile'
  | 'geopackage'
  | 'geoparquet'
  | 'text'
  | 'pdf';

/** A file that can be read from its beginning more than once. */
export interface SourceFile {
  readonly format: SourceFormat;
  readonly tables: readonly SourceTable[];
  /** What was assumed about the file as a whole, in sentences: encoding, delimiter, coordinate system. */
  readonly remarks: readonly string[];
  /** Names of sheets that were not opened, because the workbook hides them. */
  readonly hidden?: readonly string[];
  close(): Promise<void>;
}
