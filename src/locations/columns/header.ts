import type { GridRow } from '../source-table.ts';
import { FIELDS, SYNONYMS } from './fields.ts';
import { DISTRICT_WORDS } from '../geocode/place-words.ts';
import { looksLikeGeometry } from '../values/parse-geometry.ts';

export interface Header {
  /** The row it stands in; 0 when the table has none. */
  readonly row: number;
  readonly names: readonly string[];
}

/** Rows at the beginning among which the header is looked for. */
export const HEADER_ROWS = 30;

/** Between a Chinese or Japanese word and Latin letters or digits, which are written without a space: `面積ha`, `GPS緯度`. */
const BETWEEN_SCRIPTS =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー])(?=[a-z\d])|(?<=[a-z\d])(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])/gu;

/** Folded once a header is looked for: a start does without. */
let known: ReadonlySet<string> | null = null;

/**
 * Finds the header among the first rows: the row of short, different texts that are most often names we know, above rows
 * that look otherwise. Titles, notes and merged cells above it are passed over; a cell left empty takes the text above it.
 * A table of data alone gets the names `column_1` and so on.
 */
export function findHeader(rows: readonly GridRow[]): Header {
  let best = { index: -1, score: 0 };
  for (const [index, row] of rows.slice(0, HEADER_ROWS).entries()) {
    const score = scoreOf(row, rows.slice(index + 1, index + 6)) - index * 0.02;
    if (score > best.score) best = { index, score };
  }
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  if (best.index < 0) return { row: 0, names: uniqueNames(Array.from({ length: width }, () => '')) };
  const header = rows[best.index];
  const above = rows[best.index - 1]?.cells ?? [];
  const texts = Array.from(
    { length: header.cells.length },
    (_, i) => textOf(header.cells[i]) || (best.index > 0 ? textOf(above[i]) : ''),
  );
  return { row: header.row, names: uniqueNames(texts) };
}

/** Whether a name is none of the table's own but the number of a column without a heading. */
export function isNumbered(name: string): boolean {
  return /^column_\d+$/.test(name);
}

/** Names of which no two are alike; those that are missing are numbered from 1. */
export function uniqueNames(texts: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return texts.map((text, i) => {
    const name = text === '' || text === '__proto__' ? `column_${i + 1}` : text;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name} (${times})`;
  });
}

function scoreOf({ cells }: GridRow, below: readonly GridRow[]): number {
  const filled = cells.filter((cell) => cell !== null && cell !== undefined && cell !== '');
  if (filled.length === 0) return 0;
  const texts = filled.map(textOf);
  if (texts.some(isData)) return 0;
  const names = texts.filter(isName);
  const known = new Set(names.map(foldName).filter(isKnown)).size;
  const widest = Math.max(
    filled.length,
    ...below.map((row) => row.cells.filter((cell) => cell !== null && cell !== '').length),
  );
  const nameShare = names.length / filled.length;
  const different = new Set(names).size / Math.max(1, names.length);
  if (nameShare < 0.6 || (filled.length === 1 && widest > 1)) return 0;
  return (
    nameShare * different * (filled.length / widest) + Math.min(known, 6) * 0.5 + (contrast(cells, below) ? 0.5 : 0)
  );
}

/** What no heading is: a geometry, or a number with decimals such as a coordinate. A year or a version may be one. */
function isData(text: string): boolean {
  return /^[+-]?\d+[.,]\d{2,}$/.test(text) || looksLikeGeometry(text);
}

/** A heading is a short text that is neither a number nor a sentence. */
function isName(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= 60 &&
    !/^[\d\s.,:+/°'"-]+$/.test(text) &&
    !/[.!?]\s+\S/.test(text) &&
    !/^[=+]/.test(text)
  );
}

/** Whether a folded heading is a name we know or has one of more than one letter among its words. */
function isKnown(folded: string): boolean {
  const names = (known ??= new Set(FIELDS.flatMap((field) => SYNONYMS[field].map(foldName))));
  const isWord = (word: string): boolean => (word.length > 2 || isUnspaced(word)) && names.has(word);
  return names.has(folded) || folded.split(' ').some(isWord);
}

/** Whether a column of texts in the header has numbers below it. */
function contrast(cells: readonly unknown[], below: readonly GridRow[]): boolean {
  return cells.some(
    (cell, i) =>
      isName(textOf(cell)) &&
      below.some((row) => row.cells[i] != null && row.cells[i] !== '') &&
      below.every((row) => row.cells[i] == null || row.cells[i] === '' || /^[\s+-]?\d/.test(textOf(row.cells[i]))),
  );
}

function textOf(cell: unknown): string {
  return typeof cell === 'string'
    ? cell.trim().replaceAll(/\s+/g, ' ')
    : cell === null || cell === undefined
      ? ''
      : String(cell);
}

/** A heading without case, accents, punctuation and the difference between spaces, underscores and capitals. */
export function foldName(name: string): string {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}ـ]/gu, '')
    .replaceAll('đ', 'd')
    .replaceAll(BETWEEN_SCRIPTS, ' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/\p{sc=Arabic}+/gu, plainArabic)
    .trim();
}

/** An Arabic word without its article, and with one of the two letters that stand at its end in either spelling. */
function plainArabic(word: string): string {
  return word
    .replace(/^ال(?=..)/u, '')
    .replace(/ى$/u, 'ي')
    .replace(/ة$/u, 'ه');
}

/** Whether a word is of a script that writes words without spaces between them, in which two letters may be a whole word. */
export function isUnspaced(word: string): boolean {
  return /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word);
}

/** Headings of districts in languages whose addresses are looked up by name alone. */
const DISTRICT_HEADINGS = /^(land)?kreis|^bezirk|^distri[ck]t|^distretto|^[县縣郡区區]|[县縣郡]$|^(قضاء|ناحيه|مركز)/;

/** Whether a heading is one of districts rather than of settlements: `District`, `Kabupaten`, `admin2`. */
export function namesDistricts(heading: string | undefined): boolean {
  if (heading === undefined) return false;
  const folded = foldName(heading);
  return (
    /\bad(min|m) ?2\b/.test(folded) ||
    DISTRICT_HEADINGS.test(folded) ||
    folded.split(' ').some((word) => DISTRICT_WORDS.has(word))
  );
}
