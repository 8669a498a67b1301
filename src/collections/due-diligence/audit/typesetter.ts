import { hanFonts, hanStyle, scriptFonts, type FontFile, type HanStyle, type Weight } from './fonts/font-files.ts';
import { createShaper, type PlacedGlyph } from './fonts/shape-text.ts';
import { textRuns, type Run } from './fonts/text-runs.ts';
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
  /** Where the texts that follow are from, an ISO 3166-1 alpha-2 code: decides how Chinese characters look. */
  from(country: string | null): void;
  /** Drops the words that pdfkit remembers, which are all it ever set. */
  forget(): void;
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
/** Fonts of the letters that were met lately. */
const MOST_KNOWN = 20_000;

/** What pdfkit keeps of the font in use. */
interface FontInUse {
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean; getGlyph(id: number): { advanceWidth: number } };
  readonly scale: number;
  readonly subset: { readonly glyphs: number[] };
  readonly widths: number[];
  readonly unicode: (readonly number[])[];
  layout(text: string, features?: []): ReturnType<typeof laidOut>;
  layoutRun(text: string): ReturnType<typeof laidOut>;
  encode(text: string, features?: []): readonly [codes: readonly string[], positions: unknown];
}

/** A font of which no glyph is shown: its letters stand as their code points. */
const NONE: FontFile = { name: 'none', covers: () => false, bytes: () => latin().bytes(400) };

export function createTypesetter(doc: PdfDocument): Typesetter {
  const known = new Map<string, FontFile>();
  /** Of the document alone, so that a long-lived process does not keep every font it ever used. */
  const opened = new Set<string>();
  let country: string | null = null;
  let isRightToLeft = false;

  function select(font: FontFile, { size, weight = 400 }: TextStyle): FontInUse {
    const name = `${font.name} ${weight}`;
    if (opened.has(name)) doc.font(name).fontSize(size);
    else {
      opened.add(name);
      const bytes = font.bytes(weight);
      doc.registerFont(name, bytes);
      doc.font(name).fontSize(size);
      shapeWithHarfBuzz(bytes);
    }
    return (doc as unknown as { _font: FontInUse })._font;
  }

  /** pdfkit sets the glyphs and embeds them; which ones and where is left to HarfBuzz. */
  function shapeWithHarfBuzz(bytes: Buffer): void {
    const inUse = (doc as unknown as { _font: FontInUse })._font;
    const shaper = createShaper(bytes);
    inUse.layoutRun = (text) => laidOut(shaper.shape(text, isRightToLeft), inUse);
    inUse.encode = encoder(inUse);
  }

  function hasAll(font: FontFile, cluster: string): boolean {
    const points = [...cluster].filter((character) => !INVISIBLE.test(character)).map((one) => one.codePointAt(0)!);
    if (!points.every((point) => font.covers(point))) return false;
    const { font: file } = select(font, { size: 10 });
    return points.every((point) => file.hasGlyphForCodePoint(point));
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

  function runsOf(text: string): readonly Run<FontFile>[] {
    if (/^[\x20-\x7e]*$/.test(text)) return [{ font: latin(), text, isRightToLeft: false }];
    const style = hanStyle(text, country);
    return textRuns(text, (cluster, before: FontFile | null) => fontFor(cluster, before, style));
  }

  function runWidth(run: Run<FontFile>, style: TextStyle): number {
    const [font, text, more] = shownOf(run);
    select(font, style);
    ({ isRightToLeft } = run);
    return doc.widthOfString(text, more);
  }

  function drawRun(run: Run<FontFile>, x: number, y: number, style: TextStyle): void {
    const [font, text, more] = shownOf(run);
    select(font, style);
    ({ isRightToLeft } = run);
    // Where glyphs do not stand in the order of the text, the text is written under them. Readers of a page turn letters from
    // right to left round themselves.
    const isNamed = !isPlain(run.font) && !run.isRightToLeft;
    const draw = (): void =>
      void doc.fillColor(style.color ?? INK).text(text, x, y, { lineBreak: false, baseline: 'alphabetic', ...more });
    if (isNamed) withText(run.text, draw);
    else draw();
  }

  /**
   * Names the text of what is drawn. The mark is put around the glyphs alone, where the page is not upside down: poppler takes
   * the place of the text from where the mark ends.
   */
  function withText(text: string, draw: () => void): void {
    const add = doc.addContent.bind(doc);
    const hex = Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex');
    doc.addContent = (content: string) => {
      if (content === 'BT') add(`/Span << /ActualText <${hex}> >> BDC`);
      add(content);
      return content === 'ET' ? add('EMC') : doc;
    };
    try {
      draw();
    } finally {
      doc.addContent = add;
    }
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
      drawRun(run, at, y, style);
      at += runWidth(run, style);
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
    forget() {
      const { _fontFamilies: fonts } = doc as unknown as { _fontFamilies: Record<string, { layoutCache?: object }> };
      for (const font of Object.values(fonts))
        if (font.layoutCache !== undefined) font.layoutCache = Object.create(null) as object;
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

/** What a run is shown as. Without features pdfkit sets word after word from the left; other scripts are laid out as one. */
function shownOf({ font, text, isRightToLeft }: Run<FontFile>): readonly [FontFile, string, { features?: [] }] {
  if (font === NONE) return [latin(), codePointsOf(text), {}];
  return [font, text, isPlain(font) && !isRightToLeft ? {} : { features: [] }];
}

/** What no font has, never as other letters: `[U+1F333]`. */
function codePointsOf(text: string): string {
  return Array.from(text, (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`).join('');
}

/**
 * Gives a glyph a code for each text it stands for, so that the text can be found again: the bowl of an Arabic letter is one
 * glyph whatever its dots, and pdfkit would take all of them for the letter that came first.
 */
function encoder(font: FontInUse): FontInUse['encode'] {
  const codes = new Map<string, number>([['0 0', 0]]);
  return (text, features) => {
    const { glyphs, positions } = font.layout(text, features);
    const encoded = glyphs.map(({ id, codePoints, advanceWidth }) => {
      const key = `${id} ${codePoints.join(' ')}`;
      let code = codes.get(key);
      if (code === undefined) {
        code = font.subset.glyphs.push(id) - 1;
        codes.set(key, code);
        font.widths[code] = advanceWidth * font.scale;
        font.unicode[code] = codePoints;
      }
      return code.toString(16).padStart(4, '0');
    });
    return [encoded, positions];
  };
}

/** Glyphs as pdfkit takes them: places in thousandths of the size. */
function laidOut(glyphs: readonly PlacedGlyph[], { font, scale }: FontInUse) {
  const out = glyphs.map(({ id, codePoints }) => ({ id, codePoints, advanceWidth: font.getGlyph(id).advanceWidth }));
  const positions = glyphs.map(({ advance, xOffset, yOffset }, i) => ({
    xAdvance: advance * scale,
    yAdvance: 0,
    xOffset: xOffset * scale,
    yOffset: yOffset * scale,
    advanceWidth: out[i]!.advanceWidth * scale,
  }));
  return { glyphs: out, positions, advanceWidth: positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0) };
}
