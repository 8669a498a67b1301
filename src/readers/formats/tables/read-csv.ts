import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import type { GridPart, GridRow, GridTable, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { CsvFault, nextRecord, restOfText, skipRecord, startOfText, type CsvCursor } from './csv-records.ts';
import { delimiterName, findCsvDialect, NO_DELIMITER, type CsvDialect } from './csv-dialect.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { findTextEncoding, type TextEncodingFound } from './text-encoding.ts';

const SAMPLE_BYTES = 1 << 17;
const CHUNK_BYTES = 1 << 17;
/** A part of 600 short rows becomes about 600 kB of locations. */
const PART_CHARACTERS = 1 << 15;
const REPLACEMENT = '\uFFFD';

/** A text file as a table: encoding and delimiter are found out; null when it is no table. Rows are streamed. */
export async function openCsv(path: string): Promise<SourceFile | null> {
  const found = await findTextEncoding(path);
  const { text, isWhole } = await sampleOf(path, found.encoding);
  if (text.trim() === '') throw malformed('empty', 'wanted a table, got a file without text');
  const dialect = findCsvDialect(text, isWhole);
  if (dialect === null) return null;
  const divided =
    dialect.delimiter === NO_DELIMITER
      ? 'each line is a geometry'
      : `columns are divided by a ${delimiterName(dialect.delimiter)}`;
  return {
    format: 'csv',
    tables: [tableOf(path, found, dialect)],
    remarks: [`The text was read as ${found.encoding}, because ${found.because}; ${divided}.`],
    close: () => Promise.resolve(),
  };
}

async function sampleOf(path: string, encoding: string): Promise<{ text: string; isWhole: boolean }> {
  await using file = await open(path);
  const buffer = Buffer.alloc(SAMPLE_BYTES);
  const { bytesRead } = await file.read(buffer, 0, SAMPLE_BYTES, 0);
  const text = new TextDecoder(encoding).decode(buffer.subarray(0, bytesRead), { stream: true });
  return { text, isWhole: bytesRead < SAMPLE_BYTES };
}

function tableOf(path: string, found: TextEncodingFound, dialect: CsvDialect): GridTable {
  const name = { kind: 'grid', name: null } as const;
  // Any character can be stated as the delimiter, also one that ends lines or cells.
  if (!PLAIN_DELIMITER.test(dialect.delimiter)) return { ...name, rows: () => parseRows(path, found, dialect) };
  return {
    ...name,
    rows: () => readRows(path, found, dialect),
    parts: () => cutParts(path, found, dialect, PART_CHARACTERS),
    count: (after) => countRows(path, found, dialect, after),
  };
}

const PLAIN_DELIMITER = /^[,;\t|]$/;

async function* readRows(path: string, found: TextEncodingFound, dialect: CsvDialect): AsyncGenerator<GridRow, void> {
  for await (const part of cutParts(path, found, dialect, CHUNK_BYTES))
    for (const { row, cells } of recordsOf(part))
      if (row > dialect.skipLines) yield toRow(cells.map(ownText), row, found.encoding);
}

/** The text of a part of the file, of which a large one would otherwise be kept in memory for a short cell. */
function ownText(cell: string): string {
  return cell.length < SLICED_FROM ? cell : `_${cell}`.slice(1);
}

/** V8 copies shorter substrings; longer ones refer to the text that they are cut from. */
const SLICED_FROM = 13;

/** The rows of a part, the first of which may stand above the header. One after the other, so that few of them are in memory. */
export function* readGridPart(part: GridPart): Generator<GridRow, void> {
  for (const { row, cells } of recordsOf(part)) yield toRow(cells, row, part.encoding);
}

function* recordsOf({
  text,
  row,
  delimiter,
  recordEnd,
}: GridPart): Generator<{ readonly row: number; readonly cells: string[] }, void> {
  const cursor = startOfText(row - 1, recordEnd);
  for (let cells; (cells = nextRecord(text, cursor, delimiter, true)) !== null;) yield { row: cursor.row, cells };
}

/** The numbers of rows below the row `after`, to be added up. */
async function* countRows(
  path: string,
  found: TextEncodingFound,
  dialect: CsvDialect,
  after: number,
): AsyncGenerator<number, void> {
  const first = Math.max(after, dialect.skipLines);
  for await (const part of cutParts(path, found, dialect, CHUNK_BYTES)) {
    // Only of a record with as many characters can there be too many cells.
    const isPlain = part.row > first && part.longest <= FILE_LIMITS.columns;
    yield isPlain
      ? part.records
      : Iterator.from(readGridPart(part)).reduce((sum, { row }) => sum + (row > first ? 1 : 0), 0);
  }
}

interface CutPart extends GridPart {
  /** Rows that are not empty lines. */
  readonly records: number;
  /** Characters of the longest, or more. */
  readonly longest: number;
}

/**
 * The file in texts of whole records, of about so many characters.
 * @throws Problem for a text that breaks the rules, in the words of the parser, which counts lines and is read again for them
 */
async function* cutParts(
  path: string,
  { encoding }: TextEncodingFound,
  dialect: CsvDialect,
  size: number,
): AsyncGenerator<CutPart, void> {
  const { delimiter } = dialect;
  const cursor = startOfText(0, null);
  let held = '';
  const cut = (isEnd: boolean): CutPart => {
    const { row } = cursor;
    const { records, longest } = passRecords(held, cursor, delimiter, isEnd);
    const text = held.slice(0, cursor.at);
    held = restOfText(held, cursor);
    if (held.length > FILE_LIMITS.recordCharacters) throw tooLong();
    const { recordEnd } = cursor;
    return { text, row: row + 1, rows: cursor.row - row, encoding, delimiter, recordEnd, records, longest };
  };
  try {
    for await (const text of decode(path, encoding)) {
      for (let at = 0; at < text.length; at += size) {
        held += text.slice(at, at + size);
        yield cut(false);
        if (cursor.begun >= FILE_LIMITS.columns) throw tooManyCells(cursor.row + 1, 'more');
      }
    }
    yield cut(true);
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    for await (const _ of parseRows(path, { encoding, because: '' }, dialect)) continue;
    throw malformed(
      'invalid_csv',
      `wanted a table of delimited values, got a text that breaks it: ${error.message}`,
      error,
    );
  }
}

/** Moves past the whole records of a text. */
function passRecords(
  text: string,
  cursor: CsvCursor,
  delimiter: string,
  isEnd: boolean,
): Pick<CutPart, 'records' | 'longest'> {
  const { recordCharacters } = FILE_LIMITS;
  let [records, longest] = [0, 0];
  for (let { at } = cursor; ; at = cursor.at) {
    // The text of a record has more characters than its cells: quotation marks, delimiters.
    if (text.length > recordCharacters) {
      const cells = nextRecord(text, cursor, delimiter, isEnd);
      if (cells === null) break;
      if (cells.reduce((sum, cell) => sum + cell.length, 0) > recordCharacters) throw tooLong();
    } else if (!skipRecord(text, cursor, delimiter, isEnd)) break;
    records++;
    longest = Math.max(longest, cursor.at - at);
  }
  return { records, longest };
}

function tooLong(): CsvFault {
  return new CsvFault('a record is too long');
}

/** The same with the parser, which takes any delimiter and says in which line the text breaks the rules. */
async function* parseRows(
  path: string,
  { encoding }: TextEncodingFound,
  dialect: CsvDialect,
): AsyncGenerator<GridRow, void> {
  const parser = parse({
    delimiter: dialect.delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    from_line: dialect.skipLines + 1,
    info: true,
    max_record_size: FILE_LIMITS.recordCharacters,
  });
  // What ends the text early ends the parser, and is thrown where its rows are read.
  pipeline(Readable.from(boundedText(), { objectMode: false, encoding: 'utf8' }), parser, () => {});
  /** Looks at the record in the making between two pieces of the text: one without an end would fill the memory. */
  async function* boundedText(): AsyncGenerator<string, void> {
    for await (const text of decode(path, encoding)) {
      yield text;
      const { record } = (parser as unknown as { readonly state: { readonly record: readonly string[] } }).state;
      if (record.length > FILE_LIMITS.columns) throw tooManyCells(rowOf(parser.info, dialect) + 1, 'more');
    }
  }
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      yield toRow(record, rowOf(info, dialect), encoding);
    }
  } catch (error) {
    throw error instanceof CsvError ? csvProblem(error) : error;
  }
}

function tooManyCells(row: number, got: string): Error {
  return tooLarge(
    `Row ${row} has too many cells; wanted at most ${FILE_LIMITS.columns} (file_columns in /limits), got ${got}.`,
  );
}

/** As a spreadsheet numbers it: a record over several lines is one row, an empty line is one too. */
function rowOf({ records, empty_lines: empty }: Info, { skipLines }: CsvDialect): number {
  return records + empty + skipLines;
}

function toRow(record: readonly string[], row: number, encoding: string): GridRow {
  if (record.length > FILE_LIMITS.columns) throw tooManyCells(row, String(record.length));
  const notes: SourceNote[] = [];
  const cells: (string | null)[] = [];
  for (let column = 0; column < record.length; column++) {
    const cell = record[column];
    cells.push(cell === '' ? null : cell);
    if (cell === '') continue;
    if (cell.includes(REPLACEMENT)) notes.push({ code: 'undecodable_text', column, value: cell, blanks: { encoding } });
    if (isFormula(cell))
      notes.push({
        code: 'formula_refused',
        column,
        value: cell,
        blanks: { reason: 'a text file holds no saved result of it' },
      });
  }
  return notes.length === 0 ? { row, cells } : { row, cells, notes };
}

/** What a spreadsheet would run on opening the file; signed numbers and coordinates are none. */
function isFormula(cell: string): boolean {
  const first = cell.charCodeAt(0);
  if (first !== 0x3d && first !== 0x40 && first !== 0x2b && first !== 0x2d) return false;
  if (first === 0x3d || first === 0x40) return cell.length > 1;
  return /[a-z]\w*\(|\||!/i.test(cell);
}

async function* decode(path: string, encoding: string): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const text = decoder.decode(chunk as Uint8Array, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

function csvProblem(error: CsvError): Error {
  const line = (error as { lines?: number }).lines ?? 0;
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return tooLarge(
      `A record is too long; wanted at most ${FILE_LIMITS.recordCharacters} characters, got more (line ${line}); a quotation mark may be left open.`,
    );
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return malformed(
      'open_quote',
      `wanted the quotation mark of a value to be closed, got the end of the file (line ${line})`,
      error,
    );
  return malformed(
    'invalid_csv',
    `wanted a table of delimited values, got a text that breaks it (line ${line}): ${error.message}`,
    error,
  );
}
