import { plainCharacters } from './plain-characters.ts';

interface ParsedNumber {
  readonly value: number;
  /** Digits after the decimal sign as written. */
  readonly decimals: number;
  /** A single comma or point before three digits may stand for thousands as well as for decimals. */
  readonly ambiguous: boolean;
}

/** How a column writes its decimals, where its values show it. */
export type DecimalSign = '.' | ',';

const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const SPACES = /[\s\u00a0\u2009\u202f']/g;

/**
 * Reads a number as people write it: `1234.5`, `1.234,5`, `1,234.5`, `1 234,5`, `-7,5`. Where the comma alone could be
 * either, `sign` decides; without it a comma before exactly three digits divides thousands. Null when it is no number.
 */
export function parseNumber(value: unknown, sign: DecimalSign | null = null): ParsedNumber | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? { value, decimals: decimalsOf(String(value)), ambiguous: false } : null;
  if (typeof value !== 'string' || value.length > 60) return null;
  const usual = parsePlainNumber(value);
  if (usual !== null) return { ...usual, ambiguous: false };
  const text = plainCharacters(value)
    .trim()
    .replace(/^\u2212/, '-');
  if (PLAIN.test(text) && !(sign === ',' && /^[+-]?\d{1,3}(\.\d{3})+$/.test(text))) return numberOf(text, false);
  const joined = text.replaceAll(SPACES, '');
  if (!/^[+-]?[\d.,]+$/.test(joined) || !/\d/.test(joined)) return null;
  return parseMarked(joined, sign);
}

function parseMarked(text: string, sign: DecimalSign | null): ParsedNumber | null {
  const [lastComma, lastPoint] = [text.lastIndexOf(','), text.lastIndexOf('.')];
  if (lastComma >= 0 && lastPoint >= 0) {
    const decimal = lastComma > lastPoint ? ',' : '.';
    return grouped(text, decimal === ',' ? '.' : ',', decimal);
  }
  const mark = lastComma >= 0 ? ',' : '.';
  const marks = text.split(mark).length - 1;
  if (lastComma < 0 && lastPoint < 0) return numberOf(text, false);
  if (marks > 1) return grouped(text, mark, null);
  const isThousands = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text);
  if (isThousands && sign !== mark && (mark === ',' || sign !== null))
    return withDoubt(grouped(text, mark, null), sign === null);
  return numberOf(text.replace(',', '.'), isThousands && sign === null && mark === ',');
}

function grouped(text: string, divider: string, decimal: string | null): ParsedNumber | null {
  const [whole, fraction = '', ...more] = decimal === null ? [text] : text.split(decimal);
  const groups = whole.replace(/^[+-]/, '').split(divider);
  if (
    more.length > 0 ||
    groups.slice(1).some((group) => group.length !== 3) ||
    groups[0].length > 3 ||
    groups[0] === ''
  )
    return null;
  const plain = whole.replaceAll(divider, '');
  return numberOf(fraction === '' ? plain : `${plain}.${fraction}`, false);
}

function withDoubt(parsed: ParsedNumber | null, ambiguous: boolean): ParsedNumber | null {
  return parsed === null ? null : { ...parsed, ambiguous };
}

/**
 * A number of plain digits with at most one sign and one comma or point, of which most tables are made, read without a text in between:
 * up to 15 digits, of which a double is exact, and not three after the mark, which could be thousands. Null for all others.
 */
export function parsePlainNumber(text: string): { readonly value: number; readonly decimals: number } | null {
  const { length } = text;
  const isNegative = text.charCodeAt(0) === MINUS;
  const first = isNegative ? 1 : 0;
  let [whole, mark] = [0, -1];
  if (length - first > MOST_EXACT_DIGITS) return null;
  for (let i = first; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= ZERO && code <= ZERO + 9) whole = whole * 10 + code - ZERO;
    else if (mark < 0 && i > first && (code === COMMA || code === POINT)) mark = i;
    else return null;
  }
  const decimals = mark < 0 ? 0 : length - mark - 1;
  if (whole === 0 || decimals === 3 || mark === length - 1 || length === first) return null;
  // Both are exact, so that their quotient is rounded once, as `Number` rounds the text.
  const value = whole / POWERS[decimals];
  return { value: isNegative ? -value : value, decimals };
}

const [MINUS, ZERO, COMMA, POINT] = [0x2d, 0x30, 0x2c, 0x2e];
const MOST_EXACT_DIGITS = 15;
const POWERS = Array.from({ length: MOST_EXACT_DIGITS }, (_, i) => 10 ** i);

function numberOf(text: string, ambiguous: boolean): ParsedNumber | null {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? { value, decimals: decimalsOf(text), ambiguous } : null;
}

function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.slice(point + 1).replace(/e.*$/i, '').length;
}

/** The decimal sign that the values of a column show beyond doubt, or null. */
export function decimalSignOf(values: readonly unknown[]): DecimalSign | null {
  let [commas, points] = [0, 0];
  for (const value of values) {
    if (typeof value !== 'string') continue;
    const text = plainCharacters(value).trim();
    if (/^[+-]?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,})|0,\d+)\b/.test(text)) commas++;
    else if (/^[+-]?(\d{1,3}(,\d{3})+\.\d+|\d+\.(\d{1,2}|\d{4,})|0\.\d+)\b/.test(text)) points++;
  }
  return commas > points ? ',' : points > commas ? '.' : null;
}
