import { round } from '../../../geo/round.ts';
import type { PdfDocument } from './document.ts';
import { breakLines, cutShort, type Measure } from './break-lines.ts';
import { createFontChoice, latin, NO_FONT } from './fonts/choose-fonts.ts';
import type { Face, Shaped } from './fonts/face.ts';
import { createRecentTexts } from './fonts/recent-texts.ts';
import { hanStyle, scriptFonts, type FontFile, type Weight } from './fonts/font-files.ts';
import { textRuns, type Run } from './fonts/text-runs.ts';
import { INK, PAGE } from './palette.ts';

interface TextStyle {
  /** Points. */
  readonly size: number;
  /** Default 400. */
  readonly weight?: Weight;
  readonly color?: string;
}

interface LineStyle extends TextStyle {
  /** Points; a longer text is cut and ends in an ellipsis. */
  readonly width?: number;
  /** Where `x` is on the line. Default `left`. */
  readonly align?: 'left' | 'right' | 'center';
}

/** Sets text in any script. Places are in points from the upper left corner of the page; `y` is the baseline. */
export interface Typesetter {
  width(text: string, style: TextStyle): number;
  line(text: string, x: number, y: number, style: LineStyle): void;
  /** Sets lines within `width` below each other, `maxLines` at most; the baseline after the last. */
  paragraph(text: string, x: number, y: number, width: number, style: TextStyle & { maxLines?: number }): number;
  /** Where the texts that follow are from, an ISO 3166-1 alpha-2 code: decides how Chinese characters look. */
  from(country: string | null): void;
  /** The lines a paragraph would have. */
  wrap(text: string, width: number, style: TextStyle): readonly string[];
}

/** Space from line to line as a multiple of the size. */
const LEADING = 1.42;
/** Letters of these stand below and above each other. */
const TALL_LEADING = 2;
const TALL = /[\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** Letters that the first fonts set one after the other, each found by itself in the file. */
const isPlain = (font: FontFile): boolean => scriptFonts().slice(0, PLAIN).includes(font);
const PLAIN = 7;
/** Texts of which lines are remembered, at least: how they were laid out, wrapped and cut. */
const REMEMBERED = 1_000;

/** A run as it is laid out: word after word from the left, each with the space after it; other scripts as one. */
interface LaidRun {
  readonly run: Run<FontFile>;
  readonly face: Face;
  readonly shapes: readonly Shaped[];
  /** Thousandths of the size. */
  readonly width: number;
  /** Where glyphs do not stand in the order of the text, the text is written under them. Readers of a page turn letters from right to left round themselves. */
  readonly isNamed: boolean;
  /** Null where a glyph is moved off its place; undefined before it is drawn. */
  inline: InLine | null | undefined;
}

/** Glyphs one after the other as the inside of a hexadecimal string, and where they begin in thousandths of the size. */
interface InLine {
  readonly at: number;
  readonly codes: string;
}

export function createTypesetter(doc: PdfDocument): Typesetter {
  const { faceOf, fontFor, isFirst } = createFontChoice(doc.file);
  const cuts = createRecentTexts<string>(REMEMBERED);
  const wraps = createRecentTexts<readonly string[]>(REMEMBERED);
  /** Texts of the first font, by weight. */
  const laid = {
    400: createRecentTexts<readonly LaidRun[]>(REMEMBERED),
    600: createRecentTexts<readonly LaidRun[]>(REMEMBERED),
  } as const satisfies Record<Weight, unknown>;
  let country: string | null = null;

  /** The runs of a text from the left. Those of the first font alone, which look alike everywhere, are remembered. */
  function layOut(text: string, weight: Weight = 400): readonly LaidRun[] {
    const known = laid[weight].get(text);
    if (known !== undefined) return known;
    const face = (font: FontFile): Face => faceOf(font, weight);
    if (isFirst(text)) {
      const runs = [layOutRun({ font: latin(), text, isRightToLeft: false }, face)];
      laid[weight].set(text, runs);
      return runs;
    }
    const style = hanStyle(text, country);
    const runs = textRuns(text, (cluster, before: FontFile | null) => fontFor(cluster, before, style));
    return runs.map((run) => layOutRun(run, face));
  }

  function width(text: string, { size, weight }: TextStyle): number {
    let sum = 0;
    for (const { width: one } of layOut(text, weight)) sum += one * (size / 1000);
    return sum;
  }

  function measureOf(text: string, style: TextStyle): Measure {
    const face = isFirst(text) ? faceOf(latin(), style.weight) : null;
    return {
      width: (part) => width(part, style),
      words: face && { widthOf: (word) => face.shape(word, false).width, scale: style.size / 1000 },
    };
  }

  function cut(text: string, most: number, style: TextStyle): string {
    if (width(text, style) <= most) return text;
    const key = `${country} ${most} ${style.size} ${style.weight} ${text}`;
    const known = cuts.get(key);
    if (known !== undefined) return known;
    const shown = cutShort(text, most, measureOf(text, style));
    cuts.set(key, shown);
    return shown;
  }

  function line(text: string, x: number, y: number, style: LineStyle): void {
    const shown = style.width === undefined ? text : cut(text, style.width, style);
    const runs = layOut(shown, style.weight);
    const whole = style.align === undefined || style.align === 'left' ? 0 : width(shown, style);
    let at = x - (style.align === 'right' ? whole : style.align === 'center' ? whole / 2 : 0);
    for (const run of runs) at += drawRun(doc, run, at, y, style);
  }

  function wrap(text: string, most: number, style: TextStyle): readonly string[] {
    const key = `${country} ${most} ${style.size} ${style.weight} ${text}`;
    let lines = wraps.get(key);
    if (lines === undefined) wraps.set(key, (lines = breakLines(text, most, measureOf(text, style))));
    return lines;
  }

  return {
    width,
    line,
    wrap,
    from(code) {
      country = code;
    },
    paragraph(text, x, y, most, { maxLines = Infinity, ...style }) {
      const lines = wrap(text, most, style);
      const shown = lines.slice(0, maxLines);
      if (lines.length > maxLines) shown[maxLines - 1] = cut(`${shown[maxLines - 1]} …`, most, style);
      let at = y;
      for (const one of shown) {
        line(one, x, at, style);
        at += style.size * (TALL.test(one) ? TALL_LEADING : LEADING);
      }
      return at;
    },
  };
}

function layOutRun(run: Run<FontFile>, faceOf: (font: FontFile) => Face): LaidRun {
  const [font, text] = shownOf(run);
  const face = faceOf(font);
  const shapes = shapesOf(text, face, isPlain(font) && !run.isRightToLeft, run.isRightToLeft);
  let width = 0;
  for (const { width: one } of shapes) width += one;
  const isNamed = !run.isRightToLeft && !isPlain(run.font);
  return { run, face, shapes, width, isNamed, inline: undefined };
}

/** Draws a run; returns its width in points. */
function drawRun(doc: PdfDocument, laidRun: LaidRun, x: number, y: number, style: TextStyle): number {
  const { size, color = INK } = style;
  const { run, face, width: whole, isNamed } = laidRun;
  const scale = size / 1000;
  if (laidRun.inline === undefined) laidRun.inline = inlineOf(laidRun.shapes);
  const { inline } = laidRun;
  const shown = inline === null ? placed(laidRun.shapes, x, y, scale) : inLine(inline, x, y, scale);
  if (shown === '') return whole * scale;
  const operators = `BT\n/${face.id} ${size} Tf\n${shown}ET\n`;
  doc.text(isNamed ? named(run.text, operators) : operators, face.id, face.ref(), color);
  return whole * scale;
}

function shapesOf(text: string, face: Face, isByWord: boolean, isRightToLeft: boolean): readonly Shaped[] {
  if (!isByWord) return [face.shape(text, isRightToLeft)];
  const shapes: Shaped[] = [];
  for (let from = 0, to; from < text.length; from = to) {
    to = text.indexOf(' ', from) + 1 || text.length;
    shapes.push(face.shape(text.slice(from, to), false));
  }
  return shapes;
}

/** Programs that read a page order its texts by where they are: texts of one line must not come apart. */
function fine(value: number): number {
  return round(value, 6);
}

/** Glyphs of which none is moved off its place, as one string; null where one is. */
function inlineOf(shapes: readonly Shaped[]): InLine | null {
  let [codes, begun, at] = ['', 0, 0];
  for (const { width, pieces } of shapes) {
    for (const piece of pieces()) {
      if (piece.isMoved) return null;
      if (codes === '') begun = at + piece.at;
      codes += piece.codes;
    }
    at += width;
  }
  return { at: begun, codes };
}

/** Operators that show glyphs one after the other. */
function inLine({ at, codes }: InLine, x: number, y: number, scale: number): string {
  if (codes === '') return '';
  return `1 0 0 1 ${fine(x + at * scale)} ${fine(PAGE.height - y)} Tm\n[<${codes}>] TJ\n`;
}

/** Operators that show glyphs where they were moved to, and those after them at their own places again. */
function placed(shapes: readonly Shaped[], x: number, y: number, scale: number): string {
  let [operators, codes, at, isInLine] = ['', '', 0, false];
  for (const { width, pieces } of shapes) {
    for (const piece of pieces()) {
      if (piece.isMoved || !isInLine) {
        if (codes !== '') operators += `[<${codes}>] TJ\n`;
        operators += `1 0 0 1 ${fine(x + (at + piece.at) * scale)} ${fine(PAGE.height - y + piece.above * scale)} Tm\n`;
        codes = '';
      }
      codes += piece.codes;
      isInLine = !piece.isMoved;
    }
    at += width;
  }
  return codes === '' ? operators : `${operators}[<${codes}>] TJ\n`;
}

/** What a run is shown as. */
function shownOf({ font, text }: Run<FontFile>): readonly [FontFile, string] {
  return font === NO_FONT ? [latin(), codePointsOf(text)] : [font, text];
}

/** What no font has, never as other letters: `[U+1F333]`. */
function codePointsOf(text: string): string {
  return Array.from(text, (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`).join('');
}

/** Names the text of what is drawn. The mark is put around the glyphs alone: poppler takes the place of the text from where it ends. */
function named(text: string, operators: string): string {
  const hex = Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex');
  return `/Span << /ActualText <${hex}> >> BDC\n${operators}EMC\n`;
}
