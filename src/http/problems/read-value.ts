import type { PlainSchema } from './describe-schema.ts';
import { isRecord } from '../../is-record.ts';

/** What the clients of usual languages and forms write for a boolean, in lower case. */
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
  on: true,
  off: false,
  t: true,
  f: false,
};
/** Names that browsers, caches and campaigns add to an address without meaning us. */
const ADDED_BY_OTHERS = /^(_|utm_)/i;

/** Whether a parameter or form field that no endpoint knows is passed over in silence. */
export function isAddedByOthers(name: string): boolean {
  // This one would become the prototype of the values.
  return ADDED_BY_OTHERS.test(name) && name !== '__proto__';
}

/** Whether an optional value counts as not given: null, and an empty text. */
export function isNotGiven(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** The value `schema` means by a spelling of it: booleans as any client writes them, words of a list in any case. What means nothing comes back as it is. */
export function readValue(schema: PlainSchema, value: unknown): unknown {
  if (schema.type === 'boolean') return asBoolean(value);
  const words = wordsOf(schema);
  if (words !== null && typeof value === 'string') return asWord(words, value);
  return value;
}

function asBoolean(value: unknown): unknown {
  if (value !== 0 && value !== 1 && typeof value !== 'string') return value;
  const text = String(value).trim().toLowerCase();
  return Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : value;
}

function asWord(words: readonly string[], text: string): string {
  if (words.includes(text)) return text;
  const folded = text.trim().toLowerCase();
  return words.find((word) => word.toLowerCase() === folded) ?? text;
}

/** The words a value has to be one of; null where the schema is no list of words. */
function wordsOf({ enum: list, anyOf }: PlainSchema): readonly string[] | null {
  const values = list ?? anyOf?.filter(({ type }) => type !== 'null').map((choice) => choice.const);
  return values !== undefined && values.length > 0 && values.every((value) => typeof value === 'string')
    ? (values as readonly string[])
    : null;
}

/**
 * A JSON body with every value read as `readValue` does, as deep as the schema describes it; an optional member that is
 * null or empty is left out. The body given stays as it is.
 */
export function readBody(schema: PlainSchema, body: unknown): unknown {
  if (schema.type === 'array' && schema.items !== undefined && Array.isArray(body)) {
    const { items } = schema;
    return body.map((item) => readBody(items, item));
  }
  if (schema.type !== 'object' || schema.properties === undefined || !isRecord(body)) return readValue(schema, body);
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(body)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) members.push([name, value]);
    else if (schema.required?.includes(name) === true || !isNotGiven(value))
      members.push([name, readBody(property, value)]);
  }
  return Object.fromEntries(members);
}
