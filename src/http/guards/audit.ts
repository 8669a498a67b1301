import { Type } from 'typebox';
import { AUDITED_ACTS, type Actor, type AuditedAct } from '../../auth/audit-log.ts';
import { principalOf, type AnyRequest, type App } from '../server/app.ts';
import type { ServerDeps } from '../server/server-deps.ts';

const MAX_PAGE = 100;
const ActSchema = Type.Unsafe<AuditedAct>({ type: 'string', enum: AUDITED_ACTS });

const Query = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 20, description: 'Acts per page.' })),
    before: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the previous page.' })),
    act: Type.Optional(ActSchema),
  },
  { additionalProperties: false },
);

const Page = Type.Object(
  {
    acts: Type.Array(
      Type.Object({
        id: Type.String(),
        at: Type.String({ format: 'date-time' }),
        actor: Type.String({ description: 'A user id, or `name@machine` of whoever ran a command.' }),
        credential: Type.String({
          description: 'The credential used, such as `token:<id>`; `command` for the command line.',
        }),
        source: Type.String({ description: "The client's address, or the command." }),
        act: ActSchema,
        target: Type.String({ description: 'What was changed.' }),
        detail: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Give it as `before` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.' },
);

/** `GET /audit`: who changed what, for administrators. */
export function auditRoutes({ audit }: Pick<ServerDeps, 'audit'>) {
  return (app: App): void => {
    app.get(
      '/audit',
      {
        config: { access: 'admin' },
        schema: {
          operationId: 'listAudit',
          summary: 'Administrative acts, newest first',
          description:
            'Changes of users, tokens, webhooks, secrets, datasets and models: who, when, what and from where. `AUDIT_RETENTION_DAYS` says how long they are kept.',
          tags: ['access'],
          querystring: Query,
          response: { 200: Page },
        },
      },
      async (request) => {
        const { limit = 20, before, act } = request.query;
        const found = await audit.listActs({ limit: limit + 1, ...(before && { before }), ...(act && { act }) });
        const shown = found.slice(0, limit);
        return {
          acts: shown.map(({ at, detail, ...one }) => ({ ...one, at: at.toISOString(), detail: { ...detail } })),
          next: found.length > limit ? shown.at(-1)!.id : null,
        };
      },
    );
  };
}

/** Who makes a request, as the audit log names it. */
export function actorOf(request: AnyRequest): Actor {
  const { userId, key } = principalOf(request);
  return { actor: userId, credential: key, source: request.ip ?? 'unknown' };
}
