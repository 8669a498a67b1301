import type { Call, RouteCall, Value, Values } from './client-calls.ts';

interface Field {
  readonly type?: string;
}
interface Fields {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Field>>;
}
export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Field }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Fields }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** `METHOD /path` of every operation of the document. */
export function operationsOf(document: OpenApi): Map<string, Operation> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
}

/** The call of a route, with every option that it leaves open written out: booleans as false, all others as null. */
export function writeOut(route: string, { params = {}, ...call }: RouteCall, operation: Operation): Call {
  const [method = '', template = ''] = route.split(' ');
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json']?.schema;
  const form = content['multipart/form-data']?.schema;
  const { file } = call;
  return {
    method,
    path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    query: { ...unset(query.map(({ name, schema }) => [name, schema])), ...call.query },
    ...(json !== undefined && { json: { ...unset(options(json)), ...call.json } }),
    ...(form !== undefined && { form: { ...unset(options(form)), ...call.form } }),
    ...(file !== undefined && { file: { name: file.startsWith('{') ? 'f.geojson' : 'f.csv', content: file } }),
  };
}

function options({ properties, required = [] }: Fields): [string, Field][] {
  return Object.entries(properties).filter(([name]) => name !== 'file' && !required.includes(name));
}

function unset(fields: readonly (readonly [string, Field])[]): Values {
  return Object.fromEntries(
    fields.map(([name, { type }]): [string, Value] => [name, type === 'boolean' ? false : null]),
  );
}
