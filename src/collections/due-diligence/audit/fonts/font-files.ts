import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pinWeight } from './pin-weight.ts';
import { woff2ToSfnt } from './woff2-to-sfnt.ts';
import { woffToSfnt } from './woff-to-sfnt.ts';

export type Weight = 400 | 600;

/** Where a text is from decides how its Chinese characters look: the same one is drawn otherwise in Tokyo than in Taipei. */
export type HanStyle = 'jp' | 'kr' | 'sc' | 'tc';

/** A file with letters of one script, or some of the Chinese characters. */
export interface FontFile {
  readonly name: string;
  /** Whether it may have the letter: the file itself decides. */
  covers(codePoint: number): boolean;
  /** An OpenType file. */
  bytes(weight: Weight): Buffer;
}

/** Noto Sans in parts by script, under the SIL Open Font License, in the order they are searched for a letter. */
const SCRIPTS: readonly (readonly [family: string, subset: string])[] = [
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

/** The same as fonts of variable weight, which come as WOFF 2. */
const VARIABLE_SCRIPTS = ['hebrew', 'khmer', 'myanmar', 'tamil', 'telugu', 'kannada', 'malayalam', 'sinhala'] as const;

/** The order in which styles are searched for a Chinese character that the first has not. */
const STYLES: readonly HanStyle[] = ['sc', 'tc', 'jp', 'kr'];
const STYLE_BY_COUNTRY: Readonly<Record<string, HanStyle>> = {
  JP: 'jp',
  KP: 'kr',
  KR: 'kr',
  TW: 'tc',
  HK: 'tc',
  MO: 'tc',
};

/** The style of a text: kana are Japanese and hangul Korean wherever they are from; else the country says it. */
export function hanStyle(text: string, country: string | null): HanStyle {
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return 'jp';
  if (/\p{sc=Hangul}/u.test(text)) return 'kr';
  return STYLE_BY_COUNTRY[country ?? ''] ?? 'sc';
}

/** Fonts of whole scripts; the first is that of Latin letters. */
export const SCRIPT_FONTS: readonly FontFile[] = [
  ...SCRIPTS.map(([family, subset]) => staticFont(family, subset)),
  ...VARIABLE_SCRIPTS.map((script) => variableFont(`noto-sans-${script}`, script, script)),
];

/** The parts of a font of Chinese, Japanese and Korean, the style first. */
export function hanFonts(style: HanStyle): readonly FontFile[] {
  return [style, ...STYLES.filter((other) => other !== style)].flatMap((one) => (parts[one] ??= partsOf(one)));
}

/** Fonts that stay unpacked for the next export: some 50 KB each, 15 ms to unpack. */
const MOST_UNPACKED = 80;
const unpacked = new Map<string, Buffer>();

const parts: Partial<Record<HanStyle, readonly FontFile[]>> = {};

function partsOf(style: HanStyle): readonly FontFile[] {
  const family = `noto-sans-${style}`;
  return Object.keys(rangesOf(`@fontsource-variable/${family}`))
    .filter((subset) => subset.startsWith('['))
    .map((subset) => variableFont(family, subset, subset.slice(1, -1)));
}

function staticFont(family: string, subset: string): FontFile {
  const owner = `@fontsource/${family}`;
  return fontFile(owner, subset, (weight) =>
    woffToSfnt(readFileSync(pathOf(`${owner}/files/${family}-${subset}-${weight}-normal.woff`))),
  );
}

function variableFont(family: string, subset: string, file: string): FontFile {
  const owner = `@fontsource-variable/${family}`;
  return fontFile(owner, subset, (weight) =>
    pinWeight(woff2ToSfnt(readFileSync(pathOf(`${owner}/files/${family}-${file}-wght-normal.woff2`))), weight),
  );
}

function fontFile(owner: string, subset: string, unpack: FontFile['bytes']): FontFile {
  const name = `${owner} ${subset}`;
  return {
    name,
    covers: coverage(owner, subset),
    bytes(weight) {
      const key = `${name} ${weight}`;
      const known = unpacked.get(key);
      if (known !== undefined) return known;
      const bytes = unpack(weight);
      for (const oldest of unpacked.keys())
        if (unpacked.size >= MOST_UNPACKED) unpacked.delete(oldest);
        else break;
      unpacked.set(key, bytes);
      return bytes;
    },
  };
}

function pathOf(file: string): string {
  return fileURLToPath(import.meta.resolve(file));
}

type Ranges = Readonly<Record<string, string>>;
const read = new Map<string, Ranges>();

/** What each part of a package has, as CSS writes it: `U+1780-17FF,U+25CC`. */
function rangesOf(owner: string): Ranges {
  const known = read.get(owner);
  if (known !== undefined) return known;
  const ranges = JSON.parse(readFileSync(pathOf(`${owner}/unicode.json`), 'utf8')) as Ranges;
  read.set(owner, ranges);
  return ranges;
}

/** Read when the first letter is searched for. */
function coverage(owner: string, subset: string): FontFile['covers'] {
  let ranges: readonly (readonly [first: number, last: number])[] | null = null;
  return (codePoint) => {
    ranges ??= (rangesOf(owner)[subset] ?? '')
      .split(',')
      .map((range) => range.replace('U+', '').split('-'))
      .map(([first, last = first]) => [Number.parseInt(first!, 16), Number.parseInt(last!, 16)]);
    return ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
  };
}
