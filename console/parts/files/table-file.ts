import writeWorkbook, { type SheetData } from 'write-excel-file/universal';

export type Cell = string | number | boolean | null | undefined;

/** Rows under a heading, each with as many cells. */
interface TableRows {
  readonly header: readonly string[];
  readonly rows: Iterable<readonly Cell[]>;
}

export type TableFormat = 'csv' | 'xlsx';

/** What Excel holds. */
const MOST_CHARACTERS = 32_767;
const MOST_COLUMNS = 16_384;

/** A table as a file. No text of it is ever run as a formula. */
export async function tableFile(format: TableFormat, { header, rows }: TableRows): Promise<Blob> {
  if (format === 'csv') {
    const lines = [csvLine(header)];
    for (const row of rows) lines.push(csvLine(row));
    return new Blob(lines, { type: 'text/csv' });
  }
  const data: SheetData = [
    header.slice(0, MOST_COLUMNS).map((text) => ({ value: text, type: String, fontWeight: 'bold' as const })),
  ];
  for (const row of rows) data.push(row.slice(0, MOST_COLUMNS).map(workbookCell));
  return writeWorkbook(data, { sheet: 'Results', stickyRowsCount: 1 }).toBlob();
}

/**
 * Stored as the text that it is: a workbook runs as a formula only what is stored as one. Control characters, which XML has no
 * place for, are left out.
 */
function workbookCell(value: Cell): SheetData[number][number] {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? { value, type: Number } : null;
  if (typeof value === 'boolean') return { value, type: Boolean };
  return { value: value.slice(0, MOST_CHARACTERS), type: String };
}

/** One line of CSV. A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map((value) => csvCell(cellOf(value))).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A value of a file or of a result as a cell: lists and objects as JSON. */
export function cellOf(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}
