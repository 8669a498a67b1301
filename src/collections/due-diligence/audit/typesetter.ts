import anyAscii from 'any-ascii';
import { FONT_COUNT, fontBytes, isArabic, type Weight } from './font-table.ts';
import { INK } from './palette.ts';

/** A PDF as pdfkit writes it. */
export type PdfDocument = PDFKit.PDFDocument;

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
  /** Drops the words that pdfkit remembers, which are all it ever set. */
  forget(): void;
  /** The lines a paragraph would have. */
  wrap(text: string, width: number, style: TextStyle): readonly string[];
}

/** Characters of one font, as they are shown. */
interface Run {
  readonly font: number;
  readonly text: string;
  /** What it stands for, where what is shown is not found by it. */
  readonly original: string | null;
}

/** Space from line to line as a multiple of the size. */
const LEADING = 1.42;
/** From this font on letters are joined and moved, so that their order on the page is not that of the text. */
const FIRST_JOINED = 7;
const LATIN = 0;
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Without features pdfkit sets word after word from the left; letters from right to left have to be laid out as one. */
function asOne(font: number): { features?: [] } {
  return isArabic(font) ? { features: [] } : {};
}

/** What pdfkit keeps of the font in use. */
interface FontInUse {
  readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

export function createTypesetter(doc: PdfDocument): Typesetter {
  const known = new Map<string, number>();

  function select(font: number, { size, weight = 400 }: TextStyle): void {
    const name = `${font} ${weight}`;
    const fonts = (doc as unknown as { _registeredFonts: Record<string, unknown> })._registeredFonts;
    if (!Object.hasOwn(fonts, name)) doc.registerFont(name, fontBytes(font, weight));
    doc.font(name).fontSize(size);
  }

  function hasAll(font: number, cluster: string): boolean {
    select(font, { size: 10 });
    const { font: file } = (doc as unknown as FontInUse)._font;
    return [...cluster].every((character) => file.hasGlyphForCodePoint(character.codePointAt(0)!));
  }

  /** The font for a cluster of characters, that of the cluster before where it will do; -1: none. */
  function fontFor(cluster: string, before: number): number {
    const key = `${before} ${cluster}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const order = [...(before > LATIN ? [before] : []), ...Array.from({ length: FONT_COUNT }, (_, i) => i)];
    const font = order.find((candidate) => hasAll(candidate, cluster)) ?? -1;
    if (known.size < 20_000) known.set(key, font);
    return font;
  }

  function runsOf(text: string): readonly Run[] {
    if (/^[\x20-\x7e]*$/.test(text)) return [{ font: LATIN, text, original: null }];
    const clusters: { font: number; text: string }[] = [];
    let before = LATIN;
    for (const { segment } of SEGMENTER.segment(text)) {
      before = fontFor(segment, before === -1 ? LATIN : before);
      const last = clusters.at(-1);
      if (last?.font === before) last.text += segment;
      else clusters.push({ font: before, text: segment });
    }
    return clusters.map(({ font, text }) => {
      if (font === -1 || !canSet(font, text)) return inLatin(text);
      return { font, text, original: font >= FIRST_JOINED && !isArabic(font) ? text : null };
    });
  }

  /** A font may fail at joining letters; such a text is shown in Latin letters. */
  function canSet(font: number, text: string): boolean {
    if (font < FIRST_JOINED) return true;
    try {
      select(font, { size: 10 });
      return Number.isFinite(doc.widthOfString(text));
    } catch {
      return false;
    }
  }

  function inLatin(original: string): Run {
    const text = anyAscii(original).replaceAll(/[^\x20-\x7e]/g, '');
    return { font: LATIN, text: text === '' ? '?' : text, original };
  }

  function runWidth({ font, text }: Run, style: TextStyle): number {
    select(font, style);
    return doc.widthOfString(text, asOne(font));
  }

  function width(text: string, style: TextStyle): number {
    return runsOf(text).reduce((sum, run) => sum + runWidth(run, style), 0);
  }

  function cut(text: string, most: number, style: TextStyle): string {
    if (width(text, style) <= most) return text;
    const clusters = Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
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
    const runs = runsOf(shown);
    const whole = style.align === undefined || style.align === 'left' ? 0 : width(shown, style);
    let at = x - (style.align === 'right' ? whole : style.align === 'center' ? whole / 2 : 0);
    for (const run of runs) {
      const advance = runWidth(run, style);
      if (run.original !== null) doc.markContent('Span', { actual: run.original });
      doc
        .fillColor(style.color ?? INK)
        .text(run.text, at, y, { lineBreak: false, baseline: 'alphabetic', ...asOne(run.font) });
      if (run.original !== null) doc.endMarkedContent();
      at += advance;
    }
  }

  function wrap(text: string, most: number, style: TextStyle): readonly string[] {
    const lines: string[] = [];
    let current = '';
    for (const word of text.split(' ')) {
      const longer = current === '' ? word : `${current} ${word}`;
      if (width(longer, style) <= most) {
        current = longer;
        continue;
      }
      if (current !== '') lines.push(current);
      const pieces = broken(word, most, style);
      lines.push(...pieces.slice(0, -1));
      current = pieces.at(-1) ?? '';
    }
    return current === '' ? lines : [...lines, current];
  }

  /** A word that is wider than a line, in pieces that are not. */
  function broken(word: string, most: number, style: TextStyle): string[] {
    if (width(word, style) <= most) return [word];
    const pieces: string[] = [];
    let piece = '';
    for (const { segment } of SEGMENTER.segment(word)) {
      if (piece !== '' && width(piece + segment, style) > most) {
        pieces.push(piece);
        piece = '';
      }
      piece += segment;
    }
    return [...pieces, piece];
  }

  return {
    width,
    line,
    wrap,
    forget() {
      const { _fontFamilies: fonts } = doc as unknown as { _fontFamilies: Record<string, { layoutCache?: object }> };
      for (const font of Object.values(fonts))
        if (font.layoutCache !== undefined) font.layoutCache = Object.create(null) as object;
    },
    paragraph(text, x, y, most, { maxLines = Infinity, ...style }) {
      const lines = wrap(text, most, style);
      const shown = lines.slice(0, maxLines);
      if (lines.length > maxLines) shown[maxLines - 1] = cut(`${shown[maxLines - 1]} …`, most, style);
      for (const [i, one] of shown.entries()) line(one, x, y + i * style.size * LEADING, style);
      return y + shown.length * style.size * LEADING;
    },
  };
}
