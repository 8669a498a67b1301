/** What ends a record; the first one of a text ends all of them. */
type RecordEnd = '\r\n' | '\n' | '\r';

/** How far a text has been read. */
export interface CsvCursor {
  /** Index of the next record in the text. */
  at: number;
  /** Records and empty lines before it, so that the next one is the row `row + 1`. */
  row: number;
  /** Null until the first end of a line outside quotation marks. */
  recordEnd: RecordEnd | null;
  /** Whole cells of the record that goes on beyond the text. */
  begun: number;
  /** Index of the first quotation mark from `at` on, or below `at` where it is not known. */
  quote: number;
}

/** Before the first record of a text whose first row is the row `row + 1`. */
export function startOfText(row: number, recordEnd: RecordEnd | null): CsvCursor {
  return { at: 0, row, recordEnd, begun: 0, quote: -1 };
}

/** What was read of a text goes: the rest of it, to which more may be added. */
export function restOfText(text: string, cursor: CsvCursor): string {
  const rest = text.slice(cursor.at);
  cursor.at = 0;
  cursor.quote = -1;
  return rest;
}

/** The text breaks the rules for records; where and how, the parser that counts its lines can say. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
}

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];

/** In place of the cells of a record that are not wanted. */
const PASSED: readonly never[] = [];

/**
 * Reads the next whole record of a text from `cursor` on and moves it past its end, where `cursor.row` is its row as a spreadsheet
 * numbers it: a record over several lines is one row, an empty line is one too. Empty lines are no records. A quotation mark
 * at the beginning of a cell opens it up to the next one that is not doubled; one elsewhere, or one that closes before more
 * characters of the cell, is a character like others. `isEnd`: no more text follows, so that the last record needs no end.
 *
 * @param delimiter one character of ASCII, no quotation mark and no end of a line
 * @returns its cells, in an array of its own; null where no whole record is left
 * @throws CsvFault when the text ends inside quotation marks
 */
export function nextRecord(text: string, cursor: CsvCursor, delimiter: string, isEnd: boolean): string[] | null {
  return stepOver(text, cursor, delimiter, isEnd, true) as string[] | null;
}

/** The same without its cells: whether there was a whole record. */
export function skipRecord(text: string, cursor: CsvCursor, delimiter: string, isEnd: boolean): boolean {
  return stepOver(text, cursor, delimiter, isEnd, false) !== null;
}

function stepOver(
  text: string,
  cursor: CsvCursor,
  delimiter: string,
  isEnd: boolean,
  wanted: boolean,
): readonly string[] | null {
  cursor.begun = 0;
  while (cursor.at < text.length) {
    const { at } = cursor;
    if (cursor.quote < at) cursor.quote = indexOrEnd(text, '"', at);
    const { quote } = cursor;
    cursor.recordEnd ??= recordEndIn(text, at, quote, isEnd);
    const end = cursor.recordEnd === null ? -1 : text.indexOf(cursor.recordEnd, at);
    const plainEnd = end >= 0 ? end : isEnd ? text.length : null;
    if (plainEnd !== null && quote >= plainEnd) {
      cursor.row++;
      cursor.at = end < 0 ? plainEnd : end + (cursor.recordEnd?.length ?? 0);
      if (plainEnd > at) return wanted ? plainCells(text, at, plainEnd, delimiter.charCodeAt(0)) : PASSED;
      continue;
    }
    if (quote === text.length) {
      cursor.begun = count(text, delimiter, at);
      return null;
    }
    const cells = readQuoted(text, cursor, delimiter.charCodeAt(0), isEnd);
    if (cells !== EMPTY_LINE) return cells;
  }
  return null;
}

/** The cells of a record without quotation marks. */
function plainCells(text: string, from: number, end: number, delimiter: number): string[] {
  const cells: string[] = [];
  let begin = from;
  for (let i = from; i < end; i++) {
    if (text.charCodeAt(i) !== delimiter) continue;
    cells.push(text.slice(begin, i));
    begin = i + 1;
  }
  cells.push(text.slice(begin, end));
  return cells;
}

function count(text: string, what: string, from: number): number {
  let found = 0;
  for (let i = text.indexOf(what, from); i >= 0; i = text.indexOf(what, i + 1)) found++;
  return found;
}

function indexOrEnd(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found;
}

/** By the first end of a line before `until`. */
function recordEndIn(text: string, from: number, until: number, isEnd: boolean): RecordEnd | null {
  for (let i = from; i < until; i++) {
    const code = text.charCodeAt(i);
    if (code === CR || code === LF) return recordEndAt(text, i, isEnd);
  }
  return null;
}

/** Null where none is, and where more text has to come before it is known. */
function recordEndAt(text: string, i: number, isEnd: boolean): RecordEnd | null {
  const code = text.charCodeAt(i);
  if (code === LF) return '\n';
  if (code !== CR || (i + 1 === text.length && !isEnd)) return null;
  return text.charCodeAt(i + 1) === LF ? '\r\n' : '\r';
}

/** In place of cells: the line has none. */
const EMPTY_LINE: string[] = [];

/** Reads one record that may have quotation marks; null when it goes on beyond the text. */
function readQuoted(text: string, cursor: CsvCursor, delimiter: number, isEnd: boolean): string[] | null {
  const cells: string[] = [];
  const { length } = text;
  let [cell, wasQuoted] = ['', false];
  let i = cursor.at;
  const unfinished = (): null => {
    cursor.begun = cells.length;
    return null;
  };
  const finish = (next: number): string[] => {
    const isEmpty = !wasQuoted && cells.length === 0 && cell === '';
    if (!isEmpty || next > i) cursor.row++;
    cursor.at = next;
    if (isEmpty) return EMPTY_LINE;
    cells.push(cell);
    return cells;
  };
  for (;;) {
    if (cell === '' && !wasQuoted && text.charCodeAt(i) === QUOTE) {
      const closed = readInQuotes(text, i + 1, cursor, delimiter, isEnd);
      if (closed === null) return unfinished();
      [cell, i] = closed;
      wasQuoted = true;
    }
    const begin = i;
    for (; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code === delimiter || code === CR || code === LF) break;
    }
    if (i > begin) cell += text.slice(begin, i);
    if (i >= length) return isEnd ? finish(length) : unfinished();
    if (text.charCodeAt(i) === delimiter) {
      cells.push(cell);
      [cell, wasQuoted] = ['', false];
      i++;
      continue;
    }
    cursor.recordEnd ??= recordEndAt(text, i, isEnd);
    if (cursor.recordEnd === null || (cursor.recordEnd === '\r\n' && i + 1 === length && !isEnd)) return unfinished();
    if (text.startsWith(cursor.recordEnd, i)) return finish(i + cursor.recordEnd.length);
    // Another end of a line than that of the records is a character.
    cell += text[i++];
  }
}

/** The characters after an opening quotation mark, and where the rest of the cell begins; null: more text has to come. */
function readInQuotes(
  text: string,
  from: number,
  cursor: CsvCursor,
  delimiter: number,
  isEnd: boolean,
): [cell: string, next: number] | null {
  let cell = '';
  for (let i = from; ;) {
    const quote = text.indexOf('"', i);
    if (quote < 0 && isEnd) throw new CsvFault('a quotation mark is left open');
    if (quote < 0 || (quote + 2 >= text.length && !isEnd)) return null;
    cell += text.slice(i, quote);
    if (text.charCodeAt(quote + 1) === QUOTE) {
      cell += '"';
      i = quote + 2;
      continue;
    }
    return [isClosed(text, quote + 1, cursor, delimiter, isEnd) ? cell : `"${cell}"`, quote + 1];
  }
}

/** Whether a cell ends here. */
function isClosed(text: string, at: number, cursor: CsvCursor, delimiter: number, isEnd: boolean): boolean {
  if (at === text.length || text.charCodeAt(at) === 0 || text.charCodeAt(at) === delimiter) return true;
  cursor.recordEnd ??= recordEndAt(text, at, isEnd);
  return cursor.recordEnd !== null && text.startsWith(cursor.recordEnd, at);
}
