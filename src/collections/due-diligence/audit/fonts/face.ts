import { round } from '../../../../geo/round.ts';
import type { FontFile, Weight } from './font-files.ts';
import { createRecentTexts } from './recent-texts.ts';
import { createShaper, type PlacedGlyph } from './shape-text.ts';

/** What pdfkit keeps of a font of the document: it embeds the glyphs of the subset, and names what they stand for. */
interface FontInUse {
  readonly id: string;
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean; getGlyph(id: number): { advanceWidth: number } };
  readonly scale: number;
  readonly subset: { readonly glyphs: number[] };
  readonly widths: number[];
  readonly unicode: (readonly number[])[];
  ref(): unknown;
}

/** Glyphs that follow each other on one line; numbers in thousandths of the size. */
interface Piece {
  /** From where the text begins. */
  readonly at: number;
  /** Above the baseline. */
  readonly above: number;
  /** Whether it was moved off its place: what follows begins at its own again. */
  readonly isMoved: boolean;
  /** The inside of a hexadecimal string; numbers between two of them move what follows to the left. */
  readonly codes: string;
}

/** A text that was laid out. */
export interface Shaped {
  /** Thousandths of the size. */
  readonly width: number;
  /** Made when it is drawn: a glyph that was only measured is not embedded. */
  readonly pieces: () => readonly Piece[];
}

/** A font of one weight in a document. */
export interface Face {
  /** Its name on pages. */
  readonly id: string;
  readonly ref: () => unknown;
  has(codePoint: number): boolean;
  /** Lays a text out as one, and remembers it. */
  shape(text: string, isRightToLeft: boolean): Shaped;
}

/** Texts that a font remembers at least: words come again from page to page. */
const REMEMBERED = 2_500;

/** Adds a font to a document. */
export function openFace(file: PDFKit.PDFDocument, font: FontFile, weight: Weight): Face {
  const name = `${font.name} ${weight}`;
  const bytes = font.bytes(weight);
  file.registerFont(name, bytes);
  file.font(name);
  const inUse = (file as unknown as { _font: FontInUse })._font;
  const shaper = createShaper(bytes);
  const encode = encoder(inUse);
  const known = [createRecentTexts<Shaped>(REMEMBERED), createRecentTexts<Shaped>(REMEMBERED)] as const;
  return {
    id: inUse.id,
    ref: () => inUse.ref(),
    has: (codePoint) => inUse.font.hasGlyphForCodePoint(codePoint),
    shape(text, isRightToLeft) {
      const texts = known[isRightToLeft ? 1 : 0];
      const before = texts.get(text);
      if (before !== undefined) return before;
      const glyphs = shaper.shape(text, isRightToLeft);
      const width = glyphs.reduce((sum, { advance }) => sum + advance * inUse.scale, 0);
      let pieces: readonly Piece[] | null = null;
      const shaped = { width, pieces: () => (pieces ??= piecesOf(glyphs, inUse, encode)) };
      texts.set(text, shaped);
      return shaped;
    },
  };
}

/**
 * Gives a glyph a code for each text it stands for, so that the text can be found again: the bowl of an Arabic letter is one
 * glyph whatever its dots, and pdfkit would take all of them for the letter that came first.
 */
function encoder(font: FontInUse): (glyph: PlacedGlyph, width: number) => string {
  const codes = new Map<string, string>([['0 0', '0000']]);
  return ({ id, codePoints }, width) => {
    const key = `${id} ${codePoints.join(' ')}`;
    const known = codes.get(key);
    if (known !== undefined) return known;
    const code = font.subset.glyphs.push(id) - 1;
    font.widths[code] = width;
    font.unicode[code] = codePoints;
    const text = code.toString(16).padStart(4, '0');
    codes.set(key, text);
    return text;
  };
}

function piecesOf(
  glyphs: readonly PlacedGlyph[],
  { font, scale }: FontInUse,
  encode: ReturnType<typeof encoder>,
): readonly Piece[] {
  const pieces: Piece[] = [];
  let [codes, begun, at] = ['', 0, 0];
  const flush = (): void => {
    if (codes !== '') pieces.push({ at: begun, above: 0, isMoved: false, codes });
    codes = '';
  };
  for (const glyph of glyphs) {
    const width = font.getGlyph(glyph.id).advanceWidth * scale;
    const code = encode(glyph, width);
    const advance = glyph.advance * scale;
    if (glyph.xOffset !== 0 || glyph.yOffset !== 0) {
      flush();
      pieces.push({ at: at + glyph.xOffset * scale, above: glyph.yOffset * scale, isMoved: true, codes: code });
    } else {
      if (codes === '') begun = at;
      const back = round(width - advance, 3);
      codes += back === 0 ? code : `${code}> ${back} <`;
    }
    at += advance;
  }
  flush();
  return pieces;
}
