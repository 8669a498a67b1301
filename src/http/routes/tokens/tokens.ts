import { Type } from 'typebox';
import type { TokenRecord } from '../../../auth/principal.ts';
import { SCOPES, type Scope } from '../../../auth/scopes.ts';
import { createToken } from '../../../auth/tokens.ts';
import { Problem } from '../../../errors.ts';
import { principalOf, type App } from '../../server/app.ts';
import { actorOf } from '../../guards/audit.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { PRINTABLE } from '../../problems/describe-schema.ts';
import type { ServerDeps } from '../../server/server-deps.ts';
import { DAY_MS } from '../../../durations.ts';

const TOKEN_ID = /^[\w-]{1,100}$/;
const MAX_DAYS = 3_650;

const ScopeSchema = Type.Unsafe<Scope>({ type: 'string', enum: SCOPES });
const Moment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

const TokenSchema = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  label: Type.String(),
  scopes: Type.Array(ScopeSchema),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Moment,
  revoked_at: Moment,
  last_used_at: Moment,
});

const NewToken = Type.Object(
  {
    label: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: PRINTABLE,
      description: 'What it is for.',
      examples: ['nightly import'],
    }),
    scopes: Type.Array(ScopeSchema, {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: 'What it may do.',
      examples: [['validate']],
    }),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Absent: it does not expire.' }),
    ),
    email: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 320,
        pattern: PRINTABLE,
        description: 'The local user it belongs to; default the caller.',
        examples: ['ana@example.org'],
      }),
    ),
  },
  { additionalProperties: false },
);

const ListQuery = Type.Object(
  { include_revoked: Type.Optional(Type.Boolean({ default: false, description: 'Also tokens that were revoked.' })) },
  { additionalProperties: false },
);

/** API tokens of all local users, for administrators. The token itself is in one answer only: the one that made it. */
export function tokenRoutes({ credentials, clock = Date.now }: Pick<ServerDeps, 'credentials' | 'clock'>) {
  return (app: App): void => {
    listRoute(app, credentials);
    createRoute(app, credentials, clock);
    revokeRoute(app, credentials);
  };
}

function listRoute(app: App, credentials: ServerDeps['credentials']): void {
  app.get(
    '/tokens',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listTokens',
        summary: 'API tokens',
        description: 'Of all users, without the tokens themselves.',
        tags: ['access'],
        querystring: ListQuery,
        response: { 200: Type.Object({ tokens: Type.Array(TokenSchema) }, { description: 'The tokens.' }) },
      },
    },
    async (request) => {
      const tokens = await credentials.listTokens({ includeRevoked: request.query.include_revoked ?? false });
      return { tokens: tokens.map(tokenView) };
    },
  );
}

function createRoute(app: App, credentials: ServerDeps['credentials'], clock: () => number): void {
  app.post(
    '/tokens',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'createToken',
        summary: 'Create an API token',
        description: 'The answer is the only one that shows it; only its SHA-256 is stored.',
        tags: ['access'],
        body: NewToken,
        response: {
          201: Type.Object(
            { token: Type.String({ description: 'Keep it: it is not shown again.' }), ...TokenSchema.properties },
            { description: 'The token.' },
          ),
          ...problemResponses(['conflict']),
        },
      },
    },
    async (request, reply) => {
      const { label, scopes, expires_in_days: days, email } = request.body;
      const user =
        email === undefined
          ? await credentials.userById(principalOf(request).userId)
          : await credentials.userByEmail(email);
      if (user === null)
        throw new Problem(
          'conflict',
          email === undefined
            ? 'Your credential belongs to no local user; name one by email.'
            : `There is no local user ${email}.`,
        );
      const { token, hash } = createToken();
      const expiresAt = days === undefined ? null : new Date(clock() + days * DAY_MS);
      const detail = { label, scopes, user: user.email };
      const act = { ...actorOf(request), act: 'token_created', detail } as const;
      const record = await credentials.addToken({ userId: user.id, label, scopes, hash, expiresAt }, act);
      return reply.code(201).send({ token, ...tokenView(record) });
    },
  );
}

function revokeRoute(app: App, credentials: ServerDeps['credentials']): void {
  app.delete(
    '/tokens/:token_id',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke an API token',
        description: 'It stops working within a second, in every process.',
        tags: ['access'],
        params: Type.Object({
          token_id: Type.String({
            description: '`id` from the list.',
            examples: ['0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
          }),
        }),
        response: { 204: Type.Null({ description: 'It is revoked.' }) },
      },
    },
    async (request, reply) => {
      const { token_id: id } = request.params;
      const act = { ...actorOf(request), act: 'token_revoked', target: id } as const;
      if (!TOKEN_ID.test(id) || !(await credentials.revokeToken(id, act)))
        throw new Problem('not_found', 'There is no token in force with this id.');
      return reply.code(204).send(null);
    },
  );
}

function tokenView(record: TokenRecord) {
  return {
    id: record.id,
    user_id: record.userId,
    label: record.label,
    scopes: [...record.scopes],
    created_at: record.createdAt.toISOString(),
    expires_at: record.expiresAt?.toISOString() ?? null,
    revoked_at: record.revokedAt?.toISOString() ?? null,
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
  };
}
