import { fontPack, type PackedFont } from './font-pack.ts';
import { pinWeight } from './pin-weight.ts';
import { woff2ToSfnt } from './woff2-to-sfnt.ts';

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

/** Fonts that stay unpacked for the next export: some 50 KB each, 15 ms to unpack. */
const MOST_UNPACKED = 80;
const unpacked = new Map<string, Buffer>();

/** Noto Sans in parts by script, under the SIL Open Font License, in the order they are searched for a letter; Latin is the first. */
export function scriptFonts(): readonly FontFile[] {
  return (scripts ??= fontPack()
    .fonts.filter(({ family }) => styleOf(family) === null)
    .map(fontFile));
}
let scripts: readonly FontFile[] | null = null;

/** The parts of a font of Chinese, Japanese and Korean, the style first. */
export function hanFonts(style: HanStyle): readonly FontFile[] {
  return [style, ...STYLES.filter((other) => other !== style)].flatMap((one) => (parts[one] ??= partsOf(one)));
}
const parts: Partial<Record<HanStyle, readonly FontFile[]>> = {};

function partsOf(style: HanStyle): readonly FontFile[] {
  return fontPack()
    .fonts.filter(({ family }) => styleOf(family) === style)
    .map(fontFile);
}

function styleOf(family: string): HanStyle | null {
  return STYLES.find((style) => family === `noto-sans-${style}`) ?? null;
}

function fontFile(font: PackedFont): FontFile {
  const name = `${font.family} ${font.subset}`;
  return {
    name,
    covers: coverage(font.ranges),
    bytes(weight) {
      const key = `${name} ${weight}`;
      const known = unpacked.get(key);
      if (known !== undefined) return known;
      const bytes = unpack(font, weight);
      for (const oldest of unpacked.keys())
        if (unpacked.size >= MOST_UNPACKED) unpacked.delete(oldest);
        else break;
      unpacked.set(key, bytes);
      return bytes;
    },
  };
}

function unpack({ files }: PackedFont, weight: Weight): Buffer {
  const { read } = fontPack();
  return 'variable' in files ? pinWeight(woff2ToSfnt(read(files.variable)), weight) : woff2ToSfnt(read(files[weight]));
}

/** Read when the first letter is searched for. */
function coverage(text: string): FontFile['covers'] {
  let ranges: readonly (readonly [first: number, last: number])[] | null = null;
  return (codePoint) => {
    ranges ??= text
      .split(',')
      .map((range) => range.replace('U+', '').split('-'))
      .map(([first, last = first]) => [Number.parseInt(first!, 16), Number.parseInt(last!, 16)]);
    return ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
  };
}
