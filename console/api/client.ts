import { pause } from '../../clients/typescript/pause.ts';
import { OPERATIONS, type Operations } from '../../clients/typescript/schema.ts';
import {
  readJson,
  sendRequest,
  unread,
  type ServiceRequest,
  type Transport,
} from '../../clients/typescript/send-request.ts';
import type { OnSent } from '../../clients/typescript/send-form.ts';

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

/** Whom calls are made for. `onRefused` hears of every 401 to a call that carried a token. */
interface Credentials {
  token: () => string | null;
  onRefused: () => void;
}

let spoken: () => string = () => 'en';

/** Requests the sentences of the service in the language that `of` gives at the time of a call. */
export function useLanguage(of: () => string): void {
  spoken = of;
}

let credentials: Credentials = { token: () => null, onRefused: () => {} };

export function useCredentials(given: Credentials): void {
  credentials = given;
}

/** As the client of the package sends, to the service that the page comes from. People see a failure at once and try again. */
export const transport: Transport = {
  url: '',
  token: () => credentials.token(),
  fetch: (...request) => fetch(...request),
  retries: { attempts: 0, longestWaitS: 0 },
  silenceMs: Infinity,
  wait: pause,
  onRefused: (token) => {
    if (token === credentials.token()) credentials.onRefused();
  },
};

/** Calls an operation and reads its JSON answer. Throws `FirstmileError`, and what the signal is aborted with. */
export function call<Id extends OperationId>(id: Id, options: CallOptions<Id> = {}): Promise<Answer<Id>> {
  return sendRequest(transport, requestOf(id, options), readJson<Answer<Id>>);
}

/** Calls an operation and gives its answer unread, for streams and files. */
export function send<Id extends OperationId>(id: Id, options: CallOptions<Id> = {}): Promise<Response> {
  return sendRequest(transport, requestOf(id, options), unread);
}

function requestOf<Id extends OperationId>(id: Id, options: CallOptions<Id>): ServiceRequest {
  const [method, template] = OPERATIONS[id];
  // The sentences of the service are in the language of the page.
  return { ...options, method, template, headers: { 'accept-language': spoken(), ...options.headers } };
}
