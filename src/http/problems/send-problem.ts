import type { ErrorCode, Problem } from '../../errors.ts';
import { codesOf, eachWithCodes } from '../../messages/recognised/codes-of.ts';
import type { AnyReply } from '../server/app.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Seconds to wait where the cause does not say. */
const RETRY_AFTER_S = 5;

/** The JSON of a problem as RFC 9457 wants it. `messages` says in codes what each `detail` says in English. */
export function problemJson(problem: Problem, requestId: string): string {
  return JSON.stringify({
    type: `/problems/${problem.code}`,
    title: PROBLEM_TITLES[problem.code],
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...codesOf({ detail: problem.message }),
    ...(problem.errors.length > 0 ? { errors: eachWithCodes(problem.errors, 'detail') } : {}),
  });
}

/** Headers that belong to a problem whoever sends it. */
export function problemHeaders(problem: Problem): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' };
  const retryAfterS = problem.retryAfterS ?? (problem.status === 503 || problem.status === 429 ? RETRY_AFTER_S : null);
  if (retryAfterS !== null) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterS)));
  if (problem.code === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="firstmile"';
  if (problem.code === 'invalid_token') headers['www-authenticate'] = 'Bearer realm="firstmile", error="invalid_token"';
  if (problem.code === 'forbidden')
    headers['www-authenticate'] = 'Bearer realm="firstmile", error="insufficient_scope"';
  return headers;
}

/** Answers with a problem; headers a handler set for its own answer are replaced where they would lie. */
export function sendProblem(reply: AnyReply, problem: Problem): AnyReply {
  for (const name of ['content-encoding', 'content-disposition', 'content-length', 'etag', 'last-modified'])
    reply.removeHeader(name);
  return reply
    .code(problem.status)
    .headers({ ...problemHeaders(problem), 'x-request-id': reply.request.id })
    .send(problemJson(problem, reply.request.id));
}

/** The `title` of every problem: the same words whenever the code appears. */
export const PROBLEM_TITLES = {
  malformed_body: 'Malformed body',
  malformed_file: 'Malformed file',
  malformed_header: 'Malformed request',
  malformed_query: 'Malformed address',
  unauthenticated: 'Credential missing',
  wrong_password: 'Email or password wrong',
  invalid_token: 'Credential refused',
  forbidden: 'Right missing',
  host_refused: 'Name refused',
  not_found: 'Not found',
  task_not_found: 'Task not found',
  webhook_not_found: 'No webhook registered',
  delivery_not_found: 'Delivery not found',
  collection_not_found: 'Collection not found',
  submission_not_found: 'Submission not found',
  method_not_allowed: 'Method not allowed',
  not_acceptable: 'No acceptable format',
  request_timeout: 'Request too slow',
  conflict: 'Conflict',
  idempotency_conflict: 'First request still running',
  task_not_ready: 'Task not finished',
  task_failed: 'Task failed',
  task_cancelled: 'Task cancelled',
  collection_not_ready: 'Collection not ready',
  collection_busy: 'Collection busy',
  collection_failed: 'Collection failed',
  statistics_missing: 'No statistics',
  webhook_exists: 'Webhook exists',
  filing_credentials_missing: 'Credentials missing',
  delivery_sending: 'Delivery being sent',
  too_large: 'Too large',
  storage_full: 'Storage full',
  uri_too_long: 'Address too long',
  unsupported_media_type: 'Unsupported media type',
  invalid_parameter: 'Invalid parameter',
  invalid_body: 'Invalid body',
  invalid_geometry: 'Invalid geometry',
  idempotency_mismatch: 'Idempotency key reused',
  filing_incomplete: 'Statement incomplete',
  filing_not_confirmed: 'Not confirmed',
  webhook_url_not_https: 'Webhook address not https',
  webhook_url_refused: 'Webhook address refused',
  rate_limited: 'Too many requests',
  quota_exceeded: 'Quota exceeded',
  headers_too_large: 'Headers too large',
  client_closed_request: 'Client closed the request',
  internal: 'Internal error',
  information_system_refused: 'Information system refused',
  dependency_unavailable: 'Dependency unavailable',
  queue_full: 'Queue full',
  shutting_down: 'Shutting down',
} as const satisfies Record<ErrorCode, string>;
