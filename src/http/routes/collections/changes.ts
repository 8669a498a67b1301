import { Type, type Static } from 'typebox';
import type { ComparedBatches } from '../../../service/collections/compare-batches.ts';
import type { WatchService } from '../../../service/watches/watches.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { GroupCountsSchema } from './schemas.ts';
import { changeFields, changeView, comparedCounts, unmeasuredFields, unmeasuredView, watchRoutes } from './watches.ts';

const Params = Type.Object({
  collection_id: Type.String({
    description: 'From the answer that staged it.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
});

const Batch = Type.Object({
  completed_at: Type.String({ format: 'date-time' }),
  monitoring_start: Type.String(),
  monitoring_end: Type.String(),
  groups: GroupCountsSchema,
});

const row = Type.Integer({
  description: 'Its row as the spreadsheet shows it; in files without rows its number, from 1.',
});

const ChangesSchema = Type.Object(
  {
    collection_id: Type.String(),
    before: Type.Object(Batch.properties, { description: 'The batch before the last one.' }),
    after: Type.Object(Batch.properties, { description: 'The last batch.' }),
    monitoring_start: Type.String({
      description: 'Plots are compared in the period of the last batch, so that the passing of time changes nothing.',
    }),
    monitoring_end: Type.String(),
    counts: Type.Object(
      {
        ...comparedCounts,
        only_before: Type.Integer({ description: 'Plots that the last batch did not read; in no other count.' }),
        only_after: Type.Integer({ description: 'Plots that the batch before did not read; in no other count.' }),
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
  { description: 'How the findings of the last batch differ from those of the one before.' },
);

/** What was found otherwise: the last two batches of a collection (`/collections/{id}/changes`), and those of watches. */
export function changeRoutes(watches: WatchService) {
  return (app: App): void => {
    watchRoutes(watches)(app);
    app.get(
      '/collections/:collection_id/changes',
      {
        config: { access: 'collections' },
        schema: {
          operationId: 'getCollectionChanges',
          summary: 'What the last batch of a collection found differently',
          description:
            'Compares the last two batches of a collection plot by plot: verdict, losses and the rule that decided, before and after. The batch before the last one is kept for that, and no other. 404 where a collection was processed once. See docs/collections.md.',
          tags: ['collections'],
          params: Params,
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
        return changesView(await watches.compare(principalOf(request).userId, id, leavingSignal(reply)));
      },
    );
  };
}

function changesView({ collection, comparison }: ComparedBatches): Static<typeof ChangesSchema> {
  const { earlier, period, counts, changes, unmeasured } = comparison;
  const { onlyBefore, onlyAfter, ...compared } = counts;
  return {
    collection_id: collection.id,
    before: batchView(earlier),
    after: batchView(collection),
    monitoring_start: period.monitoringStart,
    monitoring_end: period.monitoringEnd,
    counts: { ...compared, only_before: onlyBefore, only_after: onlyAfter },
    changes: changes.map((change) => ({ row: change.row, ...changeView(change) })),
    not_measured: unmeasured.map((plot) => ({ row: plot.row, ...unmeasuredView(plot) })),
  };
}

function batchView({
  options,
  counts,
  completedAt,
}: Pick<ComparedBatches['collection'], 'options' | 'counts' | 'completedAt'>): Static<typeof Batch> {
  return {
    completed_at: completedAt?.toISOString() ?? '',
    monitoring_start: options?.monitoringStart ?? '',
    monitoring_end: options?.monitoringEnd ?? '',
    groups: counts?.groups ?? null,
  };
}
