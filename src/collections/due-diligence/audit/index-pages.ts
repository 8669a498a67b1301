import type { FittedPlot } from '../fit-plot.ts';
import { beginPage, heading, label, type Sheet } from './page-frame.ts';
import { HAIRLINE, INK, PAGE, SOFT } from './palette.ts';
import { stateOf, titleOf, type PlotState } from './plot-page.ts';

/** What the index says about a plot. */
export interface IndexRow {
  readonly page: number;
  readonly title: string;
  readonly producer: string;
  readonly country: string;
  readonly area: string;
  readonly loss: string;
  readonly state: PlotState;
}

const ROW = 13.2;
const TOP = PAGE.top + 52;
const ROWS_A_PAGE = Math.floor((PAGE.bottom - TOP) / ROW);
const COLUMNS = {
  title: PAGE.left,
  producer: 190,
  country: 322,
  area: 400,
  loss: 450,
  state: 458,
  page: PAGE.right,
} as const;

export function indexRow(plot: FittedPlot, page: number): IndexRow {
  const { facts, areaHa, deforestation } = plot;
  const loss = deforestation?.noncompliance_area_ha ?? null;
  return {
    page,
    title: titleOf(plot)
      .replace(/^Plot /, '')
      .slice(0, 80),
    producer: (facts.producerName ?? '–').slice(0, 80),
    country: (facts.country ?? '–').slice(0, 20),
    area: areaHa === null ? '–' : areaHa.toFixed(2),
    loss: loss === null ? '?' : loss === 0 ? '0' : loss.toFixed(2),
    state: stateOf(plot),
  };
}

export function indexPageCount(rows: number): number {
  return Math.ceil(rows / ROWS_A_PAGE);
}

/** One page of the index of plots; `first` is the number of its first row. */
export function drawIndexPage(sheet: Sheet, rows: readonly IndexRow[], first: number, number: number): void {
  const { doc, type } = sheet;
  beginPage(sheet, number);
  heading(sheet, first === 0 ? 'Plots' : 'Plots, continued', PAGE.top + 14);
  const head = TOP - 6;
  label(sheet, 'Plot', COLUMNS.title, head);
  label(sheet, 'Producer', COLUMNS.producer, head);
  label(sheet, 'Country', COLUMNS.country, head);
  type.line('AREA HA', COLUMNS.area, head, { size: 6.8, weight: 600, color: SOFT, align: 'right' });
  type.line('LOSS HA', COLUMNS.loss, head, { size: 6.8, weight: 600, color: SOFT, align: 'right' });
  type.line('PAGE', COLUMNS.page, head, { size: 6.8, weight: 600, color: SOFT, align: 'right' });
  for (const [i, row] of rows.slice(first, first + ROWS_A_PAGE).entries()) {
    const y = TOP + i * ROW + 8;
    const style = { size: 8, color: INK } as const;
    type.line(row.title, COLUMNS.title, y, { ...style, width: 136 });
    type.line(row.producer, COLUMNS.producer, y, { ...style, width: 126 });
    type.line(row.country, COLUMNS.country, y, { ...style, width: 36 });
    type.line(row.area, COLUMNS.area, y, { ...style, align: 'right' });
    type.line(row.loss, COLUMNS.loss, y, { ...style, align: 'right' });
    type.line(row.state.text, COLUMNS.state, y, { size: 7.6, color: row.state.color, width: 66 });
    type.line(String(row.page), COLUMNS.page, y, { ...style, align: 'right' });
    doc
      .moveTo(PAGE.left, y + 4)
      .lineTo(PAGE.right, y + 4)
      .lineWidth(0.3)
      .stroke(HAIRLINE);
  }
}

export { ROWS_A_PAGE };
