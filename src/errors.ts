/** Every error code a client can meet, with its HTTP status. The list is closed: a new failure gets a line here. */
export const ERROR_STATUS = {
  malformed_body: 400,
  malformed_file: 400,
  malformed_header: 400,
  malformed_query: 400,
  unauthenticated: 401,
  invalid_token: 401,
  forbidden: 403,
  not_found: 404,
  task_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  idempotency_conflict: 409,
  task_not_ready: 409,
  task_failed: 409,
  task_cancelled: 409,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  invalid_parameter: 422,
  invalid_body: 422,
  invalid_geometry: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  headers_too_large: 431,
  client_closed_request: 499,
  internal: 500,
  dependency_unavailable: 503,
  queue_full: 503,
  shutting_down: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One finding inside a failed request: where it is (JSON pointer, parameter or feature index) and what is wrong with it. */
export interface ErrorDetail {
  readonly pointer?: string;
  readonly index?: number;
  readonly code: string;
  readonly detail: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly ErrorDetail[];
  /** Seconds the client should wait before it tries again; becomes `Retry-After`. */
  readonly retryAfterS?: number;
}

/** A failure that the client may see: a code of the closed list and one sentence that names what was wanted and what came. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly ErrorDetail[];
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options);
    this.name = 'Problem';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.errors = options.errors ?? [];
    this.retryAfterS = options.retryAfterS;
  }
}
