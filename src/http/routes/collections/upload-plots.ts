import { Type } from 'typebox';
import { batchPeriod } from '../../../collections/batch-period.ts';
import type { CollectionService } from '../../../service/collections/collections.ts';
import { principalOf, type App } from '../../server/app.ts';
import { repeatOf } from './forms.ts';
import { WorkSchema } from './schemas.ts';
import { accept } from './uploads.ts';
import { workView } from './view.ts';
import { IdempotencyHeaders } from '../../guards/request-headers.ts';
import { problemResponses } from '../../server/complete-routes.ts';

const Body = Type.Object(
  {
    filename: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Id of a staged collection.',
      examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
    }),
  },
  { additionalProperties: false },
);

/** `POST /upload_plots`. */
export function uploadPlotsRoutes(collections: CollectionService, clock: () => Date = () => new Date()) {
  return (app: App): void => {
    app.post(
      '/upload_plots',
      {
        config: { access: 'collections' },
        schema: {
          operationId: 'uploadPlots',
          summary: 'Read the locations of a staged collection',
          description:
            'Normalises every location of the staged file, without validation and statistics, so that `/fetch_plots` has them. The same as `POST /batch_process` with `stats=false`.',
          tags: ['collections'],
          headers: IdempotencyHeaders,
          body: Body,
          response: {
            202: { description: 'Accepted as a task.', content: { 'application/json': { schema: WorkSchema } } },
            ...problemResponses([
              'collection_not_found',
              'collection_busy',
              'idempotency_mismatch',
              'quota_exceeded',
              'queue_full',
            ]),
          },
        },
      },
      async (request, reply) => {
        const { filename } = request.body;
        const period = batchPeriod({}, clock().toISOString().slice(0, 10));
        if ('field' in period) throw new Error(period.detail);
        const { userId, email } = principalOf(request);
        const { collection, task } = await collections.process(userId, filename, {
          options: { cropType: null, statistics: false, validateLocations: false, eudrDds: false, ...period },
          reading: null,
          email,
          repeat: repeatOf(request, ['upload', filename]),
        });
        return accept(reply, workView(collection, task), task);
      },
    );
  };
}
