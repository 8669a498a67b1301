import type { ExportSummary } from '../export-types.ts';
import { GROUP_WORDS, PLOT_GROUPS } from '../../plot-group.ts';
import { GROUP_LOOKS } from './list-row.ts';
import { beginPage, heading, label, type Sheet } from './page-frame.ts';
import { CONTENT_WIDTH, HAIRLINE, INK, PAGE, SOFT } from './palette.ts';

/** A part of the document as the contents name it. */
export interface Section {
  readonly title: string;
  /** The name of its place in the document. */
  readonly anchor: string;
  readonly page: number;
}

const ROW = 19;

/** The page after the cover: what is where, and every row of the files in exactly one group. */
export function drawContents(sheet: Sheet, sections: readonly Section[], summary: ExportSummary, number: number): void {
  const { doc, type } = sheet;
  beginPage(sheet, number);
  let y = heading(sheet, 'Contents', PAGE.top + 14) + 4;
  for (const { title, anchor, page } of sections) {
    type.line(title, PAGE.left, y, { size: 10 });
    type.line(String(page), PAGE.right, y, { size: 10, align: 'right' });
    const from = PAGE.left + type.width(title, { size: 10 }) + 6;
    const to = PAGE.right - type.width(String(page), { size: 10 }) - 6;
    doc
      .moveTo(from, y - 1)
      .lineTo(to, y - 1)
      .lineWidth(0.5)
      .dash(1, { space: 2.5 })
      .stroke(HAIRLINE)
      .undash();
    doc.goTo(PAGE.left, y - 12, CONTENT_WIDTH, ROW, anchor);
    y += ROW;
  }
  drawSummary(sheet, summary, y + 22);
}

function drawSummary(sheet: Sheet, { groups, period, sources }: ExportSummary, top: number): void {
  const { doc, type } = sheet;
  let y = heading(sheet, 'Summary', top);
  doc.addDestination('summary', top - 16);
  const files = sources.length === 1 ? 'the file' : `the ${sources.length} files`;
  y = type.paragraph(`Every row of ${files} is in exactly one group.`, PAGE.left, y, CONTENT_WIDTH, {
    size: 9,
    color: SOFT,
  });
  y = label(sheet, 'Group', PAGE.left, y + 8);
  type.line('ROWS', PAGE.right, y - 12, { size: 6.8, weight: 600, color: SOFT, align: 'right' });
  const line = (at: number): void =>
    void doc.moveTo(PAGE.left, at).lineTo(PAGE.right, at).lineWidth(0.4).stroke(HAIRLINE);
  for (const group of PLOT_GROUPS) {
    const { color, note } = GROUP_LOOKS[group];
    const title = GROUP_WORDS[group];
    y += 5;
    doc.circle(PAGE.left + 3, y - 3, 2.6).fill(color);
    type.line(title, PAGE.left + 12, y, { size: 9.5, color: INK });
    type.line(note, PAGE.left + 160, y, { size: 8.5, color: SOFT });
    type.line(groups[group].toLocaleString('en'), PAGE.right, y, { size: 9.5, align: 'right' });
    y += 6;
    line(y);
    y += 7;
  }
  const all = PLOT_GROUPS.reduce((sum, group) => sum + groups[group], 0);
  y += 5;
  type.line('All rows', PAGE.left + 12, y, { size: 9.5, weight: 600 });
  type.line(all.toLocaleString('en'), PAGE.right, y, { size: 9.5, weight: 600, align: 'right' });
  y += 20;
  const exported = groups.deforested + groups.open + groups.cleared;
  type.paragraph(
    `${exported.toLocaleString('en')} plots are in the ${period.filing.kind === 'statement' ? 'statement' : 'declaration'}, the first three groups together. “No deforestation found” is what the datasets named in this document show within the monitoring period, and no proof.`,
    PAGE.left,
    y,
    CONTENT_WIDTH,
    { size: 8.5, color: SOFT },
  );
}
