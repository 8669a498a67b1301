import type { OPERATIONS, Operations } from './schema.ts';
import { readJson, sendRequest, unread, type ServiceRequest, type Transport } from './send-request.ts';
import type { OnSent } from './send-form.ts';

type OperationId = keyof Operations;
type Method = (typeof OPERATIONS)[OperationId][0];
type PathOf<M extends Method> = Extract<(typeof OPERATIONS)[OperationId], readonly [M, string]>[1];
type IdOf<M extends Method, P extends string> = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends readonly [M, P] ? Id : never;
}[OperationId];

/** A part of a request: left out where there is none, required where any of its members is. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : Record<never, never> extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

export interface CallOptions {
  /** Media type of the answer; default JSON. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a new one for each call of an operation that takes one. It is the same when the call is sent again. */
  readonly idempotencyKey?: string;
  /** Hears how much of a form has left. */
  readonly onSent?: OnSent;
  readonly signal?: AbortSignal;
}

type Request<Id extends OperationId> = CallOptions &
  Part<'path', Operations[Id]['path']> &
  Part<'query', Operations[Id]['query']> &
  Part<'body', Operations[Id]['body']> &
  Part<'form', Operations[Id]['form']>;

/** The options may be left out where none is required. */
type Arguments<T> = Record<never, never> extends T ? [options?: T] : [options: T];

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: Arguments<Request<IdOf<M, P>>>
) => Promise<Operations[IdOf<M, P>]['answer']>;

/** Every operation of the service by method and path, with its types. */
export interface TypedCalls {
  readonly GET: Call<'GET'>;
  readonly POST: Call<'POST'>;
  readonly PUT: Call<'PUT'>;
  readonly PATCH: Call<'PATCH'>;
  readonly DELETE: Call<'DELETE'>;
  /** The answer unread: files, tables, lines. A refusal throws all the same. */
  readonly raw: <M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: Arguments<Request<IdOf<M, P>>>
  ) => Promise<Response>;
}

interface AnyRequest extends CallOptions {
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly form?: object | undefined;
}

export function typedCalls(transport: Transport): TypedCalls {
  const request = (method: string, template: string, { form, ...options }: AnyRequest): ServiceRequest => ({
    ...options,
    method,
    template,
    form: form === undefined ? undefined : formOf(form),
  });
  const call =
    (method: string) =>
    (path: string, options: AnyRequest = {}): Promise<unknown> =>
      sendRequest(transport, request(method, path, options), readJson);
  return {
    GET: call('GET'),
    POST: call('POST'),
    PUT: call('PUT'),
    PATCH: call('PATCH'),
    DELETE: call('DELETE'),
    raw: (method: string, path: string, options: AnyRequest = {}) =>
      sendRequest(transport, request(method, path, options), unread),
  } as TypedCalls;
}

/** Members as a form, files last, so that its fields are known when they arrive. Objects are written as JSON. */
export function formOf(members: object): FormData {
  const form = new FormData();
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  for (const [name, value] of given)
    if (!(value instanceof Blob)) form.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const [name, value] of given) if (value instanceof Blob) form.set(name, value);
  return form;
}
