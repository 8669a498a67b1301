import { isRecord } from '../../is-record.ts';
/** One column and the values it may have. */
export interface ColumnFilter {
  /** A property of the answer, else a column of the input; `source.x` is the input's column `x` alone. */
  readonly name: string;
  /** As they were given; each may be a list with commas. */
  readonly values: readonly string[];
}

type Properties = Readonly<Record<string, unknown>>;

/** Says explicitly that a column of the input is meant. */
const SOURCE_PREFIX = 'source.';

/** Whether every filter finds one of its values in its column. A country is found by its name and by its code. */
export function matchesAll(properties: Properties, filters: readonly ColumnFilter[]): boolean {
  return filters.every(({ name, values }) => {
    const names = name === 'country' ? ['country', 'country_code'] : [name];
    const columns = names.map((one) => columnOf(properties, one)).filter((column) => column !== null);
    return values.some((value) => columns.some((column) => holds(column.value, value)));
  });
}

/** What a location has in a column; null when it has no such column. */
export function columnOf(properties: Properties, name: string): { readonly value: unknown } | null {
  const source = properties['source'];
  if (name !== 'source' && Object.hasOwn(properties, name)) return { value: properties[name] };
  const own = name.startsWith(SOURCE_PREFIX) ? name.slice(SOURCE_PREFIX.length) : name;
  return isRecord(source) && Object.hasOwn(source, own) ? { value: source[own] } : null;
}

/** The names by which the columns of a location can be filtered. */
export function columnNames(properties: Properties): string[] {
  const source = properties['source'];
  const names = Object.keys(properties).filter((name) => name !== 'source');
  return [...new Set([...names, ...(isRecord(source) ? Object.keys(source) : [])])];
}

/** The whole text first, so that a value with a comma can be matched; then each part of the list. */
function holds(value: unknown, wanted: string): boolean {
  return isSame(value, wanted) || (wanted.includes(',') && wanted.split(',').some((part) => isSame(value, part)));
}

/** Numbers by value (3 is 3.0), everything else by its text without spaces around it; nothing is the empty text. */
function isSame(value: unknown, wanted: string): boolean {
  const text = wanted.trim();
  if (typeof value === 'number' && text !== '' && Number(text) === value) return true;
  return textOf(value).trim() === text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
