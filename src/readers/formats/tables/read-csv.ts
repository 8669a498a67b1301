import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import type { GridPart, GridRow, GridTable, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { CsvFault, readRecords, type CsvCursor, type CsvRecord } from './csv-records.ts';
import { delimiterName, findCsvDialect, type CsvDialect } from './csv-dialect.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { findTextEncoding, type TextEncodingFound } from './text-encoding.ts';

const SAMPLE_BYTES = 1 << 17;
const CHUNK_BYTES = 1 << 17;
/** A part of 600 short rows becomes about 600 kB of locations. */
const PART_BYTES = 1 << 15;
const REPLACEMENT = '\uFFFD';

/** A text file as a table: encoding and delimiter are found out; null when it is no table. Rows are streamed. */
export async function openCsv(path: string): Promise<SourceFile | null> {
  const found = await findTextEncoding(path);
  const { text, isWhole } = await sampleOf(path, found.encoding);
  if (text.trim() === '') throw malformed('empty', 'wanted a table, got a file without text');
  const dialect = findCsvDialect(text, isWhole);
  if (dialect === null) return null;
  return {
    format: 'csv',
    tables: [tableOf(path, found, dialect)],
    remarks: [
      `The text was read as ${found.encoding}, because ${found.because}; columns are divided by a ${delimiterName(dialect.delimiter)}.`,
    ],
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
  return { ...name, rows: () => readRows(path, found, dialect), parts: () => cutParts(path, found, dialect) };
}

const PLAIN_DELIMITER = /^[,;\t|]$/;

async function* readRows(path: string, found: TextEncodingFound, dialect: CsvDialect): AsyncGenerator<GridRow, void> {
  for await (const { records } of cutRecords(path, found, dialect, true))
    for (const { row, cells } of records) yield toRow(cells.map(ownText), row, found.encoding);
}

/** The text of a part of the file, of which a large one would otherwise be kept in memory for a short cell. */
function ownText(cell: string): string {
  return cell.length < SLICED_FROM ? cell : `_${cell}`.slice(1);
}

/** V8 copies shorter substrings; longer ones refer to the text that they are cut from. */
const SLICED_FROM = 13;

async function* cutParts(path: string, found: TextEncodingFound, dialect: CsvDialect): AsyncGenerator<GridPart, void> {
  const { encoding } = found;
  for await (const { text, row, rows, cursor } of cutRecords(path, found, dialect, false))
    yield { text, row, rows, encoding, delimiter: dialect.delimiter, recordEnd: cursor.recordEnd };
}

/** The rows of a part, the first of which may stand above the header. */
export function readGridPart({ text, row, encoding, delimiter, recordEnd }: GridPart): GridRow[] {
  const records: CsvRecord[] = [];
  readRecords(text, { at: 0, row: row - 1, recordEnd, begun: 0 }, delimiter, true, records);
  return records.map((record) => toRow(record.cells, record.row, encoding));
}

/** Whole records that lie next to each other in the file. */
interface CutRecords {
  readonly text: string;
  /** Of the first record or empty line. */
  readonly row: number;
  /** Records and empty lines. */
  readonly rows: number;
  /** Where they were requested. */
  readonly records: readonly CsvRecord[];
  readonly cursor: CsvCursor;
}

/** @throws Problem for a text that breaks the rules, in the words of the parser, which counts lines and is read again for them */
async function* cutRecords(
  path: string,
  { encoding }: TextEncodingFound,
  dialect: CsvDialect,
  wanted: boolean,
): AsyncGenerator<CutRecords, void> {
  const cursor: CsvCursor = { at: 0, row: 0, recordEnd: null, begun: 0 };
  let held = '';
  const read = (isEnd: boolean): CutRecords => {
    const { row } = cursor;
    const isLong = held.length > FILE_LIMITS.recordCharacters;
    const records: CsvRecord[] = [];
    readRecords(held, cursor, dialect.delimiter, isEnd, wanted || isLong ? records : null);
    if (isLong) refuseLong(records, held.length - cursor.at);
    const text = held.slice(0, cursor.at);
    held = held.slice(cursor.at);
    cursor.at = 0;
    const own = dialect.skipLines > row ? records.filter((record) => record.row > dialect.skipLines) : records;
    return { text, row: row + 1, rows: cursor.row - row, records: own, cursor };
  };
  try {
    for await (const text of decode(path, encoding, wanted ? CHUNK_BYTES : PART_BYTES)) {
      held += text;
      yield read(false);
      if (cursor.begun >= FILE_LIMITS.columns) throw tooManyCells(cursor.row + 1, 'more');
    }
    yield read(true);
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

function refuseLong(records: readonly CsvRecord[], begun: number): void {
  const characters = ({ cells }: CsvRecord): number => cells.reduce((sum, cell) => sum + cell.length, 0);
  if (begun > FILE_LIMITS.recordCharacters || records.some((one) => characters(one) > FILE_LIMITS.recordCharacters))
    throw new CsvFault('a record is too long');
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
  for (const [column, cell] of record.entries()) {
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

async function* decode(path: string, encoding: string, size = CHUNK_BYTES): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path, { highWaterMark: size })) {
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
