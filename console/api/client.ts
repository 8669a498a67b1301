import type { FormSender, OnSent } from './form-sender.ts';
import { OPERATIONS, type Operations, type Problem } from './schema.ts';

export type OperationId = keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** What a call is made of. `form` is sent as multipart in place of a JSON body. */
interface CallOptions<Id extends OperationId> {
  readonly path?: Operations[Id]['path'];
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
  readonly form?: FormData;
  /** Hears how much of the form has left. */
  readonly onSent?: OnSent;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A call that was refused. `code` is one of the service's, or `unreachable` when no answer came. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: Problem['code'] | 'unreachable';
  readonly status: number;
  readonly requestId: string | null;
  readonly errors: NonNullable<Problem['errors']>;

  constructor(
    problem: Pick<Problem, 'detail' | 'status'> &
      Partial<Pick<Problem, 'request_id' | 'errors'>> & { code: ApiError['code'] },
  ) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.request_id ?? null;
    this.errors = problem.errors ?? [];
  }
}

/** Whom calls are made for. `onRefused` hears of every 401 to a call that carried a token. */
interface Credentials {
  token: () => string | null;
  onRefused: () => void;
}

let credentials: Credentials = { token: () => null, onRefused: () => {} };

export function useCredentials(given: Credentials): void {
  credentials = given;
}

let sendForm: FormSender | null = null;

/** Takes what sends forms and reports how far they have come: a thing of browsers, of which this file is free. */
export function useFormSender(given: FormSender): void {
  sendForm = given;
}

/** Calls an operation and reads its JSON answer. Throws `ApiError`, and what the signal is aborted with. */
export async function call<Id extends OperationId>(id: Id, options: CallOptions<Id> = {}): Promise<Answer<Id>> {
  const response = await send(id, options);
  return (response.status === 204 ? undefined : await response.json()) as Answer<Id>;
}

/** Calls an operation and gives its answer unread, for streams and files. */
export async function send<Id extends OperationId>(id: Id, options: CallOptions<Id> = {}): Promise<Response> {
  const [method] = OPERATIONS[id];
  const { body, form, onSent, accept = 'application/json', headers = {}, signal } = options;
  const init = {
    method,
    headers: { ...headers, accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(form !== undefined ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  return await request(addressOf(id, options), init, onSent);
}

/** The address of an operation with its path and query filled in. */
function addressOf<Id extends OperationId>(id: Id, { path, query }: CallOptions<Id>): string {
  const values = (path ?? {}) as Readonly<Record<string, unknown>>;
  const filled = OPERATIONS[id][1].replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>))
    if (value !== undefined && value !== null) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

async function request(
  url: string,
  init: Omit<RequestInit, 'headers'> & { headers: Record<string, string>; method: string },
  onSent?: OnSent,
): Promise<Response> {
  const token = credentials.token();
  // A call may bring a token of its own, to be tried.
  const isKept = token !== null && init.headers['authorization'] === undefined;
  const headers: Record<string, string> = isKept ? { ...init.headers, authorization: `Bearer ${token}` } : init.headers;
  const { method, body, signal } = init;
  const sent =
    sendForm !== null && onSent !== undefined && body instanceof FormData
      ? sendForm(url, { method, headers, form: body, signal: signal ?? undefined }, onSent)
      : fetch(url, { ...init, headers, cache: 'no-store', credentials: 'omit' });
  const response = await sent.catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new ApiError({ code: 'unreachable', status: 0, detail: (error as Error).message });
  });
  if (response.ok) return response;
  if (response.status === 401 && isKept && token === credentials.token()) credentials.onRefused();
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  try {
    return new ApiError(JSON.parse(text) as Problem);
  } catch {
    return new ApiError({
      code: 'internal',
      status: response.status,
      detail: `${response.status} ${response.statusText}`,
    });
  }
}
