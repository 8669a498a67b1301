import { isRecord } from '../../is-record.ts';
import { textLines } from '../../text-lines.ts';
import type { Send, ServiceRequest } from './send.ts';

/** A JSON object as it came from the service. */
export type Json = Readonly<Record<string, unknown>>;

/** What a tool may do: requests to the service, and word of how far it is. */
export interface Calls {
  /** Aborts when the client cancels the tool or leaves. */
  readonly signal: AbortSignal;
  /** The JSON that an endpoint answers. Throws `Refusal` for anything but success. */
  json(call: Call): Promise<Json>;
  /** The lines of an answer as they come. Throws `Refusal` like `json`. */
  lines(call: Call): AsyncIterable<string>;
  /** Reports to the client how far the work is, where it wants to know; `message` is in our own words. */
  progress(done: number, total: number | null, message: string): Promise<void>;
}

interface Call {
  readonly method?: ServiceRequest['method'];
  readonly path: string;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as a form; an object is written as JSON. */
  readonly form?: Readonly<Record<string, unknown>>;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: that of the calls. */
  readonly signal?: AbortSignal;
}

/** A file in a form. */
export class FormFile {
  readonly name: string;
  readonly text: string;
  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }
}

/** The service refused a request; `problem` is what it said, as RFC 9457 writes it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Json;
  constructor(problem: Json, cause?: unknown) {
    super(String(problem['detail'] ?? 'The service refused the request.'), { cause });
    this.problem = problem;
  }
}

/** Calls of one tool. */
export function createCalls(send: Send, signal: AbortSignal, progress: Calls['progress']): Calls {
  const begin = async (call: Call): Promise<AsyncIterable<Uint8Array>> => {
    const { method = 'GET', path, query = {}, accept = 'application/json', headers = {} } = call;
    const { body, type } = await bodyOf(call);
    const within = call.signal ?? signal;
    const { status, body: answer } = await send({
      method,
      path: `${path}${queryText(query)}`,
      headers: { accept, ...(type === null ? {} : { 'content-type': type }), ...headers },
      body,
      signal: within,
    }).catch((error: unknown) => {
      within.throwIfAborted();
      throw new Refusal({ title: 'No answer', status: 503, detail: 'The service cannot be reached.' }, error);
    });
    if (status >= 200 && status < 300) return answer;
    throw new Refusal(problemOf(await textOf(answer), status));
  };
  return {
    signal,
    progress,
    async json(call) {
      return JSON.parse(await textOf(await begin(call))) as Json;
    },
    async *lines(call) {
      yield* textLines(await begin(call));
    },
  };
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

async function bodyOf({ body, form }: Call): Promise<{ body: Uint8Array | null; type: string | null }> {
  if (body !== undefined) return { body: Buffer.from(JSON.stringify(body)), type: 'application/json' };
  if (form === undefined) return { body: null, type: null };
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (value === undefined) continue;
    if (value instanceof FormFile) data.append(name, new Blob([value.text]), value.name);
    else data.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const encoded = new Response(data);
  return { body: await encoded.bytes(), type: encoded.headers.get('content-type') };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function problemOf(text: string, status: number): Json {
  try {
    const problem: unknown = JSON.parse(text);
    if (isRecord(problem)) return problem;
  } catch {
    // Something between us and the service answered in its place.
  }
  return { title: 'No usable answer', status, detail: `The service answered with status ${status} and no problem.` };
}
