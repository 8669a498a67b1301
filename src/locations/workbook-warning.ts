import type { PreparedTable } from './prepare-tables.ts';
import { LOCATION_WARNINGS, type LocationWarning, type LocationWarningCode } from './warnings.ts';

/** Advice that holds for text files and would mislead in a workbook. */
const WORKBOOK_FIXES: Readonly<Partial<Record<LocationWarningCode, string>>> = {
  extra_cells: 'Give the cells beyond the last heading a heading of their own, or clear them.',
  crs_unknown: 'Send crs=EPSG:<code>, or add a column with the UTM zone or the EPSG code.',
  crs_refused: 'Write longitude and latitude on WGS84 (EPSG:4326) in two columns.',
};

/** How to mend what a warning names, for a file of a format. */
export function fixFor(code: LocationWarningCode, format: string): string {
  return (format === 'xlsx' ? WORKBOOK_FIXES[code] : undefined) ?? LOCATION_WARNINGS[code].fix;
}

/** The warning in the words of a workbook: sheet and cell in place of row and column, and advice that holds there. */
export function inWorkbook(
  warning: LocationWarning,
  { name, plan }: Pick<PreparedTable, 'name' | 'plan'>,
): LocationWarning {
  const { code, row, column, message } = warning;
  const sheet = name === null ? '' : `Sheet ${JSON.stringify(name)}, `;
  const at = plan.columns.findIndex((known) => known.column === column);
  const place = at < 0 ? `row ${row}` : `cell ${letters(at)}${row}`;
  const whole = sheet + place;
  return {
    ...warning,
    message: message.replace(/^Row \d+/, `${whole[0].toUpperCase()}${whole.slice(1)}`),
    fix: fixFor(code, 'xlsx'),
  };
}

/** The letters of a column of a spreadsheet, counted from 0: A, ..., Z, AA. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
