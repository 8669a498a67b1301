import { ZarrError } from './zarr-error.ts';
import { isRecord } from '../../../is-record.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What came, short enough for a message. */
export function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** An extension point of Zarr v3: an object with `name` and `configuration`, or the name alone. */
export function namedConfiguration(
  place: string,
  field: string,
  value: unknown,
): { readonly name: string; readonly configuration: Json } {
  if (typeof value === 'string') return { name: value, configuration: {} };
  if (isRecord(value) && typeof value['name'] === 'string') {
    const configuration = value['configuration'] ?? {};
    if (isRecord(configuration)) return { name: value['name'], configuration };
  }
  throw new ZarrError('metadata', place, `${field}: wanted an object with a name, got ${said(value)}`);
}

/** A list of whole numbers from `least`, each exact as a double. */
export function sizesOf(place: string, field: string, value: unknown, least: number): readonly number[] {
  const isSize = (size: unknown): size is number => Number.isSafeInteger(size) && (size as number) >= least;
  if (Array.isArray(value) && value.every(isSize)) return value;
  throw new ZarrError('metadata', place, `${field}: wanted whole numbers from ${least}, got ${said(value)}`);
}
