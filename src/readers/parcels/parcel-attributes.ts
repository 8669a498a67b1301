import { isExactNumber } from '../../geo/parse-json.ts';

/** The columns of a row as JSON can hold them: dates as ISO 8601, whole numbers beyond 2^53 as text, bytes left out. */
export function jsonAttributes(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) {
    const kept = jsonValue(value, 0);
    if (kept !== undefined) out[name] = kept;
  }
  return { ...out };
}

/** Lists and objects nested deeper than this are left out. */
const MAX_DEPTH = 16;

function jsonValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (isExactNumber(value)) return value.rawJSON;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || depth >= MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => jsonValue(item, depth + 1) ?? null);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const kept = jsonValue(item, depth + 1);
      return kept === undefined ? [] : [[name, kept] as const];
    }),
  );
}

/** An identifier as text; null for what is none: nothing, an empty text, an object. */
export function parcelId(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null;
  if (typeof value === 'bigint') return String(value);
  return isExactNumber(value) ? value.rawJSON : null;
}
