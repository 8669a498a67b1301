import type { OpenApi } from './document-calls.ts';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly contentMediaType?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A request written down from the examples of the document alone. */
export interface ExampleCall {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body: FormData | string | null;
  readonly type: string | null;
  /** What has to be given and has no example. */
  readonly missing: readonly string[];
  readonly responses: readonly string[];
}

interface ExampleFiles {
  readonly features: string;
  readonly table: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** One call of every operation, in the order of the document, deletions last. `files` are what uploads hold: features, or a table with the columns that the examples name. */
export function exampleCalls(document: OpenApi, files: ExampleFiles): readonly ExampleCall[] {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, DescribedOperation>>).map(([method, operation]) =>
      exampleCall(method.toUpperCase(), path, operation, files),
    ),
  );
  return calls.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

function exampleCall(
  method: string,
  template: string,
  operation: DescribedOperation,
  files: ExampleFiles,
): ExampleCall {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const missing: string[] = [];
  const valueOf = (name: string, schema: Schema, isRequired: boolean): unknown => {
    const value = exampleOf(schema);
    if (value === undefined && isRequired) missing.push(name);
    return value;
  };
  const query = new URLSearchParams();
  let path = template;
  for (const parameter of parameters) {
    const { name, schema, required: isRequired = false, example, examples = {} } = parameter;
    const isShown = example !== undefined || schema.examples !== undefined || Object.keys(examples).length > 0;
    const value = example ?? Object.values(examples)[0]?.value ?? valueOf(name, schema, isRequired);
    if (value === undefined) continue;
    if (parameter.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (parameter.in === 'query' && (isRequired || isShown)) query.set(name, String(value));
  }
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [null, null];
  const search = query.size === 0 ? '' : `?${query}`;
  const made = { operationId, method, path: `${path}${search}`, missing, responses: Object.keys(responses) };
  if (content === null) return { ...made, body: null, type: null };
  const value = (content.example ?? objectOf(content.schema, valueOf)) as Readonly<Record<string, unknown>>;
  if (type !== 'multipart/form-data') return { ...made, body: JSON.stringify(value), type };
  const form = new FormData();
  for (const [name, one] of Object.entries(value)) form.set(name, String(one));
  const isTable = 'mapping' in value;
  form.set('file', new File([isTable ? files.table : files.features], isTable ? 'file.csv' : 'file.geojson'));
  return { ...made, body: form, type: null };
}

function exampleOf({ examples, example, const: only, enum: words, anyOf, default: standard }: Schema): unknown {
  return (
    example ?? examples?.[0] ?? only ?? words?.[0] ?? anyOf?.find((one) => one.const !== undefined)?.const ?? standard
  );
}

/** The example of a body, or one of its members': all that have to be there and all that have an example. */
function objectOf(schema: Schema, valueOf: (name: string, schema: Schema, isRequired: boolean) => unknown): unknown {
  const whole = schema.example ?? schema.examples?.[0];
  if (whole !== undefined) return whole;
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (member.contentMediaType !== undefined) return [];
    const isRequired = schema.required?.includes(name) === true;
    const hasExample = member.examples !== undefined || member.example !== undefined;
    const value = isRequired || hasExample ? valueOf(name, member, isRequired) : undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}
