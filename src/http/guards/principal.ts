import { Type } from 'typebox';
import { SCOPES, type Scope } from '../../auth/scopes.ts';
import { principalOf, type App } from '../server/app.ts';
import type { ServerDeps } from '../server/server-deps.ts';

const PrincipalSchema = Type.Object(
  {
    user_id: Type.String(),
    email: Type.Union([Type.String(), Type.Null()], { description: 'Of a local user.' }),
    kind: Type.Unsafe<'token' | 'bootstrap' | 'jwt' | 'internal'>({
      type: 'string',
      enum: ['token', 'bootstrap', 'jwt', 'internal'],
      description: 'The kind of credential of the request.',
    }),
    scopes: Type.Array(Type.Unsafe<Scope>({ type: 'string', enum: SCOPES }), { description: 'What it may do.' }),
  },
  { description: 'Who makes the request.' },
);

/** `GET /principal`: whom a credential stands for and what it may do. */
export function principalRoutes({ credentials }: Pick<ServerDeps, 'credentials'>) {
  return (app: App): void => {
    app.get(
      '/principal',
      {
        config: { access: 'authenticated' },
        schema: {
          operationId: 'getPrincipal',
          summary: 'Who you are',
          description: 'The user and the scopes that your credentials stand for.',
          tags: ['access'],
          response: { 200: PrincipalSchema },
        },
      },
      async (request) => {
        const { userId, kind, scopes } = principalOf(request);
        const user = await credentials.userById(userId);
        return { user_id: userId, email: user?.email ?? null, kind, scopes: [...scopes] };
      },
    );
  };
}
