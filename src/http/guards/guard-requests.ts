import { createHash } from 'node:crypto';
import { authenticate, type DistinctHeaders, requireScope } from '../../auth/authenticate.ts';
import type { Principal } from '../../auth/principal.ts';
import { Problem } from '../../errors.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { clientAddress } from './client-address.ts';
import { distinctHeaders } from './request-headers.ts';
import { negotiate } from './negotiate.ts';
import type { OpenLimiter, RateStanding, RateWindow } from './rate-limiter.ts';
import type { ServerDeps } from '../server/server-deps.ts';

/** Looks at one's own tasks, which are no requests of the rate limit: ten a second follow 20 tasks at the shortest interval. */
export const POLLS_PER_MINUTE = 600;
const POLLS: RateWindow = { name: 'polls', quota: POLLS_PER_MINUTE, seconds: 60 };
/** Tiles of maps: a screen of 24 each second for a while. */
export const TILES_PER_MINUTE = 1_500;
const TILES: RateWindow = { name: 'tiles', quota: TILES_PER_MINUTE, seconds: 60 };

/**
 * Before a handler runs: finds the principal, holds it to its rate limit and scopes, and settles the media type of the answer.
 * Public routes skip all but the last. Limits are counted in the database where processes share one, else in this process; the internal key has none.
 */
export function guardRequests(app: App, deps: ServerDeps, limiterOf: OpenLimiter, onLimited: () => void): void {
  const clock = deps.clock ?? Date.now;
  const limits = deps.config.rateLimit;
  const windows: readonly RateWindow[] =
    limits === null
      ? []
      : [
          { name: 'minute', quota: limits.perMinute, seconds: 60 },
          { name: 'hour', quota: limits.perHour, seconds: 3600 },
        ];
  const requests = limits === null ? null : limiterOf(windows);
  const apart = limits === null ? null : { polls: limiterOf([POLLS]), tiles: limiterOf([TILES]) };
  const policy = policyOf(windows);
  const refused = refusedCredentials(limiterOf);

  app.decorateRequest('principal', null);
  app.decorateRequest('accepted', '');
  app.addHook('onRequest', async (request, reply) => {
    const { access, polling = false, tile = false, produces = ['application/json'] } = request.routeOptions.config;
    // A request without a route goes on to the answer 404 or 405.
    if (access === undefined) return;
    if (access !== 'public') {
      reply.header('cache-control', 'no-store');
      const principal = await identify(request, deps, refused, clock());
      request.principal = principal;
      if (requests !== null && apart !== null && principal.kind !== 'internal') {
        const window = polling ? POLLS : tile ? TILES : null;
        const standing = await (window === null
          ? requests.take(principal.key, clock())
          : apart[polling ? 'polls' : 'tiles'].take(`${window.name} ${principal.key}`, clock()));
        spend(reply, standing, window === null ? policy : policyOf([window]), onLimited);
      }
      if (access !== 'authenticated') requireScope(principal, access);
    }
    if (produces.length > 1) reply.header('vary', 'accept');
    if (produces.length > 0) request.accepted = negotiate(request.headers.accept, produces);
  });
}

function policyOf(windows: readonly RateWindow[]): string {
  return windows.map(({ name, quota, seconds }) => `"${name}";q=${quota};w=${seconds}`).join(', ');
}

async function identify(
  request: AnyRequest,
  deps: ServerDeps,
  refused: RefusedCredentials,
  now: number,
): Promise<Principal> {
  const address = clientAddress(request.ip);
  const headers = distinctHeaders(request.raw.rawHeaders);
  refused.check(address, headers, now);
  try {
    return await authenticate(headers, deps.auth);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) await refused.note(address, headers, now);
    throw error;
  }
}

/** What is counted apart from requests, by the name of its window. */
const COUNTED_APART: Readonly<Record<string, string>> = {
  polls: 'looks at tasks a minute',
  tiles: 'tiles a minute',
};

/** Reports the limits of the client in headers: the policy names every window, the rest the tighter one. Throws `rate_limited` when it is full. */
function spend(reply: AnyReply, standing: RateStanding, policy: string, onLimited: () => void): void {
  const { window, remaining, resetS } = standing;
  reply.headers({
    'ratelimit-policy': policy,
    ratelimit: `"${window.name}";r=${remaining};t=${resetS}`,
    'ratelimit-limit': String(window.quota),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetS),
  });
  if (standing.allowed) return;
  onLimited();
  throw new Problem(
    'rate_limited',
    `The limit of ${window.quota} ${COUNTED_APART[window.name] ?? `requests a ${window.name}`} is used up; a new window begins in ${resetS} s.`,
    { retryAfterS: resetS },
  );
}

/** Refused credentials from one address before more refusals are answered with 429. */
const FAILURES_PER_MINUTE = 300;
/** Refusals of one credential from one address before it is not looked at any more for the rest of the minute. */
const REPEATS_PER_MINUTE = 30;

/** How long a refusal of a credential counts, with a margin for clocks that are set. */
const NOTED_MS = 120_000;

const CREDENTIAL_HEADERS = ['authorization', 'x-internal-api-key', 'x-user-id'] as const;

/** Bounds guesses without a penalty for neighbours: a credential that is right is never refused for those that are wrong. */
interface RefusedCredentials {
  /** Throws `Problem('rate_limited')` for a credential that this address has sent, and had refused, too often. */
  check(address: string, headers: DistinctHeaders, now: number): void;
  /** Counts a refusal. Throws `Problem('rate_limited')` in its place when the address has had too many. */
  note(address: string, headers: DistinctHeaders, now: number): Promise<void>;
}

/**
 * `now` is milliseconds since 1970. A request is held against what this process knows and only a refusal is counted for all
 * processes: those who send valid credentials wait for no count.
 */
function refusedCredentials(limiterOf: OpenLimiter): RefusedCredentials {
  const byAddress = limiterOf([{ name: 'failures', quota: FAILURES_PER_MINUTE, seconds: 60 }]);
  const byCredential = limiterOf([{ name: 'repeats', quota: REPEATS_PER_MINUTE, seconds: 60 }]);
  /** When this process refused a credential last; what was counted before is over after a minute. */
  let notedAt = -Infinity;

  return {
    check(address, headers, now) {
      if (now - notedAt > NOTED_MS) return;
      const key = credentialKey(address, headers);
      const standing = key === null ? null : byCredential.look(key, now);
      if (standing?.allowed === false)
        throw new Problem(
          'rate_limited',
          `This credential was refused ${REPEATS_PER_MINUTE} times within a minute; it is not looked at before that minute is over.`,
          { retryAfterS: standing.resetS },
        );
    },
    async note(address, headers, now) {
      notedAt = now;
      const key = credentialKey(address, headers);
      const [standing] = await Promise.all([
        byAddress.take(`refused ${address}`, now),
        key === null ? null : byCredential.take(key, now),
      ]);
      if (!standing.allowed)
        throw new Problem(
          'rate_limited',
          `This address sent ${FAILURES_PER_MINUTE} refused credentials within a minute; valid ones are still accepted.`,
          { retryAfterS: standing.resetS },
        );
    },
  };
}

/** Null without any credential: there is nothing to guess with. */
function credentialKey(address: string, headers: DistinctHeaders): string | null {
  const sent = CREDENTIAL_HEADERS.map((name) => headers[name] ?? []);
  if (sent.every((values) => values.length === 0)) return null;
  return `refused ${address} ${createHash('sha256').update(JSON.stringify(sent)).digest('base64')}`;
}
