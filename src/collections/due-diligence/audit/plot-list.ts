import { beginPage, heading, label, type Sheet } from './page-frame.ts';
import { GROUP_WORDS } from '../../plot-group.ts';
import { GROUP_LOOKS, type ListRow } from './list-row.ts';
import { HAIRLINE, INK, PAGE, SOFT } from './palette.ts';

/** A line of the list with the page that the plot is drawn on. */
export interface PlacedRow extends ListRow {
  readonly page: number;
}

const ROW = 13.2;
const TOP = PAGE.top + 52;
export const ROWS_A_PAGE = Math.floor((PAGE.bottom - TOP) / ROW);
const COLUMNS = {
  row: PAGE.left,
  name: PAGE.left + 44,
  producer: 220,
  country: 322,
  area: 388,
  loss: 432,
  group: 441,
  page: PAGE.right,
} as const;

export function listPageCount(rows: number): number {
  return Math.ceil(rows / ROWS_A_PAGE);
}

/** The name of the place in the document that a plot is drawn at. */
export function anchorOf({ collection, number }: Pick<ListRow, 'collection' | 'number'>): string {
  return `plot ${collection} ${number}`;
}

/** One page of the list of plots; each line leads to its plot. */
export function drawListPage(sheet: Sheet, rows: readonly PlacedRow[], isFirst: boolean, number: number): void {
  const { doc, type } = sheet;
  beginPage(sheet, number);
  heading(sheet, isFirst ? 'List of plots' : 'List of plots, continued', PAGE.top + 14);
  const head = TOP - 6;
  label(sheet, 'Row', COLUMNS.row, head);
  label(sheet, 'Name', COLUMNS.name, head);
  label(sheet, 'Producer', COLUMNS.producer, head);
  label(sheet, 'Country', COLUMNS.country, head);
  label(sheet, 'Group', COLUMNS.group, head);
  for (const [text, x] of [
    ['AREA HA', COLUMNS.area],
    ['LOSS HA', COLUMNS.loss],
    ['PAGE', COLUMNS.page],
  ] as const)
    type.line(text, x, head, { size: 6.8, weight: 600, color: SOFT, align: 'right' });
  for (const [i, row] of rows.entries()) {
    const y = TOP + i * ROW + 8;
    const style = { size: 8, color: INK } as const;
    type.from(row.country);
    type.line(row.row, COLUMNS.row, y, { ...style, width: COLUMNS.name - COLUMNS.row - 4 });
    type.line(row.name, COLUMNS.name, y, { ...style, width: COLUMNS.producer - COLUMNS.name - 6 });
    type.line(row.producer, COLUMNS.producer, y, { ...style, width: COLUMNS.country - COLUMNS.producer - 6 });
    type.line(row.country ?? '–', COLUMNS.country, y, { ...style, width: 30 });
    type.line(row.area, COLUMNS.area, y, { ...style, align: 'right' });
    type.line(row.loss, COLUMNS.loss, y, { ...style, align: 'right' });
    const { color } = GROUP_LOOKS[row.group];
    type.line(GROUP_WORDS[row.group], COLUMNS.group, y, { size: 7.6, color, width: 84 });
    type.line(String(row.page), COLUMNS.page, y, { ...style, align: 'right' });
    doc
      .moveTo(PAGE.left, y + 4)
      .lineTo(PAGE.right, y + 4)
      .lineWidth(0.3)
      .stroke(HAIRLINE);
    doc.goTo(PAGE.left, y - 9, PAGE.right - PAGE.left, ROW, anchorOf(row));
  }
}
