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

/** Digits beyond the 15 that a double always keeps, or an exponent beyond its range: worth a closer look. */
const SUSPECT = /\d{16}|[eE]\+?\d{3}/;

/**
 * `JSON.parse` that loses no identifier: a whole number beyond 2^53, or one too large for a double, becomes an
 * `ExactNumber`. Other numbers are the nearest double, as always.
 */
export function parseJson(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text);
  return SOURCE.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || isKept(value, source)) return value;
    return SOURCE.rawJSON(source);
  });
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return SOURCE.isRawJSON(value);
}

function isKept(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(source) || String(value) === source || BigInt(source) === BigInt(value);
}
