import { Type } from 'typebox';
import type { App } from '../../server/app.ts';
import type { ServiceLimits } from '../../server/server-deps.ts';

const Limits = (description: string) =>
  Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Union([Type.Number(), Type.String(), Type.Null()], { description: 'null: not limited.' }),
      unit: Type.String(),
      description: Type.String(),
    }),
    { description },
  );

export function limitRoutes({ limits, thresholds }: ServiceLimits) {
  const answer = { limits: [...limits], thresholds: [...thresholds] };
  return (app: App): void => {
    app.get(
      '/limits',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getLimits',
          summary: 'Limits and thresholds in force',
          description:
            'Sizes, rates and deadlines that requests are held to, and the thresholds that answers are decided by.',
          tags: ['service'],
          response: {
            200: Type.Object(
              {
                limits: Limits('What a client can act on: sizes, counts, rates and deadlines.'),
                thresholds: Limits('What checks, scores, levels and findings are decided by.'),
              },
              { description: 'The limits and thresholds.' },
            ),
          },
        },
      },
      async (_request, reply) => reply.header('cache-control', 'public, max-age=60').send(answer),
    );
  };
}
