/** Every error code a client can meet, with its HTTP status. The list is closed: a new failure gets a line here. */
export const ERROR_STATUS = {
  malformed_body: 400,
  malformed_file: 400,
  malformed_header: 400,
  malformed_query: 400,
  unauthenticated: 401,
  wrong_password: 401,
  invalid_token: 401,
  forbidden: 403,
  host_refused: 403,
  not_found: 404,
  task_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  collection_not_found: 404,
  submission_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  idempotency_conflict: 409,
  task_not_ready: 409,
  task_failed: 409,
  task_cancelled: 409,
  collection_not_ready: 409,
  collection_busy: 409,
  collection_failed: 409,
  statistics_missing: 409,
  webhook_exists: 409,
  filing_credentials_missing: 409,
  delivery_sending: 409,
  too_large: 413,
  storage_full: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  invalid_parameter: 422,
  invalid_body: 422,
  invalid_geometry: 422,
  idempotency_mismatch: 422,
  filing_incomplete: 422,
  filing_not_confirmed: 422,
  webhook_url_not_https: 422,
  webhook_url_refused: 422,
  rate_limited: 429,
  quota_exceeded: 429,
  headers_too_large: 431,
  client_closed_request: 499,
  internal: 500,
  information_system_refused: 502,
  dependency_unavailable: 503,
  queue_full: 503,
  shutting_down: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** When each code is used and what the client does about it: the text of the pages that `type` names and `docs/errors.md`. */
export const ERROR_DOCS: Readonly<Record<ErrorCode, { readonly when: string; readonly remedy: string }>> = {
  malformed_body: {
    when: 'The body cannot be read as what its Content-Type says.',
    remedy: 'Correct the body; `detail` says what was wanted.',
  },
  malformed_file: {
    when: 'The uploaded file cannot be read.',
    remedy: 'Correct the file at the line, byte or feature that `detail` names.',
  },
  malformed_header: {
    when: 'A request header cannot be understood.',
    remedy: 'Correct the header that `detail` names.',
  },
  malformed_query: {
    when: 'The address or its query cannot be decoded, or a parameter of an OGC API is wrong.',
    remedy: 'Percent-encode the address, and correct the parameter that `detail` names.',
  },
  unauthenticated: {
    when: 'The request carries no usable credentials.',
    remedy: 'Send `Authorization: Bearer <token>`; `firstmile token create` makes one.',
  },
  wrong_password: {
    when: 'The email or the password sent to `/refresh_token` is wrong.',
    remedy: 'Correct them; the answer does not say which of the two is wrong.',
  },
  invalid_token: {
    when: 'The token is unknown, expired, revoked or not meant for this service.',
    remedy: 'Get a new token.',
  },
  forbidden: {
    when: 'The credentials are valid but lack the scope for this.',
    remedy: 'Use a token with the scope that `detail` names.',
  },
  host_refused: {
    when: 'The `Host` or `Origin` header of a request to `/mcp` names something that is not this service.',
    remedy: 'Use the address in `PUBLIC_URL`, an IP address or localhost; the operator sets `PUBLIC_URL`.',
  },
  not_found: {
    when: 'There is nothing at this address, or it belongs to someone else.',
    remedy: 'Check the address against `/docs/api`.',
  },
  task_not_found: {
    when: 'No task of yours has this id, or its results were deleted after their retention.',
    remedy: 'Check the id; start the task again if it has expired.',
  },
  webhook_not_found: {
    when: 'You have registered no webhook.',
    remedy: 'Register one with `POST /webhooks/register`.',
  },
  delivery_not_found: {
    when: 'No delivery of yours has this id, or it was deleted after its retention.',
    remedy: 'Take an id from `GET /webhooks/deliveries`.',
  },
  collection_not_found: {
    when: 'You have no collection with this id.',
    remedy: 'Take an id from `GET /get_collections`.',
  },
  submission_not_found: {
    when: 'You have no submission with this id.',
    remedy: 'Take an id from `GET /traces/submissions`.',
  },
  method_not_allowed: {
    when: 'The address exists but not for this method.',
    remedy: 'Use a method of the `Allow` header.',
  },
  not_acceptable: {
    when: 'None of the media types in `Accept` is offered.',
    remedy: 'Request a type that `detail` lists.',
  },
  request_timeout: {
    when: 'The request did not arrive in the time the service waits for one.',
    remedy: 'Send it again over a faster connection; `/limits` lists the times.',
  },
  conflict: { when: 'The request conflicts with existing data.', remedy: 'Read the current state, then decide.' },
  idempotency_conflict: {
    when: 'A request with the same `Idempotency-Key` is still being accepted.',
    remedy: 'Send it again after `Retry-After`.',
  },
  task_not_ready: {
    when: 'The task is still processing.',
    remedy: 'Poll again after `Retry-After`, or follow its events.',
  },
  task_failed: {
    when: 'The task ended in failure, so it has no results.',
    remedy: "Read the task's `error`; correct the input and start a new task.",
  },
  task_cancelled: { when: 'The task was cancelled, so it has no results.', remedy: 'Start a new task.' },
  collection_not_ready: {
    when: 'The collection is not processed yet: its batch is running, or none was requested.',
    remedy: 'Try again after `Retry-After`, or start its batch with `POST /batch_process`.',
  },
  collection_busy: {
    when: 'A task works on the collection already.',
    remedy: 'Follow it at `/batch_progress`; wait for its end, or cancel it with `DELETE /tasks/{task_id}`.',
  },
  collection_failed: {
    when: 'The last batch of the collection failed or was cancelled, so there is nothing to fetch.',
    remedy: "Read the task's `error`; correct the file and process it again.",
  },
  statistics_missing: {
    when: 'The batch of the collection was requested without `stats`, so its plots were not measured.',
    remedy: 'Process the collection again with `stats=true`, or fetch its plots alone with `/fetch_plots`.',
  },
  webhook_exists: {
    when: 'You have registered a webhook already; there is one per user.',
    remedy: 'Remove it with `DELETE /webhooks/remove`, or keep it and change its secret with `POST /webhooks/rotate`.',
  },
  filing_credentials_missing: {
    when: 'No credentials of yours are kept for this environment of the EU information system.',
    remedy: 'Set them with `PUT /traces/credentials/{environment}` or `firstmile traces credentials`.',
  },
  delivery_sending: {
    when: 'The delivery is being sent at this moment.',
    remedy: 'Read its outcome in a few seconds, then decide.',
  },
  too_large: {
    when: 'The body, file, feature or batch is larger than allowed.',
    remedy: 'Split it; `/limits` lists what is allowed.',
  },
  storage_full: {
    when: 'With this file you would exceed the storage of one user: files of collections, their results, and tasks.',
    remedy: 'Delete collections with `DELETE /collections/{collection_id}`, or wait until the results of tasks expire.',
  },
  uri_too_long: {
    when: 'The address is longer than the service reads.',
    remedy: 'Send large geometries as a file by POST.',
  },
  unsupported_media_type: {
    when: 'The body is of a type this address does not take.',
    remedy: 'Send a type that `/docs/api` lists for this address.',
  },
  invalid_parameter: {
    when: 'A parameter is unknown, of the wrong type or out of range.',
    remedy: 'Correct the parameters listed in `errors`.',
  },
  invalid_body: {
    when: 'The body can be read, but its content is not valid.',
    remedy: 'Correct the places listed in `errors`.',
  },
  invalid_geometry: {
    when: 'The geometry given as a parameter cannot be used.',
    remedy: 'Correct it at the position that `detail` names.',
  },
  idempotency_mismatch: {
    when: 'The `Idempotency-Key` was used before with another request.',
    remedy: 'Use a new key for a new request.',
  },
  filing_incomplete: {
    when: 'The statement is not complete, or breaks a rule of the EU information system; nothing was sent.',
    remedy: 'Give or correct what `errors` lists; `POST /traces/check` lists the same with advice.',
  },
  filing_not_confirmed: {
    when: 'Something is to be filed, amended or withdrawn in production, and the confirmation was not typed.',
    remedy: 'Send `confirm` with the text that `detail` names.',
  },
  webhook_url_not_https: {
    when: 'The address of a webhook does not begin with `https://`.',
    remedy: 'Register an https address; plain http is for development with `WEBHOOK_ALLOW_LOCAL=on` alone.',
  },
  webhook_url_refused: {
    when: 'The address cannot be a webhook: it is no public host name, leads to an address that is never connected to, or holds something that is not allowed.',
    remedy: 'Register the address that `detail` describes.',
  },
  rate_limited: {
    when: 'More requests came than the limit allows.',
    remedy: 'Wait for `Retry-After`; `RateLimit-*` headers show what is left.',
  },
  quota_exceeded: {
    when: 'You have as many unfinished tasks, or uploads at the same time, as one user may have.',
    remedy: 'Wait until one of them ends, then send the request again; `/limits` lists how many there may be.',
  },
  headers_too_large: {
    when: 'The request headers are larger than the service reads.',
    remedy: 'Send fewer or shorter headers.',
  },
  client_closed_request: {
    when: 'The client went away before the answer; seen only in logs and metrics.',
    remedy: 'None needed.',
  },
  internal: {
    when: 'The service failed in a way it did not expect.',
    remedy: 'Report the `request_id`; trying again may work.',
  },
  information_system_refused: {
    when: 'The EU information system answered with a refusal, or with something that is no answer.',
    remedy: 'Read `detail`; `docs/filing.md` lists the codes with advice.',
  },
  dependency_unavailable: {
    when: 'The database or another part the request needs cannot be reached.',
    remedy: 'Try again after `Retry-After`.',
  },
  queue_full: { when: 'Too many tasks or lookups are waiting.', remedy: 'Try again after `Retry-After`.' },
  shutting_down: {
    when: 'The service is stopping.',
    remedy: 'Try again after `Retry-After`; another instance may answer.',
  },
};

/** One finding inside a failed request: where it is (JSON pointer, parameter or feature index) and what is wrong with it. */
export interface ErrorDetail {
  readonly pointer?: string;
  readonly index?: number;
  readonly code: string;
  readonly detail: string;
}

interface ProblemOptions extends ErrorOptions {
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
