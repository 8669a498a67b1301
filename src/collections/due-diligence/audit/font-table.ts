import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { woffToSfnt } from './woff-to-sfnt.ts';

export type Weight = 400 | 600;

/**
 * Fonts in the order they are searched for a character: Noto Sans in parts by script, under the SIL Open Font License. What none
 * of them has, Chinese, Khmer and Burmese among it, is shown in Latin letters, with the original as the text under it.
 */
const FONTS: readonly (readonly [family: string, subset: string])[] = [
  ['noto-sans', 'latin'],
  ['noto-sans', 'latin-ext'],
  ['noto-sans', 'vietnamese'],
  ['noto-sans', 'cyrillic'],
  ['noto-sans', 'cyrillic-ext'],
  ['noto-sans', 'greek'],
  ['noto-sans', 'greek-ext'],
  ['noto-sans', 'devanagari'],
  ['noto-sans-thai', 'thai'],
  ['noto-sans-lao', 'lao'],
  ['noto-sans-bengali', 'bengali'],
  ['noto-sans-ethiopic', 'ethiopic'],
  ['noto-sans-arabic', 'arabic'],
];

/** Whether a font is written from right to left: readers find its letters best by what is on the page. */
export function isArabic(font: number): boolean {
  return FONTS[font]?.[1] === 'arabic';
}

/** How many fonts there are to search; font 0 is that of Latin letters. */
export const FONT_COUNT = FONTS.length;

const opened = new Map<string, Buffer>();

/** A font as an OpenType file, unpacked once a process. Of WOFF 1, because the subsets of WOFF 2 cannot be embedded. */
export function fontBytes(font: number, weight: Weight): Buffer {
  const [family, subset] = FONTS[font]!;
  const name = `@fontsource/${family}/files/${family}-${subset}-${weight}-normal.woff`;
  const known = opened.get(name);
  if (known !== undefined) return known;
  const bytes = woffToSfnt(readFileSync(fileURLToPath(import.meta.resolve(name))));
  opened.set(name, bytes);
  return bytes;
}
