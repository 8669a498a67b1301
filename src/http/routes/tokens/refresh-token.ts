import { Type } from 'typebox';
import { remember } from '../../../auth/token-lookup.ts';
import { passwordMatches } from '../../../auth/passwords.ts';
import { Problem } from '../../../errors.ts';
import type { App } from '../../server/app.ts';
import { clientAddress } from '../../guards/client-address.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { PRINTABLE } from '../../problems/describe-schema.ts';
import type { OpenLimiter } from '../../guards/rate-limiter.ts';
import type { ServerDeps } from '../../server/server-deps.ts';

/** Attempts for one account from one address. */
export const REFRESHES_PER_MINUTE = 10;
/**
 * Attempts from one address for any account, and for one account from any address. They bound guesses that are spread out,
 * and do not apply where the account has signed in from the address before: nobody is locked out by what others try.
 */
const SPREAD_REFRESHES_PER_MINUTE = 30;

const Credentials = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 320, pattern: PRINTABLE, examples: ['ana@example.org'] }),
    password: Type.String({
      minLength: 1,
      maxLength: 1024,
      format: 'password',
      examples: ['correct horse battery staple'],
    }),
  },
  { additionalProperties: false },
);

const Answer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT for Authorization: Bearer.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.', examples: [3600] }),
  },
  { description: 'The password was right.' },
);

export function refreshTokenRoutes(deps: ServerDeps, limiterOf: OpenLimiter, onLimited: () => void) {
  const clock = deps.clock ?? Date.now;
  const attempts = limiterOf([{ name: 'minute', quota: REFRESHES_PER_MINUTE, seconds: 60 }]);
  const spread = limiterOf([{ name: 'minute', quota: SPREAD_REFRESHES_PER_MINUTE, seconds: 60 }]);
  /** Pairs of address and account that signed in. */
  const known = new Map<string, true>();
  const spend = async (limiter: ReturnType<OpenLimiter>, key: string): Promise<void> => {
    const { allowed, window, resetS } = await limiter.take(`refresh ${key}`, clock());
    if (allowed) return;
    onLimited();
    const counted = limiter === attempts ? 'for one account from one address' : 'from one address or for one account';
    throw new Problem('rate_limited', `Wanted at most ${window.quota} attempts a minute ${counted}.`, {
      retryAfterS: resetS,
    });
  };

  return (app: App): void => {
    app.post(
      '/refresh_token',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'refreshToken',
          summary: 'Exchange email and password for an access token',
          description: 'For local users. The token works for an hour, everywhere except administration.',
          tags: ['access'],
          body: Credentials,
          response: { 200: Answer, ...problemResponses(['wrong_password', 'rate_limited', 'queue_full']) },
        },
      },
      async (request, reply) => {
        const { email, password } = request.body;
        const account = email.toLowerCase();
        const address = clientAddress(request.ip);
        const pair = `${address} ${account}`;
        await spend(attempts, pair);
        if (!known.has(pair)) {
          await spend(spread, `address ${address}`);
          await spend(spread, `account ${account}`);
        }
        const user = await deps.credentials.userByEmail(email);
        const right = await passwordMatches(password, user?.passwordHash ?? null);
        // One sentence for both mistakes: it must not reveal which accounts exist.
        if (user === null || !right) {
          // RFC 9110 wants a challenge with every 401.
          reply.header('www-authenticate', 'Bearer realm="firstmile"');
          throw new Problem('wrong_password', 'The email or the password is wrong.');
        }
        remember(known, pair, true);
        const { token, expiresInS } = await deps.auth.issueAccessToken(user.id);
        return reply
          .header('cache-control', 'no-store')
          .send({ access_token: token, token_type: 'Bearer' as const, expires_in: expiresInS });
      },
    );
  };
}
