import { Type } from 'typebox';
import { Problem, type ErrorDetail } from '../../../errors.ts';
import type { App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import type { ReadinessCheck } from '../../server/server-deps.ts';

const DEADLINE_MS = 2_000;
/** Anybody may send the request, so one round of checks answers everybody for this long. */
const BELIEVED_MS = 1_000;

/** What the operator should look at although requests are answered. */
type Notes = () => Promise<readonly (string | null)[]>;

/** `/healthz` says that the process answers, `/readyz` that it can do its work. */
export function healthRoutes(checks: readonly ReadinessCheck[], clock: () => number, notes: Notes) {
  return (app: App): void => {
    let round: { readonly outcome: Promise<readonly ErrorDetail[]>; readonly at: number } | null = null;
    const faults = (): Promise<readonly ErrorDetail[]> => {
      if (round === null || clock() - round.at >= BELIEVED_MS) round = { outcome: runChecks(checks, app), at: clock() };
      return round.outcome;
    };

    app.get(
      '/healthz',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getHealth',
          summary: 'Whether the process answers',
          description: 'Always cheap; does not check the database or other parts.',
          tags: ['service'],
          response: { 200: Type.Object({ status: Type.Literal('ok') }, { description: 'It does.' }) },
        },
      },
      async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' as const }),
    );

    app.get(
      '/readyz',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getReadiness',
          summary: 'Whether the service can do its work',
          description: 'Checks the database, the task runner and the disk; an answer is reused for one second.',
          tags: ['service'],
          response: {
            200: Type.Object(
              {
                status: Type.Literal('ready'),
                checks: Type.Array(Type.String()),
                notes: Type.Array(Type.String(), {
                  description: 'What the operator should look at; requests are still answered.',
                }),
              },
              { description: 'It can.' },
            ),
            ...problemResponses(['dependency_unavailable']),
          },
        },
      },
      async (_request, reply) => {
        if (app.draining.aborted)
          throw new Problem('shutting_down', 'This process is being stopped.', { retryAfterS: 5 });
        const errors = await faults();
        if (errors.length > 0)
          throw new Problem('dependency_unavailable', errors.map(({ detail }) => detail).join(' '), {
            errors,
            retryAfterS: 5,
          });
        return reply.header('cache-control', 'no-store').send({
          status: 'ready' as const,
          checks: checks.map(({ name }) => name),
          notes: (await notes().catch((): Awaited<ReturnType<Notes>> => [])).filter((text) => text !== null),
        });
      },
    );
  };
}

async function runChecks(checks: readonly ReadinessCheck[], app: App): Promise<readonly ErrorDetail[]> {
  const outcomes = await Promise.allSettled(checks.map((check) => withDeadline(check)));
  return outcomes.flatMap((outcome, i) => {
    if (outcome.status === 'fulfilled') return [];
    const { name } = checks[i]!;
    app.log.warn({ check: name, err: outcome.reason as unknown }, 'not ready');
    const why = outcome.reason instanceof Problem ? outcome.reason.message : `The ${name} is not available.`;
    return [{ code: name, detail: why }];
  });
}

/** A check that ignores its signal must not hold the answer up either. */
async function withDeadline(check: ReadinessCheck): Promise<void> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => reject(new Problem('dependency_unavailable', `The ${check.name} did not answer within ${DEADLINE_MS} ms.`)),
      { once: true },
    );
  });
  await Promise.race([check.check(signal), late]);
}
