import type { GridRow, GridTable, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { FILE_LIMITS, tooLarge } from './file-limits.ts';
import { readXml, type XmlHandler } from './read-xml.ts';
import { readWorkbook, type Workbook, type WorkbookSheet } from './xlsx-parts.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A workbook with a table for each visible sheet. Sheets are streamed; formulas are never run. */
export async function openXlsx(archive: ZipArchive): Promise<SourceFile> {
  const workbook = await readWorkbook(archive);
  return {
    format: 'xlsx',
    tables: workbook.sheets.map((sheet): GridTable => ({
      kind: 'grid',
      name: sheet.name,
      rows: () => readSheet(archive, sheet, workbook),
    })),
    remarks: workbook.hidden.map((name) => `The hidden sheet "${name}" was not read.`),
    close: async () => archive[Symbol.asyncDispose](),
  };
}

async function* readSheet(
  archive: ZipArchive,
  { entry, name }: WorkbookSheet,
  workbook: Workbook,
): AsyncGenerator<GridRow, void> {
  yield* readXml<GridRow>(archive.read(entry), `the sheet "${name}"`, (emit) => sheetRows(workbook, emit));
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  formula: string | null;
}

function sheetRows(workbook: Workbook, emit: (row: GridRow) => void): XmlHandler {
  let row = 0;
  let cells: unknown[] = [];
  let notes: SourceNote[] = [];
  let cell: OpenCell | null = null;
  let into: 'value' | 'formula' | null = null;
  return {
    open(name, attributes) {
      if (name === 'row') {
        row = Number(attributes['r'] ?? row + 1);
        [cells, notes] = [[], []];
      } else if (name === 'c') {
        const column = columnOf(attributes['r']) ?? cells.length;
        if (column >= FILE_LIMITS.columns)
          throw tooLarge(`Row ${row} has too many columns; wanted at most ${FILE_LIMITS.columns}.`);
        cell = { column, type: attributes['t'] ?? 'n', style: Number(attributes['s'] ?? 0), value: '', formula: null };
      } else if (cell !== null && name === 'f') {
        cell.formula = '';
        into = 'formula';
      } else if (cell !== null && (name === 'v' || name === 't')) into = 'value';
      else if (name === 'rPh') into = null;
    },
    text(piece) {
      if (cell === null || into === null) return;
      if (into === 'value') cell.value += piece;
      else cell.formula += piece;
    },
    close(name) {
      if (name === 'v' || name === 't' || name === 'f') into = null;
      else if (name === 'c' && cell !== null) {
        while (cells.length < cell.column) cells.push(null);
        cells[cell.column] = valueOf(cell, workbook, notes);
        cell = null;
      } else if (name === 'row' && cells.some((value) => value !== null))
        emit(notes.length === 0 ? { row, cells } : { row, cells, notes });
    },
  };
}

/** What reaches outside the workbook or runs a program: its saved result is not taken either. */
const REACHES_OUT = /\[\d+\]|\[[^\]]+\.xl|WEBSERVICE|FILTERXML|RTD\(|CALL\(|REGISTER|\|/i;

function valueOf(cell: OpenCell, workbook: Workbook, notes: SourceNote[]): unknown {
  const { type, value, formula, column, style } = cell;
  if (formula !== null) {
    const refused = REACHES_OUT.test(formula)
      ? 'it reaches outside the workbook'
      : value === '' && type !== 'str'
        ? 'it has no saved result'
        : null;
    const shown = `=${formula}`;
    if (refused !== null) notes.push({ code: 'formula_refused', column, value: shown, blanks: { reason: refused } });
    else if (type !== 'e') notes.push({ code: 'formula_cell', column, value: shown });
    if (refused !== null) return null;
  }
  if (type === 's') return textOf(workbook.texts[Number(value)]);
  if (type === 'b') return value === '1';
  // An error such as #REF! is distinguished from values where cells are read.
  if (type === 'e') return value;
  if (type === 'str' || type === 'inlineStr' || type === 'd') return textOf(value);
  if (value.trim() === '') return null;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  return workbook.dateStyles[style] === true ? dateOf(number, workbook.from1904) : number;
}

function textOf(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** The day, or day and time, that a serial number stands for; a number beyond the calendar stays a number. */
function dateOf(serial: number, from1904: boolean): string | number {
  const days = from1904 ? serial + 1462 : serial;
  const ms = Math.round((days - 25_569) * 86_400) * 1000;
  if (!(Math.abs(ms) < 8.64e15)) return serial;
  const iso = new Date(ms).toISOString();
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The column of a reference such as `AB12`, from 0. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^([A-Z]{1,3})\d/.exec(reference ?? '')?.[1];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
