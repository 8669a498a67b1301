import type { GridRow, GridTable, SourceFile, SourceNote } from '../../../locations/source-table.ts';
import { FILE_LIMITS, tooLarge } from './file-limits.ts';
import { readXml, type XmlHandler } from './read-xml.ts';
import {
  columnOf,
  readMerges,
  readWorkbook,
  type MergedCell,
  type Workbook,
  type WorkbookSheet,
} from './xlsx-parts.ts';
import type { ZipArchive } from './zip-archive.ts';

/** A workbook with a table for each visible sheet. Sheets are streamed; formulas are never run. */
export async function openXlsx(archive: ZipArchive): Promise<SourceFile> {
  const workbook = await readWorkbook(archive);
  return {
    format: 'xlsx',
    tables: workbook.sheets.map((sheet): GridTable => {
      let merges: Promise<readonly MergedCell[]> | null = null;
      const mergesOf = async (): Promise<readonly MergedCell[]> => {
        merges ??= readMerges(archive, sheet.entry);
        try {
          return await merges;
        } catch (error) {
          merges = null;
          throw error;
        }
      };
      return { kind: 'grid', name: sheet.name, rows: () => readSheet(archive, sheet, workbook, mergesOf) };
    }),
    hidden: workbook.hidden,
    remarks: workbook.hidden.map((name) => `The hidden sheet "${name}" was not read.`),
    close: async () => archive[Symbol.asyncDispose](),
  };
}

async function* readSheet(
  archive: ZipArchive,
  { entry, name }: WorkbookSheet,
  workbook: Workbook,
  mergesOf: () => Promise<readonly MergedCell[]>,
): AsyncGenerator<GridRow, void> {
  const merges = await mergesOf();
  yield* readXml<GridRow>(archive.read(entry), `the sheet "${name}"`, (emit) => sheetRows(workbook, merges, emit));
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
  formula: string | null;
}

function sheetRows(workbook: Workbook, merges: readonly MergedCell[], emit: (row: GridRow) => void): XmlHandler {
  const fillMerged = createMergeFiller(merges);
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
        const column = columnOfCell(attributes['r']) ?? cells.length;
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
      } else if (name === 'row' && cells.some((value) => value !== null)) {
        fillMerged(row, cells, notes);
        emit(notes.length === 0 ? { row, cells } : { row, cells, notes });
      }
    },
  };
}

/**
 * Gives rows the values of cells above that are merged with theirs, and says so in each of them. Rows have to come in
 * order; one without a value of its own is not to be filled, because a title over several rows makes no rows.
 */
function createMergeFiller(merges: readonly MergedCell[]) {
  /** By column, so that merges that lie over each other cost no more than others. */
  const open = new Map<number, MergedCell & { readonly value: unknown }>();
  let next = 0;
  return (row: number, cells: unknown[], notes: SourceNote[]): void => {
    for (; next < merges.length && merges[next].first <= row; next++) {
      const { column, first } = merges[next];
      if (first === row) open.set(column, { ...merges[next], value: cells[column] ?? null });
    }
    for (const [column, { first, last, value }] of open) {
      if (row > last || value === null) open.delete(column);
      else if (row === first || (cells[column] ?? null) === null) {
        while (cells.length <= column) cells.push(null);
        cells[column] = value;
        notes.push({ code: 'merged_cell', column, blanks: { first, last } });
      }
    }
  };
}

/**
 * What reaches outside the workbook or runs a program: its saved result is not taken either. A number in brackets is
 * another workbook where the name of a sheet follows or a quote stands before it, else a column of a table: `Plots[2024]`.
 */
const REACHES_OUT = /'\[\d+\]|\[\d+\][\p{L}\p{N}_!.\\]|\b(WEBSERVICE|FILTERXML|RTD|CALL|REGISTER(\.ID)?)\s*\(|\|/iu;
const OTHER_WORKBOOK = /\[[^\]]+\.xl/i;

function reachesOut(formula: string): boolean {
  return OTHER_WORKBOOK.test(formula) || REACHES_OUT.test(formula.replaceAll(/"[^"]*"/g, '""'));
}

function valueOf(cell: OpenCell, workbook: Workbook, notes: SourceNote[]): unknown {
  const { type, value, formula, column, style } = cell;
  if (formula !== null) {
    const refused = reachesOut(formula)
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
function columnOfCell(reference: string | undefined): number | null {
  const letters = /^([A-Z]{1,3})\d/.exec(reference ?? '')?.[1];
  return letters === undefined ? null : columnOf(letters);
}
