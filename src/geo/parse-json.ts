/** A number that JavaScript cannot hold, as it was written; `JSON.stringify` writes it the same again. */
interface ExactNumber {
  readonly rawJSON: string;
}

/** The part of the language that the compiler's library does not describe yet. */
interface JsonSource {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
}
const SOURCE = JSON as unknown as JsonSource;

/**
 * `JSON.parse` that loses no identifier: a whole number beyond 2^53, or one too large for a double, becomes an
 * `ExactNumber`. Other numbers are the nearest double, as always.
 */
export function parseJson(text: string): unknown {
  if (!mayHoldExactNumber(text)) return JSON.parse(text);
  return SOURCE.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || isKept(value, source)) return value;
    return SOURCE.rawJSON(source);
  });
}

/**
 * Whether the text has digits beyond the 15 that a double always keeps, or an exponent beyond its range: worth a closer
 * look. The expression `\d{16}|[eE]\+?\d{3}` says the same, and goes through each run of digits once for every digit.
 */
function mayHoldExactNumber(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits++;
      if (digits === 16) return true;
      continue;
    }
    digits = 0;
    if (code !== LOWER_E && code !== UPPER_E) continue;
    const first = text.charCodeAt(at + 1) === PLUS ? at + 2 : at + 1;
    if (isDigit(text.charCodeAt(first)) && isDigit(text.charCodeAt(first + 1)) && isDigit(text.charCodeAt(first + 2)))
      return true;
  }
  return false;
}

const [LOWER_E, UPPER_E, PLUS] = [101, 69, 43];

/** Whether a code unit is one of 0 to 9; the end of a text, NaN, is none. */
function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return SOURCE.isRawJSON(value);
}

function isKept(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(source) || String(value) === source || BigInt(source) === BigInt(value);
}
