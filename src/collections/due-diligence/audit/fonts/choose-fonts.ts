import { openFace, type Face } from './face.ts';
import { hanFonts, scriptFonts, type FontFile, type HanStyle, type Weight } from './font-files.ts';

/** Which font of a document sets which letters. */
interface FontChoice {
  faceOf(font: FontFile, weight?: Weight): Face;
  /** The font for a cluster of characters, that of the cluster before where it will do; `NO_FONT` where none will. */
  fontFor(cluster: string, before: FontFile | null, style: HanStyle): FontFile;
  /** Whether the first font sets all of it from left to right, each character by itself: as good as every text. */
  isFirst(text: string): boolean;
}

/** The first font. */
export const latin = (): FontFile => scriptFonts()[0]!;

/** A font of which no glyph is shown: its letters stand as their code points. */
export const NO_FONT: FontFile = { name: 'none', covers: () => false, bytes: () => latin().bytes(400) };

/** Chinese characters and their punctuation, kana and hangul. */
const HAN =
  /[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u1100-\u11ff\u{1f200}-\u{1f2ff}\u{20000}-\u{323af}]/u;
/** What has no shape of its own: joiners, variation selectors, marks of direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** What joins the character before it, or has no shape of its own. */
const APART = /[\p{M}\p{Default_Ignorable_Code_Point}]/u;
/** Fonts of the letters that were met lately. */
const MOST_KNOWN = 20_000;

export function createFontChoice(file: PDFKit.PDFDocument): FontChoice {
  const known = new Map<string, FontFile>();
  /** Of the document alone, so that a long-lived process does not keep every font it ever used. */
  const faces = new Map<string, Face>();
  /** Whether a character is set in the first font whatever stands next to it, by code point. */
  const firsts = new Map<number, boolean>();

  function faceOf(font: FontFile, weight: Weight = 400): Face {
    const name = `${font.name} ${weight}`;
    let face = faces.get(name);
    if (face === undefined) faces.set(name, (face = openFace(file, font, weight)));
    return face;
  }

  function hasAll(font: FontFile, cluster: string): boolean {
    const points = [...cluster].filter((character) => !INVISIBLE.test(character)).map((one) => one.codePointAt(0)!);
    if (!points.every((point) => font.covers(point))) return false;
    const face = faceOf(font);
    return points.every((point) => face.has(point));
  }

  function fontFor(cluster: string, before: FontFile | null, style: HanStyle): FontFile {
    const key = `${before?.name} ${style} ${cluster}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const first = before === null || before === latin() || before === NO_FONT ? [] : [before];
    const order = HAN.test(cluster)
      ? [...hanFonts(style), ...scriptFonts()]
      : [...first, ...scriptFonts(), ...hanFonts(style)];
    const font = order.find((candidate) => hasAll(candidate, cluster)) ?? NO_FONT;
    if (known.size < MOST_KNOWN) known.set(key, font);
    return font;
  }

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

  return { faceOf, fontFor, isFirst };
}
