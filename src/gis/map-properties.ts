import { isRecord } from '../is-record.ts';
import type { MapFeature } from './feature-rows.ts';

/** Longest text of a property, in characters. */
const MAX_TEXT = 1_000;
/** Columns of the file that a feature came from. */
const MAX_SOURCE_COLUMNS = 60;
/** Objects that an item of a fetch endpoint has and a table has no room for. */
const NESTED = new Set(['messages', 'convergence', 'eudr', 'eudr_origin']);
/** Objects whose members become properties of their own, `source.Farmer`. */
const OPENED = new Set(['source', 'attributes']);

type Properties = Record<string, string | number | boolean | null>;

/**
 * Properties as a table has them: texts, numbers and truth values stay; a list becomes one text, of warnings and checks their sentences, of datasets
 * their names and versions; numbers by year stay JSON; the columns of the source become `source.NAME`. What is nested deeper is left out.
 */
export function mapProperties(properties: Readonly<Record<string, unknown>>): MapFeature['properties'] {
  const flat: Properties = {};
  for (const [name, value] of Object.entries(properties)) {
    if (NESTED.has(name)) continue;
    if (OPENED.has(name) && isRecord(value)) addMembers(name, value, flat);
    else {
      const cell = cellOf(value);
      if (cell !== undefined) flat[name] = cell;
    }
  }
  return flat;
}

function addMembers(name: string, members: Readonly<Record<string, unknown>>, out: Properties): void {
  for (const [column, value] of Object.entries(members).slice(0, MAX_SOURCE_COLUMNS)) {
    const cell = cellOf(value);
    if (cell !== undefined) out[`${name}.${column}`] = cell;
  }
}

/** Undefined for what no cell can hold. */
function cellOf(value: unknown): string | number | boolean | null | undefined {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return cut(value);
  if (isRecord(value))
    return Object.values(value).every((one) => typeof one === 'number') ? JSON.stringify(value) : undefined;
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(textOf);
  return texts.includes(null) ? undefined : cut(texts.join(' '));
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!isRecord(value)) return null;
  if (typeof value['message'] === 'string') return value['message'];
  if (typeof value['dataset'] !== 'string') return null;
  const made = value['synthetic'] === true ? ' (synthetic)' : '';
  return `${value['dataset']} ${String(value['version'])}${made};`;
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 3)}...` : text;
}
