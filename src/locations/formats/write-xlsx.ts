import writeExcel, { type SheetData } from 'write-excel-file/node';
import { Problem } from '../../errors.ts';
import type { CsvColumns } from './feature-text.ts';

/** Rows and characters of a cell that Excel can hold, the header taken off; cells are held in memory until the file is written. */
const XLSX_LIMITS = { rows: 200_000, cellCharacters: 32_767 } as const;

/**
 * Writes features to a workbook with one sheet. Texts are stored as texts, so that none is ever run as a formula. Throws
 * `Problem('too_large')` where the rows are more than can be held.
 */
export async function writeXlsx<F>(
  path: string,
  features: AsyncIterable<F>,
  { header, row }: CsvColumns<F>,
): Promise<void> {
  const data: SheetData = [header.map((value) => ({ value, type: String, fontWeight: 'bold' as const }))];
  for await (const feature of features) {
    if (data.length > XLSX_LIMITS.rows)
      throw new Problem(
        'too_large',
        `A workbook holds at most ${XLSX_LIMITS.rows} rows here, and there are more; write .csv or .parquet.`,
      );
    data.push(row(feature).map(cellOf));
  }
  await writeExcel(data, { sheet: 'Locations', stickyRowsCount: 1 }).toFile(path);
}

function cellOf(value: string | number | boolean | null | undefined): SheetData[number][number] {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return { value, type: Number };
  if (typeof value === 'boolean') return { value, type: Boolean };
  return { value: value.slice(0, XLSX_LIMITS.cellCharacters), type: String };
}
