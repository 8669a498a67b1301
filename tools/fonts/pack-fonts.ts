import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FONT_PACK, fontPackBytes, readFontPack } from '../../src/collections/due-diligence/audit/fonts/font-pack.ts';

const TOOL = import.meta.dirname;
/** Packages that were installed for this alone, or next to those of the program. */
const FOLDERS = [join(TOOL, 'node_modules'), join(TOOL, '../../node_modules')];

/** Parts by script of fonts that have a file for each weight, in the order they are searched for a letter. */
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
/** The same as fonts of variable weight. */
const VARIABLE = ['hebrew', 'khmer', 'myanmar', 'tamil', 'telugu', 'kannada', 'malayalam', 'sinhala'];
/** Chinese, Japanese and Korean, in parts of some 100 characters. */
const HAN = ['sc', 'tc', 'jp', 'kr'];

/** Whether the pack is there, made of the packages of now. */
export function areFontsCurrent(): boolean {
  try {
    return readFontPack(FONT_PACK).key === keyNow();
  } catch {
    return false;
  }
}

/** Writes the pack: of each package the parts that are set, in the weights that are set. Throws where a package is not there. */
export function packFonts(): void {
  mkdirSync(dirname(FONT_PACK), { recursive: true });
  const fonts = [
    ...SCRIPTS.map(([family, subset]) => fontOf('@fontsource', family, subset, subset)),
    ...VARIABLE.map((script) => fontOf('@fontsource-variable', `noto-sans-${script}`, script, script)),
    ...HAN.flatMap((style) =>
      Object.keys(rangesOf(`@fontsource-variable/noto-sans-${style}`))
        .filter((subset) => subset.startsWith('['))
        .map((subset) => fontOf('@fontsource-variable', `noto-sans-${style}`, subset, subset.slice(1, -1))),
    ),
  ];
  // Whole or not at all: another process may be reading it.
  writeFileSync(`${FONT_PACK}.new`, fontPackBytes(keyNow(), fonts));
  renameSync(`${FONT_PACK}.new`, FONT_PACK);
  writeFileSync(
    join(dirname(FONT_PACK), 'fonts-licence.txt'),
    readFileSync(join(folderOf('@fontsource/noto-sans'), 'LICENSE')),
  );
}

function fontOf(scope: string, family: string, subset: string, file: string) {
  const owner = `${scope}/${family}`;
  const path = (weight: string): string => join(folderOf(owner), `files/${family}-${file}-${weight}-normal.woff2`);
  const files: Record<string, string> =
    scope === '@fontsource' ? { 400: path('400'), 600: path('600') } : { variable: path('wght') };
  return { family, subset, ranges: rangesOf(owner)[subset] ?? '', files };
}

function rangesOf(owner: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(folderOf(owner), 'unicode.json'), 'utf8')) as Record<string, string>;
}

function folderOf(owner: string): string {
  const folder = FOLDERS.map((one) => join(one, owner)).find((one) => existsSync(one));
  if (folder === undefined) throw new Error(`${owner} is not installed; npm ci --prefix tools/fonts installs it`);
  return folder;
}

/** The versions of the packages, and what is taken of them. */
function keyNow(): string {
  return createHash('sha256')
    .update(readFileSync(join(TOOL, 'package.json')))
    .update(readFileSync(import.meta.filename))
    .digest('hex');
}
