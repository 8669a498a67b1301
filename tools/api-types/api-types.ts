/** A schema of the OpenAPI document, as far as types are made of it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  /** Of a member of a form: it is a file. */
  readonly contentMediaType?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const HEAD =
  '// Made of the OpenAPI document by tools/api-types/write-api-types.ts: change the routes of the service and build again.\n';

/**
 * TypeScript for a client of an OpenAPI 3.1 document: an interface with path, query, body or form, and answer of every operation by
 * its id, a table of their methods and paths, and the paths that take an idempotency key.
 */
export function apiTypes({ paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .filter(({ method }) => method !== 'HEAD')
    .sort((a, b) => (a.operation.operationId < b.operation.operationId ? -1 : 1));
  const schemas = Object.entries(components?.schemas ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    HEAD,
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema, 0)};\n`),
    'export interface Operations {',
    ...operations.map(({ operation }) => describe(operation)),
    '}\n',
    '/** Method and path of every operation. */',
    'export const OPERATIONS = {',
    ...operations.map(({ operation, method, path }) => `  ${operation.operationId}: ['${method}', '${path}'],`),
    '} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;\n',
    '/** What may be posted again with the same `Idempotency-Key`. */',
    `export const REPEATABLE: readonly string[] = [\n${operations
      .filter(({ operation }) => operation.parameters?.some(isIdempotencyKey))
      .map(({ path }) => `  '${path}',\n`)
      .join('')}];\n`,
  ].join('\n');
}

function isIdempotencyKey({ name, in: place }: { readonly name: string; readonly in: string }): boolean {
  return place === 'header' && name === 'idempotency-key';
}

function describe({ operationId, summary, parameters = [], requestBody, responses }: Operation): string {
  const group = (place: string): string => {
    const found = parameters.filter((parameter) => parameter.in === place);
    const lines = found.map(
      ({ name, required, schema }) => `      ${key(name)}${required === true ? '' : '?'}: ${typeOf(schema ?? {}, 3)};`,
    );
    return found.length === 0 ? 'Record<never, never>' : `{\n${lines.join('\n')}\n    }`;
  };
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, answer]) => typesOf(answer, JSON_MEDIA));
  return [
    ...(summary === undefined ? [] : [`  /** ${summary}. */`]),
    `  ${operationId}: {`,
    `    path: ${group('path')};`,
    `    query: ${group('query')};`,
    `    body: ${typesOf(requestBody ?? {}, JSON_MEDIA).join(' | ') || 'undefined'};`,
    `    form: ${typesOf(requestBody ?? {}, /form-data$/).join(' | ') || 'undefined'};`,
    `    answer: ${[...new Set(answers)].join(' | ') || 'unknown'};`,
    '  };',
  ].join('\n');
}

/** JSON in one piece; what comes in lines is read as what it is. */
const JSON_MEDIA = /^application\/(?!x-nd)([\w.-]+\+)?json$/;

/** Types of the contents of some media. */
function typesOf({ content = {} }: Content, wanted: RegExp): string[] {
  const types = Object.entries(content)
    .filter(([media]) => wanted.test(media))
    .map(([, { schema }]) => typeOf(schema ?? {}, 2));
  return [...new Set(types)];
}

function typeOf(schema: Schema, depth: number): string {
  const { $ref, const: only, enum: list, anyOf, type } = schema;
  if (schema.contentMediaType !== undefined) return 'Blob';
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? 'unknown';
  if (only !== undefined) return literal(only);
  if (list !== undefined) return list.map(literal).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map((member) => typeOf(member, depth)))].join(' | ');
  if (typeof type === 'object') return type.map((name) => typeOf({ ...schema, type: name }, depth)).join(' | ');
  if (type === 'array') return arrayOf(typeOf(schema.items ?? {}, depth));
  if (type === 'object') return objectOf(schema, depth);
  return SIMPLE[type ?? ''] ?? 'unknown';
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function arrayOf(item: string): string {
  return /[|&]/.test(withoutBraces(item)) ? `(${item})[]` : `${item}[]`;
}

/** A type without what is inside its braces: the operators that are left join the whole of it. */
function withoutBraces(type: string): string {
  const rest = type.replaceAll(/\{[^{}]*\}/g, '');
  return rest === type ? type : withoutBraces(rest);
}

function objectOf({ properties = {}, required = [], additionalProperties, patternProperties }: Schema, depth: number) {
  const indent = '  '.repeat(depth + 1);
  const lines = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `${indent}/** ${oneLine(schema.description)} */\n`;
    return `${comment}${indent}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, depth + 1)};`;
  });
  const rest: Schema | boolean | undefined = Object.values(patternProperties ?? {})[0] ?? additionalProperties;
  if (lines.length === 0) return `Record<string, ${typeof rest === 'object' ? typeOf(rest, depth) : 'unknown'}>`;
  // Members of the input that are kept: they have names of their own.
  if (typeof rest === 'boolean' && rest) lines.push(`${indent}[other: string]: unknown;`);
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

function oneLine(text: string): string {
  return text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
}
