import { errorOf, FirstmileError, UnexpectedAnswer, Unreachable } from './problems.ts';
import { cutOff, readText } from './read-lines.ts';
import { retryAfterS, waitBeforeRetry, type Retries } from './retries.ts';
import { REPEATABLE } from './schema.ts';
import { newKey, sendForm, type OnSent } from './send-form.ts';

/** How requests are sent. */
export interface Transport {
  /** Address of the service, without a slash at the end; empty for that of the page. */
  readonly url: string;
  readonly token: () => string | null | Promise<string | null>;
  /** Default `Accept-Language` of requests. */
  readonly language?: string;
  readonly fetch: typeof globalThis.fetch;
  readonly retries: Retries;
  /** How long an answer may be silent, in milliseconds: before it begins, and between two pieces of it. */
  readonly silenceMs: number;
  /** Waits, and rejects with what the signal is aborted with. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Called with the token of a request that was answered with 401. */
  readonly onRefused?: (token: string) => void;
}

export interface ServiceRequest {
  readonly method: string;
  /** Path of the operation as the OpenAPI document has it. */
  readonly template: string;
  readonly path?: object | undefined;
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as multipart in place of a JSON body. */
  readonly form?: FormData | undefined;
  /** Hears how much of the form has left. */
  readonly onSent?: OnSent | undefined;
  /** Media type of the answer; default JSON. */
  readonly accept?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: a new one, where the service takes one. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request, again where that is safe and may help, and gives what `read` makes of the answer. Throws `FirstmileError`,
 * and what the signal is aborted with.
 */
export async function sendRequest<T>(
  transport: Transport,
  request: ServiceRequest,
  read: (response: Response, transport: Transport, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { method, template, signal } = request;
  const takesKey = method === 'POST' && REPEATABLE.includes(template);
  const keyed = takesKey ? { 'idempotency-key': quoted(request.idempotencyKey ?? newKey()) } : {};
  const isRepeatable = takesKey || method === 'GET' || method === 'PUT';
  for (let sent = 1; ; sent++) {
    try {
      const response = await attempt(transport, { ...request, headers: { ...keyed, ...request.headers } });
      return await read(response, transport, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const waitS = waitBeforeRetry(error, isRepeatable, sent, transport.retries, Math.random());
      if (waitS === null) throw error;
      await transport.wait(waitS * 1000, signal);
    }
  }
}

/** As a string of RFC 8941, which may hold spaces and commas. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** An answer that is read elsewhere: what breaks off then is not sent again here. */
export function unread(response: Response): Promise<Response> {
  return Promise.resolve(response);
}

/** An answer as JSON; undefined where there is none. */
export async function readJson<T>(
  response: Response,
  { silenceMs }: Transport,
  signal: AbortSignal | undefined,
): Promise<T> {
  const text = await readText(response, silenceMs, signal);
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const type = response.headers.get('content-type') ?? '';
    if (/json/.test(type)) throw cutOff('it is not whole JSON', cause);
    const detail = `Wanted JSON, got ${type || 'no media type'}: is ${response.url} the address of Firstmile?`;
    throw new UnexpectedAnswer({ code: 'unexpected_answer', detail, status: response.status, cause });
  }
}

async function attempt(transport: Transport, request: ServiceRequest): Promise<Response> {
  const { method, body, form, accept = 'application/json', headers = {}, signal } = request;
  const token = headers['authorization'] === undefined ? await transport.token() : null;
  const sent = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    accept,
    ...(transport.language === undefined ? {} : { 'accept-language': transport.language }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const url = transport.url + addressOf(request);
  const response = await unlessSilent(transport, signal, form !== undefined, (signal) =>
    form !== undefined && request.onSent !== undefined
      ? sendForm(url, { method, headers: sent, form, signal }, request.onSent, transport.fetch)
      : transport.fetch(url, {
          method,
          headers: sent,
          ...(form !== undefined ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
          signal,
          cache: 'no-store',
          credentials: 'omit',
        }),
  );
  if (response.ok) return response;
  if (response.status === 401 && token !== null) transport.onRefused?.(token);
  const text = await readText(response, transport.silenceMs, signal).catch(() => '');
  throw errorOf(response, text, retryAfterS(response.headers, Date.now()));
}

/** Gives up an answer that does not begin in time. How long an upload takes nobody knows. */
async function unlessSilent(
  { silenceMs }: Transport,
  signal: AbortSignal | undefined,
  isUpload: boolean,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const silence = new AbortController();
  const why = new Unreachable({ code: 'unreachable', detail: `No answer came within ${silenceMs / 1000} s.` });
  const timer = isUpload || silenceMs === Infinity ? undefined : setTimeout(() => silence.abort(why), silenceMs);
  try {
    return await send(signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]));
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof FirstmileError) throw cause;
    throw new Unreachable({ code: 'unreachable', detail: reasonOf(cause), cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Node says "fetch failed" and has the reason in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}

/** The address of an operation with its path and query filled in. Lists are written with commas. */
function addressOf({ template, path, query }: ServiceRequest): string {
  const values = (path ?? {}) as Readonly<Record<string, unknown>>;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null) search.set(name, String(value));
  const words = search.toString();
  return words === '' ? filled : `${filled}?${words}`;
}
