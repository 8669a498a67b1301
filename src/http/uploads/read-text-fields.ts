import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { Problem, type ErrorDetail } from '../../errors.ts';
import { describeSchema, type PlainSchema } from '../problems/describe-schema.ts';
import { nearestName } from '../../nearest-name.ts';
import { isAddedByOthers, isNotGiven, readValue } from '../problems/read-value.ts';

/** Where texts came from; names them in messages and pointers. */
export type FieldPlace = 'query' | 'path' | 'header' | 'form';

const NOUN: Readonly<Record<FieldPlace, string>> = {
  query: 'query parameter',
  path: 'path parameter',
  header: 'header',
  form: 'form field',
};
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const MAX_SHOWN = 80;

/**
 * Turns the texts of a query, a path, headers or a form into the typed value of `schema`: numbers are read strictly,
 * booleans and words of a list in the spellings of usual clients, an empty text is not given, defaults are filled in. A
 * value given twice and a name the schema does not know are refused (unless it allows further properties, or the name is
 * one that others add). Throws one `Problem` (`invalid_parameter`, for forms `invalid_body`) that lists everything wrong.
 */
export function readTextFields<T extends TObject>(
  schema: T,
  fields: Readonly<Record<string, unknown>>,
  place: FieldPlace,
): Static<T> {
  return textFieldReader(schema, place)(fields);
}

/** `readTextFields` with the schema compiled once, at the first fields. */
export function textFieldReader<T extends TObject>(
  schema: T,
  place: FieldPlace,
): (fields: Readonly<Record<string, unknown>>) => Static<T> {
  const plain = schema as PlainSchema;
  const properties = plain.properties ?? {};
  const compiled = new Map<string, ReturnType<typeof Compile>>();
  const checkOf = (name: string): ReturnType<typeof Compile> => {
    const check = compiled.get(name) ?? Compile(schema.properties[name]!);
    compiled.set(name, check);
    return check;
  };
  const required = new Set(plain.required ?? []);
  const closed = plain.additionalProperties === false && place !== 'header';

  return (fields) => {
    const errors: ErrorDetail[] = [];
    const values: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(fields)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property === undefined) {
        if (closed && isAddedByOthers(name)) continue;
        // A member `__proto__` would become the prototype of the values.
        if (closed || name === '__proto__') errors.push(unknownName(name, Object.keys(properties), place));
        else values[name] = text;
        continue;
      }
      if (isNotGiven(text)) continue;
      const value = fromText(property, text);
      if (checkOf(name).Check(value)) values[name] = value;
      else errors.push(wrongValue(name, property, text, place));
    }
    for (const [name, property] of Object.entries(properties)) {
      if (Object.hasOwn(fields, name) && !isNotGiven(fields[name])) continue;
      if (property.default !== undefined) values[name] = structuredClone(property.default);
      else if (required.has(name))
        errors.push({
          pointer: `/${place}/${name}`,
          code: 'missing',
          detail: `The ${NOUN[place]} ${name} is missing; wanted ${describeSchema(property)}.`,
        });
    }
    if (errors.length > 0)
      throw new Problem(
        place === 'form' ? 'invalid_body' : 'invalid_parameter',
        errors.map(({ detail }) => detail).join(' '),
        { errors },
      );
    return values as Static<T>;
  };
}

/** The value a text stands for under the schema; a text that stands for nothing is returned as it is, for the check to refuse. */
function fromText(schema: PlainSchema, text: unknown): unknown {
  if (schema.type === 'array')
    return (Array.isArray(text) ? text : [text]).map((item: unknown) => fromText(schema.items ?? {}, item));
  if (typeof text !== 'string') return readValue(schema, text);
  if (schema.type === 'number' || schema.type === 'integer') return NUMBER.test(text) ? Number(text) : text;
  return readValue(schema, text);
}

function wrongValue(name: string, schema: PlainSchema, text: unknown, place: FieldPlace): ErrorDetail {
  const pointer = `/${place}/${name}`;
  if (Array.isArray(text) && schema.type !== 'array')
    return {
      pointer,
      code: 'repeated',
      detail: `The ${NOUN[place]} ${name} was given ${text.length} times; wanted once.`,
    };
  return { pointer, code: 'invalid', detail: `${name}: wanted ${describeSchema(schema)}, got ${shown(text)}.` };
}

function unknownName(name: string, known: readonly string[], place: FieldPlace): ErrorDetail {
  const nearest = nearestName(name, known);
  const hint =
    nearest !== null
      ? `did you mean ${nearest}?`
      : known.length > 0
        ? `known are ${known.join(', ')}.`
        : 'this endpoint takes none.';
  return {
    pointer: `/${place}/${name.slice(0, MAX_SHOWN)}`,
    code: 'unknown',
    detail: `There is no ${NOUN[place]} ${shown(name)}; ${hint}`,
  };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
