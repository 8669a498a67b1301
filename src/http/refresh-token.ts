import { Type } from 'typebox';
import { passwordMatches } from '../auth/passwords.ts';
import { Problem } from '../errors.ts';
import type { App } from './app.ts';
import { clientAddress } from './client-address.ts';
import { problemResponses } from './complete-routes.ts';
import { rateLimiter } from './rate-limiter.ts';
import type { ServerDeps } from './server-deps.ts';

/** Attempts from one address, and for one account wherever they come from. */
export const REFRESHES_PER_MINUTE = 10;

/** PostgreSQL has no room for NUL in a text. */
export const PRINTABLE = String.raw`^[^\x00-\x1f\x7f]+$`;

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

export function refreshTokenRoutes(deps: ServerDeps, onLimited: () => void) {
  const clock = deps.clock ?? Date.now;
  const attempts = rateLimiter([{ name: 'minute', quota: REFRESHES_PER_MINUTE, seconds: 60 }]);
  const spend = (key: string): void => {
    const { allowed, resetS } = attempts.take(key, clock());
    if (allowed) return;
    onLimited();
    throw new Problem(
      'rate_limited',
      `Wanted at most ${REFRESHES_PER_MINUTE} attempts a minute from one address and for one account.`,
      { retryAfterS: resetS },
    );
  };

  return (app: App): void => {
    app.post(
      '/refresh_token',
      {
        config: { access: 'public' },
        // Before the body is read: an address that guesses costs no more than its headers.
        preParsing: async (request) => spend(`address ${clientAddress(request.ip)}`),
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
        spend(`account ${email.toLowerCase()}`);
        const user = await deps.credentials.userByEmail(email);
        const right = await passwordMatches(password, user?.passwordHash ?? null);
        // One sentence for both mistakes: it must not reveal which accounts exist.
        if (user === null || !right) {
          // RFC 9110 wants a challenge beside every 401.
          reply.header('www-authenticate', 'Bearer realm="firstmile"');
          throw new Problem('wrong_password', 'The email or the password is wrong.');
        }
        const { token, expiresInS } = await deps.auth.issueAccessToken(user.id);
        return reply
          .header('cache-control', 'no-store')
          .send({ access_token: token, token_type: 'Bearer' as const, expires_in: expiresInS });
      },
    );
  };
}
