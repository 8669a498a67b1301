import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { textLines } from '../../text-lines.ts';

type Json = Readonly<Record<string, unknown>>;

/** A running service, as a program that uses it sees it. */
export interface ServiceClient {
  /** Sends a request with a JSON body, a form or none. Throws a sentence for anything but success. */
  call(method: string, path: string, body?: object): Promise<Json>;
  /** Saves an answer; `address` may be a path or a whole address. Its size in bytes. */
  save(address: string, file: string, accept?: string): Promise<number>;
  /** Follows a task by its events until it ends; what its last event says of it. */
  follow(eventsUrl: string, onProgress: (task: Json) => void): Promise<Json>;
}

/** Calls the service at `url` with a token, until `signal` aborts. */
export function createServiceClient(url: string, token: string, signal: AbortSignal): ServiceClient {
  const call = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const target = new URL(address, url);
    // A token goes to nobody but the service it is of.
    if (target.origin !== new URL(url).origin) throw new Error(`${address} is not an address of ${url}`);
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    const response = await fetch(target, { ...init, headers, signal });
    if (response.ok) return response;
    const problem = (await response.json().catch(() => ({}))) as Json;
    throw new Error(
      `${init.method ?? 'GET'} ${target.pathname} answered ${response.status}: ${String(problem['detail'])}`,
    );
  };
  return {
    async call(method, path, body) {
      const isForm = body instanceof FormData;
      const response = await call(path, {
        method,
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
      });
      return (await response.json()) as Json;
    },
    async save(address, file, accept) {
      const { body } = await call(address, accept === undefined ? {} : { headers: { accept } });
      const out = createWriteStream(file);
      if (body === null) out.end();
      else await pipeline(Readable.fromWeb(body), out);
      return out.bytesWritten;
    },
    async follow(eventsUrl, onProgress) {
      const { body } = await call(eventsUrl, { headers: { accept: 'text/event-stream' } });
      if (body === null) throw new Error(`${eventsUrl} has no events`);
      let task: Json = {};
      for await (const line of textLines(body)) {
        if (!line.startsWith('data: ')) continue;
        task = JSON.parse(line.slice(6)) as Json;
        onProgress(task);
      }
      return task;
    },
  };
}
