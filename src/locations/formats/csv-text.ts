export type CsvCell = string | number | boolean | null | undefined;

export interface CsvColumns<F> {
  readonly header: readonly string[];
  /** As many cells as the header has names. */
  readonly row: (feature: F) => readonly CsvCell[];
}

/** A header and one row a feature (RFC 4180: CRLF, quotes doubled), a row a piece. */
export async function* csvText<F>(features: AsyncIterable<F>, columns: CsvColumns<F>): AsyncGenerator<string, void> {
  yield csvLine(columns.header);
  for await (const feature of features) yield csvLine(columns.row(feature));
}

function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? withoutFormula(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run text that begins like a formula; an apostrophe before it makes them show it. Numbers stay as they are. */
function withoutFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
}
