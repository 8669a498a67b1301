import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FastifySchemaCompiler } from 'fastify';
import { type ErrorDetail, Problem } from '../../errors.ts';
import { describeSchema, type PlainSchema } from './describe-schema.ts';
import { readBody } from './read-value.ts';
import { type FieldPlace, textFieldReader } from '../uploads/read-text-fields.ts';

const MAX_ERRORS = 20;
const MAX_SHOWN = 80;

/** Returns a function that gives a body that fits `schema`, read as `readBody` does, and throws `Problem('invalid_body')` with JSON pointers otherwise. */
export function bodyChecker(schema: TSchema): (body: unknown) => unknown {
  // At the first body: a start would compile hundreds of schemas, most of which it never sees a body of.
  let compiled: ReturnType<typeof Compile> | null = null;
  return (came) => {
    const body = readBody(schema as PlainSchema, came);
    compiled ??= Compile(schema);
    if (compiled.Check(body)) return body;
    if (body === undefined || body === null)
      throw new Problem(
        'invalid_body',
        `The body is missing; wanted ${describeSchema(schema as PlainSchema)} as JSON.`,
      );
    const errors = new Map<string, ErrorDetail>();
    for (const error of compiled.Errors(body)) {
      for (const finding of findings(error, schema as PlainSchema, body))
        if (errors.size < MAX_ERRORS && !errors.has(finding.pointer)) errors.set(finding.pointer, finding);
    }
    const list = [...errors.values()];
    throw new Problem('invalid_body', list.map(({ detail }) => detail).join(' '), { errors: list });
  };
}

type Finding = ErrorDetail & { readonly pointer: string };

function findings(
  error: ReturnType<ReturnType<typeof Compile>['Errors']>[number],
  schema: PlainSchema,
  body: unknown,
): Finding[] {
  const { instancePath: at } = error;
  if (error.keyword === 'required')
    return error.params.requiredProperties.map((name) => {
      const pointer = `${at}/${escaped(name)}`;
      return { pointer, code: 'missing', detail: `${pointer} is missing; wanted ${wanted(schema, pointer)}.` };
    });
  if (error.keyword === 'additionalProperties')
    return error.params.additionalProperties.map((name) => ({
      pointer: `${at}/${escaped(name)}`,
      code: 'unknown',
      detail: `${at}/${escaped(name).slice(0, MAX_SHOWN)} is not known here.`,
    }));
  // Said of the member itself by the finding about additional properties.
  if (error.keyword === 'boolean') return [];
  const here = at === '' ? 'The body' : at;
  return [
    { pointer: at, code: 'invalid', detail: `${here}: wanted ${wanted(schema, at)}, got ${got(schema, body, at)}.` },
  ];
}

function wanted(schema: PlainSchema, pointer: string): string {
  const part = schemaAt(schema, pointer);
  return part === null ? 'another value' : describeSchema(part);
}

/** The value as it came, shortened; a secret is never repeated. */
function got(schema: PlainSchema, body: unknown, pointer: string): string {
  if (schemaAt(schema, pointer)?.format === 'password') return 'something else';
  let value: unknown = body;
  for (const name of names(pointer)) value = (value as Record<string, unknown> | undefined)?.[name];
  const text = JSON.stringify(value) ?? 'nothing';
  // A long list where a list is wanted has too many items; how many says more than the first of them.
  if (text.length > MAX_SHOWN && Array.isArray(value) && schemaAt(schema, pointer)?.type === 'array')
    return `one of ${value.length}`;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

function schemaAt(schema: PlainSchema, pointer: string): PlainSchema | null {
  let part: PlainSchema | undefined = schema;
  for (const name of names(pointer)) part = part?.type === 'array' ? part.items : part?.properties?.[name];
  return part ?? null;
}

function names(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const PLACES: Readonly<Record<string, FieldPlace>> = { querystring: 'query', params: 'path', headers: 'header' };

/** Makes the validator of one part of a route's requests; it returns the typed value, or the `Problem` to answer with. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Described for the reference; who reads one checks it.
  if (httpPart === 'headers') return (value: unknown) => ({ value });
  const place = PLACES[httpPart ?? ''];
  const read: (value: never) => unknown =
    place === undefined ? bodyChecker(schema) : textFieldReader(schema as TObject, place);
  return (value: unknown) => {
    try {
      return { value: read(value as never) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

/** Where an option goes that does not belong into a body of points, as the end of a sentence. */
type MisplacedMembers = Readonly<Record<string, string>>;

/** What no body of points may say, whatever the endpoint. */
export const NEVER_CHOSEN: MisplacedMembers = {
  source_year: 'it cannot be chosen: the newest year there is always answers',
  commodity_type: 'this endpoint takes no commodity',
};

/** Refuses members of a GeoJSON body that are options in the wrong place. Other foreign members are ignored. */
export function refuseMisplaced(body: object, misplaced: MisplacedMembers): void {
  const errors = Object.keys(body)
    .filter((name) => Object.hasOwn(misplaced, name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'misplaced',
      detail: `/${name} is not read in the body; ${misplaced[name]!}.`,
    }));
  if (errors.length > 0) throw new Problem('invalid_body', errors.map(({ detail }) => detail).join(' '), { errors });
}
