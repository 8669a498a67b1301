import { placeOfLink } from './parse-map-link.ts';
import { parseNumber, parsePlainNumber } from './parse-number.ts';
import { splitGeopoint } from './parse-survey.ts';
import { plainCharacters } from './plain-characters.ts';

export type Axis = 'latitude' | 'longitude';

/** Whose letters stand for hemispheres: an O is west in Spanish and French, and east in German and Dutch, where Z is south. */
export type HemisphereLetters = 'usual' | 'germanic';

export interface ParsedCoordinate {
  /** Degrees, south and west negative. */
  readonly value: number;
  /** By the letter or word next to the number; null when there is none. */
  readonly axis: Axis | null;
  /** Decimals of a degree that the writing resolves. */
  readonly decimals: number;
  readonly form: 'decimal' | 'minutes' | 'seconds';
}

interface Hemisphere {
  readonly axis: Axis;
  readonly sign: 1 | -1;
}

const NORTH: Hemisphere = { axis: 'latitude', sign: 1 };
const SOUTH: Hemisphere = { axis: 'latitude', sign: -1 };
const EAST: Hemisphere = { axis: 'longitude', sign: 1 };
const WEST: Hemisphere = { axis: 'longitude', sign: -1 };

/**
 * Letters and words next to a coordinate, folded: English, Spanish, French, Portuguese, Indonesian, Vietnamese, Thai, German, Italian,
 * Dutch, Japanese, Chinese, Arabic.
 */
const HEMISPHERES: Readonly<Record<string, Hemisphere>> = {
  n: NORTH,
  north: NORTH,
  norte: NORTH,
  nord: NORTH,
  lu: NORTH,
  utara: NORTH,
  bac: NORTH,
  เหนือ: NORTH,
  noord: NORTH,
  nb: NORTH,
  北緯: NORTH,
  北纬: NORTH,
  北: NORTH,
  شمال: NORTH,
  شمالا: NORTH,
  ش: NORTH,
  s: SOUTH,
  south: SOUTH,
  sur: SOUTH,
  sud: SOUTH,
  sul: SOUTH,
  ls: SOUTH,
  selatan: SOUTH,
  nam: SOUTH,
  ใต: SOUTH,
  zuid: SOUTH,
  zb: SOUTH,
  南緯: SOUTH,
  南纬: SOUTH,
  南: SOUTH,
  جنوب: SOUTH,
  جنوبا: SOUTH,
  ج: SOUTH,
  e: EAST,
  east: EAST,
  este: EAST,
  est: EAST,
  l: EAST,
  leste: EAST,
  bt: EAST,
  timur: EAST,
  dong: EAST,
  ตะวนออก: EAST,
  ost: EAST,
  oost: EAST,
  ol: EAST,
  東経: EAST,
  東經: EAST,
  东经: EAST,
  東: EAST,
  东: EAST,
  شرق: EAST,
  شرقا: EAST,
  w: WEST,
  west: WEST,
  oeste: WEST,
  ouest: WEST,
  o: WEST,
  bb: WEST,
  barat: WEST,
  tay: WEST,
  ตะวนตก: WEST,
  ovest: WEST,
  wl: WEST,
  西経: WEST,
  西經: WEST,
  西经: WEST,
  西: WEST,
  غرب: WEST,
  غربا: WEST,
  غ: WEST,
};

const GERMANIC: Readonly<Record<string, Hemisphere>> = { o: EAST, z: SOUTH };

function hemisphereOf(word: string, letters: HemisphereLetters): Hemisphere | undefined {
  return (letters === 'germanic' ? GERMANIC[word] : undefined) ?? HEMISPHERES[word];
}

const DEGREE_SIGN = '(?:°|º|˚|d|deg|degrees?|grados?|graus?|gradi|grad|graden|do|độ|度|درجة|:|\\s)';
const MINUTE_SIGN = "(?:['′’`´]|m|min|分|دقيقة|:|\\s)";
const SECOND_SIGN = "(?:\"|″|”|“|''|’’|´´|s|sec|seg|sek|秒|ثانية)?";
const NUMBER = '\\d+(?:[.,]\\d+)?';
const SEXAGESIMAL = new RegExp(
  `^(\\d{1,3})\\s*${DEGREE_SIGN}\\s*(${NUMBER})\\s*(?:${MINUTE_SIGN}\\s*(?:(${NUMBER})\\s*${SECOND_SIGN})?)?$`,
  'i',
);

/**
 * Reads one coordinate: decimal degrees with point or comma, degrees and minutes, degrees, minutes and seconds, each with
 * or without a sign or the letter of a hemisphere on either side. Null when it is none of these; whether it is in range is
 * not checked here, but minutes and seconds are below 60.
 */
export function parseCoordinate(value: unknown, letters: HemisphereLetters = 'usual'): ParsedCoordinate | null {
  if (typeof value === 'number') return fromDecimal(value, null);
  if (typeof value !== 'string' || value.length > 80) return null;
  const usual = parsePlainNumber(value);
  if (usual !== null) return withHemisphere(usual.value, null, usual.decimals, 'decimal');
  const written = withoutUnitOfSeconds(plainCharacters(value.normalize('NFC')).trim());
  const { text, hemisphere } = takeHemisphere(written, letters);
  if (text === '') return null;
  const plain = text.replace(/\s*(?:°|º|˚|deg(?:rees?)?|度)\s*$/i, '').replace(/^([+\-\u2212])\s+/, '$1');
  const decimal = /\s/.test(plain) ? null : parseNumber(plain, plain.includes(',') && !plain.includes('.') ? ',' : '.');
  if (decimal !== null) return withHemisphere(decimal.value, hemisphere, decimal.decimals, 'decimal');
  return parseSexagesimal(text, hemisphere);
}

function fromDecimal(value: number, hemisphere: Hemisphere | null): ParsedCoordinate | null {
  const parsed = parseNumber(value);
  return parsed === null ? null : withHemisphere(value, hemisphere, parsed.decimals, 'decimal');
}

function parseSexagesimal(text: string, hemisphere: Hemisphere | null): ParsedCoordinate | null {
  const negative = /^[-\u2212]/.test(text);
  const match = SEXAGESIMAL.exec(text.replace(/^[+\-\u2212]\s*/, '').trim());
  if (match === null) return null;
  const [degrees, minutes, seconds] = [match[1], match[2], match[3]].map((part) =>
    part === undefined ? 0 : Number(part.replace(',', '.')),
  );
  if (minutes >= 60 || seconds >= 60) return null;
  const value = degrees + minutes / 60 + seconds / 3600;
  const hasSeconds = match[3] !== undefined;
  const written = (match[3] ?? match[2]).split(/[.,]/)[1]?.length ?? 0;
  const form = hasSeconds ? 'seconds' : 'minutes';
  return withHemisphere(negative ? -value : value, hemisphere, written + (hasSeconds ? 4 : 2), form);
}

/** A letter gives the sign; a minus next to it means the same thing, not its opposite. */
function withHemisphere(
  value: number,
  hemisphere: Hemisphere | null,
  decimals: number,
  form: ParsedCoordinate['form'],
): ParsedCoordinate {
  if (hemisphere === null) return { value, axis: null, decimals, form };
  return { value: Math.abs(value) * hemisphere.sign, axis: hemisphere.axis, decimals, form };
}

/** The s of `4d34m55s` is of seconds, not of the south: small, or next to the number after an M of minutes. */
function withoutUnitOfSeconds(text: string): string {
  return text.replace(
    /(\dm(?:in)?\.?\s*[\d.,]+\s*)s(?:ec)?(?=\s|[NSEWOnsewo]?$)|(\dM\s*[\d.,]+)S(?=[NSEWO]?$)/,
    '$1$2"',
  );
}

function takeHemisphere(text: string, letters: HemisphereLetters): { text: string; hemisphere: Hemisphere | null } {
  const label =
    /^(?:lat|lon|long|lng|latitude?|longitude?|latitud|longitud|lintang|bujur)\.?\s*[:=]?\s*/i.exec(text)?.[0] ?? '';
  const rest = text.slice(label.length);
  const after = /[\s°º"'″′’”]*(\p{L}[\p{L}\p{M}]*)\.?$/u.exec(rest);
  const before = /^(\p{L}[\p{L}\p{M}]*)\.?\s*/u.exec(rest);
  for (const match of [after, before]) {
    if (match === null) continue;
    const hemisphere = hemisphereOf(folded(match[1]), letters);
    if (hemisphere === undefined) continue;
    if (match === before) return { text: rest.slice(match[0].length).trim(), hemisphere };
    const end = rest.lastIndexOf(match[1]);
    return { text: rest.slice(0, end).trim(), hemisphere };
  }
  return { text: rest, hemisphere: null };
}

function folded(word: string): string {
  return word.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('đ', 'd');
}

interface ParsedPair {
  readonly first: ParsedCoordinate;
  readonly second: ParsedCoordinate;
}

/** Ways to cut a cell with two coordinates in two, surest first. */
const CUTS: readonly ((text: string) => readonly string[])[] = [
  (text) => text.split(/\s*[;|/\n\t]\s*/),
  (text) => (count(text, /,/g) === 1 ? text.split(/\s*,\s*/) : []),
  (text) => text.split(/\s*,\s+/),
  (text) => /^(.*?[NSns](?![a-z]))[\s,;]*(.+)$/s.exec(text)?.slice(1) ?? [],
  (text) => /^(.*?[EWOew](?![a-z]))[\s,;]*(.+)$/s.exec(text)?.slice(1) ?? [],
  (text) => /^([NSEWO]\s*\d.*?)[\s,;]+([NSEWO]\s*\d.*)$/is.exec(text)?.slice(1) ?? [],
  (text) => text.split(/\s+/),
  (text) => text.split(/\s*,\s*/),
];

/** Two coordinates of one cell, in the order in which they stand; null when the cell holds anything else. */
export function parsePair(value: unknown, letters: HemisphereLetters = 'usual'): ParsedPair | null {
  if (typeof value !== 'string') return null;
  const place = placeOfLink(value.trim());
  if (place !== null) return { first: degrees(place[0], 'latitude'), second: degrees(place[1], 'longitude') };
  if (value.length > 160) return null;
  const text = plainCharacters(value)
    .trim()
    .replace(/^[([{]\s*|\s*[)\]}]$/g, '');
  if (!/\d\D+\d/.test(text)) return null;
  const point = splitGeopoint(text);
  if (point !== null) return { first: degrees(point[0], null), second: degrees(point[1], null) };
  for (const cut of CUTS) {
    const parts = cut(text).filter((part) => part !== '');
    if (parts.length !== 2) continue;
    const [first, second] = parts.map((part) => parseCoordinate(part, letters));
    if (first != null && second != null && (first.axis === null || first.axis !== second.axis))
      return { first, second };
  }
  return null;
}

function degrees(text: string, axis: Axis | null): ParsedCoordinate {
  return { value: Number(text), axis, decimals: text.split('.')[1]?.length ?? 0, form: 'decimal' };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
