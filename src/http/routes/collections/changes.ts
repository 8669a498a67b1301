import { Type, type Static } from 'typebox';
import type { ComparedBatches } from '../../../service/collections/compare-batches.ts';
import type { WatchService } from '../../../service/watches/watches.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { MAX_RUNS } from '../../../collections/collection.ts';
import { RunSchema } from './schemas.ts';
import { runView } from './view.ts';
import { changeFields, changeView, comparedCounts, unmeasuredFields, unmeasuredView, watchRoutes } from './watches.ts';

const Params = Type.Object({
  collection_id: Type.String({
    description: 'From the answer that staged it.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
});

const Query = Type.Object(
  {
    before: Type.Optional(
      Type.String({
        description: '`run_id` of one of the `runs` of the collection; default: the one before `after`.',
        examples: ['7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60'],
      }),
    ),
    after: Type.Optional(
      Type.String({
        description: '`run_id` of a later one; default: the last batch.',
        examples: ['9c1e6a52-0c9f-4a58-8b0e-5f2d3b6c7a81'],
      }),
    ),
  },
  { additionalProperties: false },
);

const row = Type.Integer({
  description: 'Its row as the spreadsheet shows it; in files without rows its number, from 1.',
});

const ChangesSchema = Type.Object(
  {
    collection_id: Type.String(),
    before: Type.Object(RunSchema.properties, { description: 'The earlier batch.' }),
    after: Type.Object(RunSchema.properties, { description: 'The later batch.' }),
    monitoring_start: Type.String({
      description: 'Plots are compared in the period of the later batch, so that the passing of time changes nothing.',
    }),
    monitoring_end: Type.String(),
    counts: Type.Object(
      {
        ...comparedCounts,
        only_before: Type.Integer({ description: 'Plots that the later batch did not read; in no other count.' }),
        only_after: Type.Integer({ description: 'Plots that the earlier batch did not read; in no other count.' }),
      },
      { description: 'Plots that both batches read, each in one of unchanged, changed and not_measured.' },
    ),
    changes: Type.Array(Type.Object({ row, ...changeFields }), {
      description: 'Plots with a different finding than before, up to 1,000, in the order of the file.',
    }),
    not_measured: Type.Array(Type.Object({ row, ...unmeasuredFields }), {
      description:
        'Plots that could not be measured this time, because a dataset that had data on them gave none: neither better nor worse. Up to 1,000.',
    }),
  },
  { description: 'How the findings of one batch differ from those of an earlier one.' },
);

/** What was found otherwise: two batches of a collection (`/collections/{id}/changes`), and those of watches. */
export function changeRoutes(watches: WatchService) {
  return (app: App): void => {
    watchRoutes(watches)(app);
    app.get(
      '/collections/:collection_id/changes',
      {
        config: { access: 'collections' },
        schema: {
          operationId: 'getCollectionChanges',
          summary: 'What a batch of a collection found differently',
          description: `Compares two batches of a collection plot by plot: verdict, losses and the rule that decided, before and after; the last two where none are named. The last ${MAX_RUNS} are kept for that. 404 where there is no earlier batch. See docs/collections.md.`,
          tags: ['collections'],
          params: Params,
          querystring: Query,
          response: {
            200: ChangesSchema,
            ...problemResponses([
              'collection_not_found',
              'collection_not_ready',
              'collection_failed',
              'statistics_missing',
            ]),
          },
        },
      },
      async (request, reply) => {
        const { collection_id: id } = request.params;
        return changesView(await watches.compare(principalOf(request).userId, id, request.query, leavingSignal(reply)));
      },
    );
  };
}

function changesView({ collection, comparison }: ComparedBatches): Static<typeof ChangesSchema> {
  const { before, after, period, counts, changes, unmeasured } = comparison;
  const { onlyBefore, onlyAfter, ...compared } = counts;
  return {
    collection_id: collection.id,
    before: runView(before),
    after: runView(after),
    monitoring_start: period.monitoringStart,
    monitoring_end: period.monitoringEnd,
    counts: { ...compared, only_before: onlyBefore, only_after: onlyAfter },
    changes: changes.map((change) => ({ row: change.row, ...changeView(change) })),
    not_measured: unmeasured.map((plot) => ({ row: plot.row, ...unmeasuredView(plot) })),
  };
}
