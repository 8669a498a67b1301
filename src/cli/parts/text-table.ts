import { TERMINAL_COLUMNS, wrapText } from './wrap-text.ts';

const GAP = '  ';

/**
 * Rows under headings, columns aligned with two spaces between; numbers (right) align by their end. Where the lines would be
 * longer than a terminal is wide, the widest columns go on below in their own column; where not even the longest words stand
 * side by side, each row is written as lines of a heading with its cell.
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const all = [headings, ...rows];
  const widths = fittedWidths(all);
  if (widths === null) return `${rows.map((row) => recordText(headings, row)).join('\n')}`;
  const linesOf = (row: readonly string[]): readonly string[] => {
    const cells = widths.map((width, i) => wrapText(row[i] ?? '', width));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, i) => {
          const text = lines[line] ?? '';
          return right.includes(i) ? text.padStart(widths[i]!) : text.padEnd(widths[i]!);
        })
        .join(GAP)
        .trimEnd(),
    );
  };
  const rule = widths.map((width) => '-'.repeat(width)).join(GAP);
  return [...linesOf(headings), rule, ...rows.flatMap(linesOf), ''].join('\n');
}

/** Widths of columns with which a line fits a terminal; null: words alone are too long for one. */
function fittedWidths(rows: readonly (readonly string[])[]): number[] | null {
  const columns = rows[0]!.map((_, i) => rows.map((row) => row[i] ?? ''));
  const widths = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  const least = columns.map((cells) =>
    Math.max(...cells.flatMap((cell) => cell.split(/\s+/).map((word) => word.length))),
  );
  const room = TERMINAL_COLUMNS - GAP.length * (columns.length - 1);
  if (sum(least) > room) return sum(widths) <= room ? widths : null;
  while (sum(widths) > room) {
    const widest = Math.max(...widths.filter((width, i) => width > least[i]!));
    widths[widths.findIndex((width, i) => width === widest && width > least[i]!)]!--;
  }
  return widths;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

/** A row as lines of its own: the first cell, then each heading with its cell. */
function recordText([, ...headings]: readonly string[], [title = '', ...cells]: readonly string[]): string {
  const width = Math.max(...headings.map((heading) => heading.length));
  const room = TERMINAL_COLUMNS - width - 2 * GAP.length;
  const lines = cells.flatMap((cell, i) =>
    cell === ''
      ? []
      : wrapText(cell, room).map((line, at) => `${GAP}${(at === 0 ? headings[i]! : '').padEnd(width)}${GAP}${line}`),
  );
  return [title, ...lines, ''].join('\n');
}
