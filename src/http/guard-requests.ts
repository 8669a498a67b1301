import { authenticate } from '../auth/authenticate.ts';
import type { Principal } from '../auth/principal.ts';
import { requireScope } from '../auth/require-scope.ts';
import { Problem } from '../errors.ts';
import type { AnyReply, AnyRequest, App } from './app.ts';
import { clientAddress } from './client-address.ts';
import { distinctHeaders } from './distinct-headers.ts';
import { negotiate } from './negotiate.ts';
import { rateLimiter, type RateLimiter, type RateStanding, type RateWindow } from './rate-limiter.ts';
import type { ServerDeps } from './server-deps.ts';

/** Refused credentials one address may send, so that guessing tokens is bounded. */
export const FAILURES_PER_MINUTE = 300;

/**
 * Before a handler runs: finds the principal, holds it to its rate limit and scopes, and settles the media type of the answer.
 * Public routes skip all but the last. Limits are counted in this process; the internal key has none.
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
  const requests = limits === null ? null : rateLimiter(windows);
  const policy = windows.map(({ name, quota, seconds }) => `"${name}";q=${quota};w=${seconds}`).join(', ');
  const failures = rateLimiter([{ name: 'failures', quota: FAILURES_PER_MINUTE, seconds: 60 }]);

  app.decorateRequest('principal', null);
  app.decorateRequest('accepted', '');
  app.addHook('onRequest', async (request, reply) => {
    const { access, produces = ['application/json'] } = request.routeOptions.config;
    // A request without a route goes on to the answer 404 or 405.
    if (access === undefined) return;
    if (access !== 'public') {
      reply.header('cache-control', 'no-store');
      const principal = await identify(request, deps, failures, clock());
      request.principal = principal;
      if (requests !== null && principal.kind !== 'internal')
        spend(reply, requests.take(principal.key, clock()), policy, onLimited);
      if (access !== 'authenticated') requireScope(principal, access);
    }
    if (produces.length > 1) reply.header('vary', 'accept');
    if (produces.length > 0) request.accepted = negotiate(request.headers.accept, produces);
  });
}

async function identify(request: AnyRequest, deps: ServerDeps, failures: RateLimiter, now: number): Promise<Principal> {
  const address = clientAddress(request.ip);
  const failed = failures.look(address, now);
  if (!failed.allowed)
    throw new Problem('rate_limited', `This address sent ${FAILURES_PER_MINUTE} refused credentials within a minute.`, {
      retryAfterS: failed.resetS,
    });
  try {
    return await authenticate(distinctHeaders(request.raw.rawHeaders), deps.auth);
  } catch (error) {
    if (error instanceof Problem && error.status === 401) failures.take(address, now);
    throw error;
  }
}

/** Tells where the client stands: the policy names every window, the rest the tighter one. Throws `rate_limited` when it is full. */
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
    `The limit of ${window.quota} requests a ${window.name} is used up; it begins anew in ${resetS} s.`,
    { retryAfterS: resetS },
  );
}
