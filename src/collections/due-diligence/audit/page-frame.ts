import { CONTENT_WIDTH, FAINT, GREEN, HAIRLINE, INK, PAGE, SOFT } from './palette.ts';
import type { PdfDocument } from './document.ts';
import type { Typesetter } from './typesetter.ts';

/** What every page is drawn with. */
export interface Sheet {
  readonly doc: PdfDocument;
  readonly type: Typesetter;
  /** What the foot of every page says on the left. */
  readonly foot: string;
  /** Pages in all, known before the first is drawn. */
  readonly pages: number;
}

/** Begins a page and draws its foot. `number` counts from 1. */
export function beginPage({ doc, type, foot, pages }: Sheet, number: number): void {
  doc.addPage();
  doc
    .moveTo(PAGE.left, PAGE.bottom + 8)
    .lineTo(PAGE.right, PAGE.bottom + 8)
    .lineWidth(0.5)
    .stroke(HAIRLINE);
  type.line(foot, PAGE.left, PAGE.bottom + 21, { size: 7, color: FAINT, width: CONTENT_WIDTH - 90 });
  type.line(`Page ${number} of ${pages}`, PAGE.right, PAGE.bottom + 21, { size: 7, color: FAINT, align: 'right' });
}

/** A heading with a line under it; the baseline of what follows. */
export function heading({ doc, type }: Pick<Sheet, 'doc' | 'type'>, text: string, y: number): number {
  type.line(text, PAGE.left, y, { size: 13, weight: 600, color: GREEN });
  doc
    .moveTo(PAGE.left, y + 7)
    .lineTo(PAGE.right, y + 7)
    .lineWidth(0.6)
    .stroke(HAIRLINE);
  return y + 25;
}

/** A small label over a block. */
export function label({ type }: Pick<Sheet, 'type'>, text: string, x: number, y: number): number {
  type.line(text.toUpperCase(), x, y, { size: 6.8, weight: 600, color: SOFT });
  return y + 12;
}

/** Rows of name and value; values wrap. The baseline after the last. */
export function factRows(
  { type }: Pick<Sheet, 'type'>,
  rows: readonly (readonly [name: string, value: string])[],
  box: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly names: number;
    readonly size?: number;
    readonly maxLines?: number;
    /** Where rows that do not fit are left out, which is said. */
    readonly bottom?: number;
  },
): number {
  const { x, width, names, size = 8.5, maxLines = 3, bottom = Infinity } = box;
  let { y } = box;
  for (const [i, [name, value]] of rows.entries()) {
    const isLast = i === rows.length - 1;
    // The last may be cut to the lines that are left, but for a single one.
    const left = Math.floor((bottom - y) / (size * 1.42) + 1e-9) + 1;
    const most = isLast && left > 1 ? Math.min(maxLines, left) : maxLines;
    const lines = bottom === Infinity ? 1 : Math.min(most, type.wrap(value, width - names, { size }).length);
    const needed = lines - 1 + (isLast ? 0 : 1);
    if (y + needed * size * 1.42 > bottom) {
      const others = rows.slice(i).map(([one]) => one.toLowerCase());
      type.line(`and ${others.join(', ')}: see plots.csv`, x, y, { size, color: SOFT, width });
      return y + size * 1.42;
    }
    type.line(name, x, y, { size, color: SOFT, width: names - 6 });
    const after = type.paragraph(value === '' ? '–' : value, x + names, y, width - names, {
      size,
      color: INK,
      maxLines: most,
    });
    y = Math.max(after, y + size * 1.42) + 1.5;
  }
  return y;
}
