import type { Problem } from '../../errors.ts';
import type { AnyReply } from '../server/app.ts';
import { PROBLEM_TITLES } from './problem-titles.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** Seconds to wait where the cause does not say. */
const RETRY_AFTER_S = 5;

/** The JSON of a problem as RFC 9457 wants it. */
export function problemJson(problem: Problem, requestId: string): string {
  return JSON.stringify({
    type: `/problems/${problem.code}`,
    title: PROBLEM_TITLES[problem.code],
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    request_id: requestId,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
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
