import type { Problem } from './schema.ts';

/** What the service answers, or what the client found in place of an answer. */
export type Code = Problem['code'] | 'unreachable' | 'cut_off' | 'unexpected_answer';

interface Told {
  readonly code: Code;
  readonly detail: string;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly errors?: Problem['errors'];
  readonly messages?: Problem['messages'];
  readonly language?: string | null;
  /** Seconds. */
  readonly retryAfterS?: number | null;
  readonly cause?: unknown;
}

/** A call that failed. The classes below group the codes by what a program does about them; `code` names the one. */
export class FirstmileError extends Error {
  override readonly name: string = 'FirstmileError';
  /** Stable; out of a closed list: `docs/errors.md`. */
  readonly code: Code;
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** Finds the request in the logs of the service. */
  readonly requestId: string | null;
  /** Each finding, with its place in the request. */
  readonly errors: NonNullable<Problem['errors']>;
  /** What `message` says as `detail`: codes with parameters; empty where it has none. Those of a finding are in its own `messages`. */
  readonly messages: NonNullable<Problem['messages']>;
  /** What `message` and `errors` are in, as `Content-Language` has it: `de`, or `de, en` where a part is English; null where nobody says. */
  readonly language: string | null;
  /** Seconds that the service wants to be left alone; null where it does not say. */
  readonly retryAfterS: number | null;

  constructor({
    code,
    detail,
    status = 0,
    requestId = null,
    errors = [],
    messages = {},
    language = null,
    retryAfterS = null,
    cause,
  }: Told) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.errors = errors;
    this.messages = messages;
    this.language = language;
    this.retryAfterS = retryAfterS;
  }
}

/** 400, 413 to 415, 422, 431: the request has to be corrected; `errors` says where. */
export class InvalidRequest extends FirstmileError {
  override readonly name = 'InvalidRequest';
}
/** 401: no token, or one that is not accepted. */
export class Unauthenticated extends FirstmileError {
  override readonly name = 'Unauthenticated';
}
/** 403: the token lacks a scope. */
export class Forbidden extends FirstmileError {
  override readonly name = 'Forbidden';
}
/** 404: it is not there, or not yours. */
export class NotFound extends FirstmileError {
  override readonly name = 'NotFound';
}
/** 409: not in the present state. */
export class Conflict extends FirstmileError {
  override readonly name = 'Conflict';
}
/** 429: more than a limit allows, after all retries. */
export class TooManyRequests extends FirstmileError {
  override readonly name = 'TooManyRequests';
}
/** 502, 503, 504: it may work later, and did not within all retries. */
export class Unavailable extends FirstmileError {
  override readonly name = 'Unavailable';
}
/** No answer came, or it broke off (`cut_off`). */
export class Unreachable extends FirstmileError {
  override readonly name = 'Unreachable';
}
/** What answered is not the service: the page of a proxy, for example. */
export class UnexpectedAnswer extends FirstmileError {
  override readonly name = 'UnexpectedAnswer';
}
/** A task ended without a result: it failed or was cancelled. */
export class TaskFailed extends FirstmileError {
  override readonly name = 'TaskFailed';
}

const BY_STATUS: Readonly<Record<number, typeof FirstmileError>> = {
  400: InvalidRequest,
  401: Unauthenticated,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  413: InvalidRequest,
  414: InvalidRequest,
  415: InvalidRequest,
  422: InvalidRequest,
  429: TooManyRequests,
  431: InvalidRequest,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
};

const SHOWN = 200;

/** The error of an answer that is a refusal. `text` is its body. */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, text: string, retryAfterS: number | null) {
  const { status } = response;
  const problem = asProblem(text);
  if (problem !== null) {
    const { code, detail, request_id: requestId = null, errors = [], messages = {} } = problem;
    const language = response.headers.get('content-language');
    const Kind = BY_STATUS[status] ?? FirstmileError;
    return new Kind({ code, detail, status, requestId, errors, messages, language, retryAfterS });
  }
  const type = response.headers.get('content-type') ?? 'no media type';
  const shown = text
    .replaceAll(/(?:<[^>]*>|\s)+/g, ' ')
    .trim()
    .slice(0, SHOWN);
  const detail = `Wanted an answer of Firstmile, got status ${status} with ${type}${shown === '' ? '' : `: ${shown}`}`;
  const known = BY_STATUS[status];
  const Kind = known === Unavailable || known === TooManyRequests ? known : UnexpectedAnswer;
  return new Kind({ code: 'unexpected_answer', detail, status, retryAfterS });
}

function asProblem(text: string): Problem | null {
  try {
    const read = JSON.parse(text) as Partial<Problem> | null;
    return typeof read?.code === 'string' && typeof read.detail === 'string' ? (read as Problem) : null;
  } catch {
    return null;
  }
}
