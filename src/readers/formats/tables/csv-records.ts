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
}

export interface CsvRecord {
  /** As a spreadsheet numbers it: a record over several lines is one row, an empty line is one too. */
  readonly row: number;
  /** Its own array, which the taker may change. */
  readonly cells: string[];
}

/** The text breaks the rules for records; where and how, the parser that counts its lines can say. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
}

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];

/**
 * Reads the whole records of a text from `cursor` on and moves it past the last of them. Empty lines are no records. A quotation mark
 * at the beginning of a cell opens it up to the next one that is not doubled; one elsewhere, or one that closes before more
 * characters of the cell, is a character like others. `isEnd`: no more text follows, so that the last record needs no end.
 *
 * @param delimiter one character of ASCII, no quotation mark and no end of a line
 * @param out takes the records; null counts them only
 * @throws CsvFault when the text ends inside quotation marks
 */
export function readRecords(
  text: string,
  cursor: CsvCursor,
  delimiter: string,
  isEnd: boolean,
  out: CsvRecord[] | null,
): void {
  let quote = -1;
  cursor.begun = 0;
  while (cursor.at < text.length) {
    const { at } = cursor;
    if (quote < at) quote = indexOrEnd(text, '"', at);
    cursor.recordEnd ??= recordEndIn(text, at, quote, isEnd);
    const end = cursor.recordEnd === null ? -1 : text.indexOf(cursor.recordEnd, at);
    const plainEnd = end >= 0 ? end : isEnd ? text.length : null;
    if (plainEnd !== null && quote >= plainEnd) {
      cursor.row++;
      cursor.at = end < 0 ? plainEnd : end + (cursor.recordEnd?.length ?? 0);
      if (plainEnd > at && out !== null)
        out.push({ row: cursor.row, cells: text.slice(at, plainEnd).split(delimiter) });
      continue;
    }
    if (quote === text.length) {
      cursor.begun = count(text, delimiter, at);
      return;
    }
    if (!readQuoted(text, cursor, delimiter.charCodeAt(0), isEnd, out)) return;
  }
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

/** Reads one record that may have quotation marks; false when it goes on beyond the text. */
function readQuoted(
  text: string,
  cursor: CsvCursor,
  delimiter: number,
  isEnd: boolean,
  out: CsvRecord[] | null,
): boolean {
  const cells: string[] = [];
  const { length } = text;
  let [cell, wasQuoted] = ['', false];
  let i = cursor.at;
  const unfinished = (): false => {
    cursor.begun = cells.length;
    return false;
  };
  const finish = (next: number): true => {
    const isEmpty = !wasQuoted && cells.length === 0 && cell === '';
    if (!isEmpty || next > i) cursor.row++;
    cursor.at = next;
    if (!isEmpty) out?.push({ row: cursor.row, cells: [...cells, cell] });
    return true;
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
