import { createHash } from 'node:crypto';
import { Problem } from '../../errors.ts';
import type { DistinctHeaders } from '../../auth/authenticate.ts';
import { rateLimiter } from './rate-limiter.ts';

/** Refused credentials from one address before more refusals are answered with 429. */
const FAILURES_PER_MINUTE = 300;
/** Refusals of one credential from one address before it is not looked at any more for the rest of the minute. */
const REPEATS_PER_MINUTE = 30;

const CREDENTIAL_HEADERS = ['authorization', 'x-internal-api-key', 'x-user-id'] as const;

/** Bounds guesses without a penalty for neighbours: a credential that is right is never refused for those that are wrong. */
export interface RefusedCredentials {
  /** Throws `Problem('rate_limited')` for a credential that this address has sent, and had refused, too often. */
  check(address: string, headers: DistinctHeaders, now: number): void;
  /** Counts a refusal. Throws `Problem('rate_limited')` in its place when the address has had too many. */
  note(address: string, headers: DistinctHeaders, now: number): void;
}

/** Counts of this process; `now` is milliseconds since 1970. */
export function refusedCredentials(): RefusedCredentials {
  const byAddress = rateLimiter([{ name: 'failures', quota: FAILURES_PER_MINUTE, seconds: 60 }]);
  const byCredential = rateLimiter([{ name: 'repeats', quota: REPEATS_PER_MINUTE, seconds: 60 }]);

  return {
    check(address, headers, now) {
      const key = credentialKey(address, headers);
      const standing = key === null ? null : byCredential.look(key, now);
      if (standing?.allowed === false)
        throw new Problem(
          'rate_limited',
          `This credential was refused ${REPEATS_PER_MINUTE} times within a minute; it is not looked at before that minute is over.`,
          { retryAfterS: standing.resetS },
        );
    },
    note(address, headers, now) {
      const key = credentialKey(address, headers);
      if (key !== null) byCredential.take(key, now);
      const standing = byAddress.take(address, now);
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
  return `${address} ${createHash('sha256').update(JSON.stringify(sent)).digest('base64')}`;
}
