/** Levels of arrays and objects that {@link canonicalJson} follows. */
export const MAX_JSON_DEPTH = 64;

/**
 * The one text of a JSON value that may be signed: byte for byte what CPython's
 * `json.dumps(value, sort_keys=True, separators=(',', ':'))` writes.
 *
 * Keys are sorted by code point at every level and everything outside printable ASCII is written as `\uXXXX` with
 * lower-case digits, so that the text is ASCII and no proxy can change its encoding.
 *
 * Refused with a `TypeError` or `RangeError` that names the place by JSON pointer, because two languages would write
 * them differently or not at all: numbers that are not integers of at most 2^53 - 1, -0, unpaired surrogates,
 * `undefined` (array holes too), bigints, functions, symbols, objects other than plain ones, more than
 * {@link MAX_JSON_DEPTH} levels (so cycles end too).
 */
export function canonicalJson(value: unknown): string {
  return write(value, '', 0);
}

function write(value: unknown, pointer: string, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, pointer);
    case 'number':
      return writeInteger(value, pointer);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw new TypeError(`${at(pointer)} is ${typeof value}: JSON has no such value`);
  }
  if (value === null) return 'null';
  if (depth === MAX_JSON_DEPTH) throw new RangeError(`${at(pointer)} is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return Array.isArray(value) ? writeArray(value, pointer, depth + 1) : writeObject(value, pointer, depth + 1);
}

function writeString(text: string, pointer: string): string {
  if (!text.isWellFormed()) throw new TypeError(`${at(pointer)} holds an unpaired surrogate: it is not Unicode text`);
  return JSON.stringify(text).replace(NOT_PRINTABLE_ASCII, escapeUnit);
}

/** What `JSON.stringify` leaves raw and CPython escapes, by UTF-16 unit. */
const NOT_PRINTABLE_ASCII = /[\u007f-\uffff]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function writeInteger(value: number, pointer: string): string {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
    const given = Object.is(value, -0) ? '-0' : String(value);
    throw new RangeError(
      `${at(pointer)} is ${given}: only integers from -(2^53 - 1) to 2^53 - 1 read the same everywhere`,
    );
  }
  return String(value);
}

function writeArray(items: readonly unknown[], pointer: string, depth: number): string {
  const texts: string[] = [];
  // By index: `map` and `forEach` skip holes, which must be refused.
  for (let i = 0; i < items.length; i++) texts.push(write(items[i], `${pointer}/${i}`, depth));
  return `[${texts.join(',')}]`;
}

function writeObject(value: object, pointer: string, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${at(pointer)} is a ${value.constructor?.name ?? 'special'} object: wanted a plain one`);
  }
  const fields = Object.entries(value).sort(([a], [b]) => compareByCodePoint(a, b));
  const texts = fields.map(([key, field]) => {
    const place = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return `${writeString(key, place)}:${write(field, place, depth)}`;
  });
  return `{${texts.join(',')}}`;
}

/** Order of Python strings. UTF-16 order, JavaScript's own, puts U+1F333 before U+FF5E. */
function compareByCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
}

function at(pointer: string): string {
  return pointer === '' ? 'The value' : `The value at ${JSON.stringify(pointer)}`;
}
