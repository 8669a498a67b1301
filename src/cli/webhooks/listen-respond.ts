import { UsageError } from '../command.ts';

/** What the receiver does with one request. */
export type Response =
  | { readonly kind: 'status'; readonly status: number; readonly afterMs: number }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'hang' }
  | { readonly kind: 'close' };

/** Decides the response: from how often the event came before (0 for the first time) and whether it was verified. */
export type Respond = (times: number, verified: boolean) => Response;

export const RESPOND_DOC =
  'What to answer: ok (200, or 401 where the signature does not fit), a status such as 500 or 204, slow or slow=SECONDS ' +
  '(200 after 20 s, which is too late), hang (never), close (no answer), redirect, fail-first=N (500 to the first N attempts of an event).';

const SLOW_S = 20;
const MAX_SLOW_S = 3_600;

/** Reads `--respond`; throws a `UsageError` for anything that is not in its help. */
export function parseRespond(text: string): Respond {
  const [, word = '', number] = /^([a-z-]+)(?:=(\d+))?$/.exec(text) ?? [];
  const count = number === undefined ? null : Number(number);
  if (/^[2-5]\d\d$/.test(text)) return () => status(Number(text));
  if (word === 'slow' && (count ?? SLOW_S) <= MAX_SLOW_S) return () => status(200, (count ?? SLOW_S) * 1_000);
  if (word === 'fail-first' && count !== null)
    return (times, verified) => (times < count ? status(500) : respondTo(verified));
  if (count === null && word === 'ok') return (_times, verified) => respondTo(verified);
  if (count === null && (word === 'hang' || word === 'close' || word === 'redirect')) return () => ({ kind: word });
  throw new UsageError(
    `--respond: wanted ok, a status, slow, slow=5, hang, close, redirect or fail-first=2, got "${text}"`,
  );
}

function respondTo(verified: boolean): Response {
  return status(verified ? 200 : 401);
}

function status(code: number, afterMs = 0): Response {
  return { kind: 'status', status: code, afterMs };
}
