import { round } from '../../../geo/round.ts';
import type { PdfDocument } from './document.ts';
import { openFace, type Face, type Shaped } from './fonts/face.ts';
import { createRecentTexts } from './fonts/recent-texts.ts';
import { hanFonts, hanStyle, scriptFonts, type FontFile, type HanStyle, type Weight } from './fonts/font-files.ts';
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
const latin = (): FontFile => scriptFonts()[0]!;
/** Letters that the first fonts set one after the other, each found by itself in the file. */
const isPlain = (font: FontFile): boolean => scriptFonts().slice(0, PLAIN).includes(font);
const PLAIN = 7;
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
/** Chinese characters and their punctuation, kana and hangul. */
const HAN =
  /[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u1100-\u11ff\u{1f200}-\u{1f2ff}\u{20000}-\u{323af}]/u;
/** What has no shape of its own: joiners, variation selectors, marks of direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** What joins the character before it, or has no shape of its own. */
const APART = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;
/** Texts of which lines are remembered, at least: how they were laid out, wrapped and cut. */
const REMEMBERED = 1_000;
/** Fonts of the letters that were met lately. */
const MOST_KNOWN = 20_000;

/** A font of which no glyph is shown: its letters stand as their code points. */
const NONE: FontFile = { name: 'none', covers: () => false, bytes: () => latin().bytes(400) };

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
  const known = new Map<string, FontFile>();
  /** Of the document alone, so that a long-lived process does not keep every font it ever used. */
  const faces = new Map<string, Face>();
  /** Whether a character is set in the first font whatever stands next to it, by code point. */
  const firsts = new Map<number, boolean>();
  const cuts = createRecentTexts<string>(REMEMBERED);
  const wraps = createRecentTexts<readonly string[]>(REMEMBERED);
  /** Texts of the first font, by weight. */
  const laid = {
    400: createRecentTexts<readonly LaidRun[]>(REMEMBERED),
    600: createRecentTexts<readonly LaidRun[]>(REMEMBERED),
  } as const satisfies Record<Weight, unknown>;
  let country: string | null = null;

  function faceOf(font: FontFile, weight: Weight = 400): Face {
    const name = `${font.name} ${weight}`;
    let face = faces.get(name);
    if (face === undefined) faces.set(name, (face = openFace(doc.file, font, weight)));
    return face;
  }

  function hasAll(font: FontFile, cluster: string): boolean {
    const points = [...cluster].filter((character) => !INVISIBLE.test(character)).map((one) => one.codePointAt(0)!);
    if (!points.every((point) => font.covers(point))) return false;
    const face = faceOf(font);
    return points.every((point) => face.has(point));
  }

  /** The font for a cluster of characters, that of the cluster before where it will do. */
  function fontFor(cluster: string, before: FontFile | null, style: HanStyle): FontFile {
    const key = `${before?.name} ${style} ${cluster}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const first = before === null || before === latin() || before === NONE ? [] : [before];
    const order = HAN.test(cluster)
      ? [...hanFonts(style), ...scriptFonts()]
      : [...first, ...scriptFonts(), ...hanFonts(style)];
    const font = order.find((candidate) => hasAll(candidate, cluster)) ?? NONE;
    if (known.size < MOST_KNOWN) known.set(key, font);
    return font;
  }

  /** Whether the first font sets all of it from left to right, each character by itself: as good as every text. */
  function isFirst(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x20 && code <= 0x7e) continue;
      let known = firsts.get(code);
      if (known === undefined) {
        const character = text[i]!;
        known = code < 0xd800 && !APART.test(character) && !HAN.test(character) && hasAll(latin(), character);
        firsts.set(code, known);
      }
      if (!known) return false;
    }
    return true;
  }

  /** The runs of a text from the left. Those of the first font alone, which look alike everywhere, are remembered. */
  function layOut(text: string, weight: Weight = 400): readonly LaidRun[] {
    const known = laid[weight].get(text);
    if (known !== undefined) return known;
    if (isFirst(text)) {
      const runs = [layOutRun({ font: latin(), text, isRightToLeft: false }, weight)];
      laid[weight].set(text, runs);
      return runs;
    }
    const style = hanStyle(text, country);
    const runs = textRuns(text, (cluster, before: FontFile | null) => fontFor(cluster, before, style));
    return runs.map((run) => layOutRun(run, weight));
  }

  function layOutRun(run: Run<FontFile>, weight: Weight): LaidRun {
    const [font, text] = shownOf(run);
    const face = faceOf(font, weight);
    const shapes = shapesOf(text, face, isPlain(font) && !run.isRightToLeft, run.isRightToLeft);
    let width = 0;
    for (const { width: one } of shapes) width += one;
    const isNamed = !run.isRightToLeft && !isPlain(run.font);
    return { run, face, shapes, width, isNamed, inline: undefined };
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

  /** The width of the run, which is drawn. */
  function drawRun(laidRun: LaidRun, x: number, y: number, style: TextStyle): number {
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

  function width(text: string, { size, weight }: TextStyle): number {
    let sum = 0;
    for (const { width: one } of layOut(text, weight)) sum += one * (size / 1000);
    return sum;
  }

  function cut(text: string, most: number, style: TextStyle): string {
    if (width(text, style) <= most) return text;
    const key = `${country} ${most} ${style.size} ${style.weight} ${text}`;
    const known = cuts.get(key);
    if (known !== undefined) return known;
    const shown = cutShort(text, most, style);
    cuts.set(key, shown);
    return shown;
  }

  function cutShort(text: string, most: number, style: TextStyle): string {
    const clusters = isFirst(text) ? [...text] : Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
    let [low, high] = [0, clusters.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (width(`${clusters.slice(0, middle).join('')}…`, style) <= most) low = middle;
      else high = middle - 1;
    }
    return `${clusters.slice(0, low).join('').trimEnd()}…`;
  }

  function line(text: string, x: number, y: number, style: LineStyle): void {
    const shown = style.width === undefined ? text : cut(text, style.width, style);
    const runs = layOut(shown, style.weight);
    const whole = style.align === undefined || style.align === 'left' ? 0 : width(shown, style);
    let at = x - (style.align === 'right' ? whole : style.align === 'center' ? whole / 2 : 0);
    for (const run of runs) at += drawRun(run, at, y, style);
  }

  function wrap(text: string, most: number, style: TextStyle): readonly string[] {
    const key = `${country} ${most} ${style.size} ${style.weight} ${text}`;
    let lines = wraps.get(key);
    if (lines === undefined) wraps.set(key, (lines = wrapped(text, most, style)));
    return lines;
  }

  function wrapped(text: string, most: number, style: TextStyle): readonly string[] {
    // A text of the first font is as wide as its words, so that a line need not be measured again with each.
    const first = isFirst(text) ? faceOf(latin(), style.weight) : null;
    const widthOf = (word: string): number => (first === null || word === '' ? 0 : first.shape(word, false).width);
    const lines: string[] = [];
    // The line, and how wide its words are with a space after each: of the first font, in thousandths of the size.
    let [current, spaced] = ['', 0];
    const fits = (word: string, longer: string): boolean =>
      (first === null ? width(longer, style) : (spaced + widthOf(word)) * (style.size / 1000)) <= most;
    for (const word of text.split(' ')) {
      const longer = current === '' ? word : `${current} ${word}`;
      let added = word;
      if (fits(word, longer)) current = longer;
      else {
        if (current !== '') lines.push(current);
        const pieces = broken(word, most, style);
        lines.push(...pieces.slice(0, -1));
        current = added = pieces.at(-1) ?? '';
        spaced = 0;
      }
      if (current !== '') spaced += widthOf(`${added} `);
    }
    return current === '' ? lines : [...lines, current];
  }

  /** A word that is wider than a line, in pieces that are not. */
  function broken(word: string, most: number, style: TextStyle): string[] {
    if (width(word, style) <= most) return [word];
    const pieces: string[] = [];
    let piece = '';
    for (const segment of piecesOf(word, most, style)) {
      if (piece !== '' && width(piece + segment, style) > most) {
        pieces.push(piece);
        piece = '';
      }
      piece += segment;
    }
    return [...pieces, piece];
  }

  /** Words as the language parts them, which may write no spaces; letters where a word is wider than a line. */
  function piecesOf(text: string, most: number, style: TextStyle): readonly string[] {
    return Array.from(WORDS.segment(text), ({ segment }) => segment).flatMap((word) =>
      width(word, style) <= most ? [word] : Array.from(SEGMENTER.segment(word), ({ segment }) => segment),
    );
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
  return font === NONE ? [latin(), codePointsOf(text)] : [font, text];
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
