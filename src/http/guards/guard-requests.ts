import { authenticate, requireScope } from '../../auth/authenticate.ts';
import type { Principal } from '../../auth/principal.ts';
import { Problem } from '../../errors.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';
import { clientAddress } from './client-address.ts';
import { distinctHeaders } from './distinct-headers.ts';
import { negotiate } from './negotiate.ts';
import { rateLimiter, type RateLimiter, type RateStanding, type RateWindow } from './rate-limiter.ts';
import { sharedLimiter, type SharedLimiter } from './shared-limiter.ts';
import { refusedCredentials, type RefusedCredentials } from './refused-credentials.ts';
import type { ServerDeps } from '../server/server-deps.ts';

/** Looks at one's own tasks, which are no requests of the rate limit: ten a second follow 20 tasks at the shortest interval. */
export const POLLS_PER_MINUTE = 600;
const POLLS: RateWindow = { name: 'polls', quota: POLLS_PER_MINUTE, seconds: 60 };

/**
 * Before a handler runs: finds the principal, holds it to its rate limit and scopes, and settles the media type of the answer.
 * Public routes skip all but the last. Limits are counted in the database where processes share one, else in this process; the internal key has none.
 */
export function guardRequests(app: App, deps: ServerDeps, onLimited: () => void): void {
  const clock = deps.clock ?? Date.now;
  const limits = deps.config.rateLimit;
  const windows: readonly RateWindow[] =
    limits === null
      ? []
      : [
          { name: 'minute', quota: limits.perMinute, seconds: 60 },
          { name: 'hour', quota: limits.perHour, seconds: 3600 },
        ];
  const limiterOf = (of: readonly RateWindow[]): SharedLimiter | RateLimiter =>
    deps.rateCounts === undefined
      ? rateLimiter(of)
      : sharedLimiter(of, deps.rateCounts, (err) =>
          deps.log.warn({ err }, 'the shared rate counts failed; this process counts for itself for a while'),
        );
  const requests = limits === null ? null : limiterOf(windows);
  const polls = limits === null ? null : limiterOf([POLLS]);
  const policy = policyOf(windows);
  const refused = refusedCredentials();

  app.decorateRequest('principal', null);
  app.decorateRequest('accepted', '');
  app.addHook('onRequest', async (request, reply) => {
    const { access, polling = false, produces = ['application/json'] } = request.routeOptions.config;
    // A request without a route goes on to the answer 404 or 405.
    if (access === undefined) return;
    if (access !== 'public') {
      reply.header('cache-control', 'no-store');
      const principal = await identify(request, deps, refused, clock());
      request.principal = principal;
      if (requests !== null && polls !== null && principal.kind !== 'internal') {
        const standing = await (polling
          ? polls.take(`polls ${principal.key}`, clock())
          : requests.take(principal.key, clock()));
        spend(reply, standing, polling ? policyOf([POLLS]) : policy, onLimited);
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
    if (error instanceof Problem && error.status === 401) refused.note(address, headers, now);
    throw error;
  }
}

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
    `The limit of ${window.quota} ${window === POLLS ? 'looks at tasks a minute' : `requests a ${window.name}`} is used up; a new window begins in ${resetS} s.`,
    { retryAfterS: resetS },
  );
}
