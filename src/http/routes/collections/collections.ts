import { Type } from 'typebox';
import type { Collection } from '../../../collections/collection.ts';
import type { CollectionService } from '../../../service/collections/collections.ts';
import type { TracesService } from '../../../service/traces/traces.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { CollectionDetailSchema, CollectionPage } from './schemas.ts';
import { collectionDetailView, collectionView } from './view.ts';
import { done, DoneSchema } from '../messages-schema.ts';
import { setRetryAfter } from '../tasks/task-view.ts';

const MAX_PAGE = 100;
/** Submissions with the collection; the others are at `/traces/submissions`. */
const SUBMISSIONS_SHOWN = 20;

const Params = Type.Object({
  collection_id: Type.String({
    description: 'From the answer that staged it.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
});

const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 20, description: 'Collections a page.' }),
    ),
    before: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the previous page.' })),
  },
  { additionalProperties: false },
);

/** The same collection at both addresses. */
const DETAILS = [
  ['/get_collections/:collection_id', 'getCollectionOf'],
  ['/collections/:collection_id', 'getCollection'],
] as const;

/** The collections of the caller: list, state, deletion. Those of others do not exist here. */
export function collectionRoutes(collections: CollectionService, traces: Pick<TracesService, 'list'>) {
  return (app: App): void => {
    app.get(
      '/get_collections',
      {
        config: { polling: true, access: 'collections' },
        schema: {
          operationId: 'listCollections',
          summary: 'Your collections, newest first',
          description: 'A page of the collections of the user who makes the request.',
          tags: ['collections'],
          querystring: PageQuery,
          response: { 200: CollectionPage },
        },
      },
      async (request) => {
        const { limit = 20, before } = request.query;
        const page = { limit: limit + 1, ...(before === undefined ? {} : { before }) };
        const found = await collections.list(principalOf(request).userId, page);
        const shown: readonly Collection[] = found.slice(0, limit);
        return { collections: shown.map(collectionView), next: found.length > limit ? shown.at(-1)!.id : null };
      },
    );

    for (const [path, operationId] of DETAILS) {
      app.get(
        path,
        {
          config: { polling: true, access: 'collections' },
          schema: {
            operationId,
            summary: 'A collection',
            description:
              'Its state, what it counted, its last task while that is kept, what became of the email with its report, and its submissions to the EU information system.',
            tags: ['collections'],
            params: Params,
            response: { 200: CollectionDetailSchema, ...problemResponses(['collection_not_found']) },
          },
        },
        async (request, reply) => {
          const collection = await collections.find(principalOf(request).userId, request.params.collection_id);
          const [task, email, submissions] = await Promise.all([
            collections.lastTask(collection),
            collections.reportEmail(collection),
            traces.list(collection.userId, { limit: SUBMISSIONS_SHOWN, collectionId: collection.id }),
          ]);
          setRetryAfter(reply, task);
          return collectionDetailView(collection, task, email, submissions);
        },
      );
    }

    app.delete(
      '/collections/:collection_id',
      {
        config: { access: 'collections' },
        schema: {
          operationId: 'deleteCollection',
          summary: 'Delete a collection',
          description:
            'Stops what works on it and deletes its file, its locations, its results, its tasks and the exports that it is part of, for good. Emails and events about it stay.',
          tags: ['collections'],
          params: Params,
          response: {
            200: DoneSchema('It is gone.'),
            ...problemResponses(['collection_not_found', 'collection_busy']),
          },
        },
      },
      async (request) => {
        await collections.delete(principalOf(request).userId, request.params.collection_id);
        return done('The collection is deleted.');
      },
    );
  };
}
