import { TERMINAL_COLUMNS, wrapText } from '../parts/wrap-text.ts';

const LABEL = 12;

/** Values after their labels, wrapped at 80 columns; rows without a value are left out. */
export function labelled(rows: readonly (readonly [label: string, text: string | null | undefined])[]): string {
  return rows
    .filter((row): row is readonly [string, string] => row[1] !== null && row[1] !== undefined && row[1] !== '')
    .flatMap(([label, text]) =>
      wrapText(text, TERMINAL_COLUMNS - LABEL).map((line, i) => `${(i === 0 ? label : '').padEnd(LABEL)}${line}\n`),
    )
    .join('');
}
