import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import type { GridRow, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { delimiterName, findCsvDialect, type CsvDialect } from './csv-dialect.ts';
import { FILE_LIMITS, malformed, tooLarge } from './file-limits.ts';
import { findTextEncoding, type TextEncodingFound } from './text-encoding.ts';

const SAMPLE_BYTES = 1 << 17;
const CHUNK_BYTES = 1 << 17;
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
    tables: [{ kind: 'grid', name: null, rows: () => readRows(path, found, dialect) }],
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

async function* readRows(
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
      if (record.length > FILE_LIMITS.columns) throw tooManyCells(rowOf(info, dialect), String(record.length));
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
  const notes: SourceNote[] = [];
  const cells = record.map((cell, column) => {
    if (cell === '') return null;
    if (cell.includes(REPLACEMENT)) notes.push({ code: 'undecodable_text', column, value: cell, blanks: { encoding } });
    if (isFormula(cell))
      notes.push({
        code: 'formula_refused',
        column,
        value: cell,
        blanks: { reason: 'a text file holds no saved result of it' },
      });
    return cell;
  });
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
