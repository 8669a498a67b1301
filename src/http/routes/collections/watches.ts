import { Type, type Static } from 'typebox';
import type { PlotChange, UnmeasuredPlot } from '../../../collections/watch/compare-findings.ts';
import {
  WATCH_RUN_STATES,
  type Watch,
  type WatchRun,
  type WatchRunDetail,
  type WatchRunState,
} from '../../../collections/watch/watch.ts';
import { acceptedLanguage } from '../../../messages/languages.ts';
import { codesOf } from '../../../messages/recognised/codes-of.ts';
import type { WatchDetail, WatchService } from '../../../service/watches/watches.ts';
import { comparedData } from '../../../webhooks/webhook-event.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { done, DoneSchema, Messages } from '../messages-schema.ts';
import { principalOf, type App } from '../../server/app.ts';

const Params = Type.Object({
  collection_id: Type.String({
    description: 'From the answer that staged it.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
});
const RunParams = Type.Object({
  ...Params.properties,
  run: Type.String({ description: 'Number of the run.', examples: ['1'] }),
});

const TimeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });
const TextOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const DatasetChangeSchema = Type.Object(
  {
    dataset: Type.String(),
    before: TextOrNull('Version; null: it is new.'),
    after: TextOrNull('Version; null: it is gone.'),
  },
  { description: 'A dataset that is another one than for the run before.' },
);

/** Counts of plots that are compared. */
export const comparedCounts = {
  plots: Type.Integer({
    description: 'Plots that are there before and after: each is in one of the next three groups.',
  }),
  unchanged: Type.Integer(),
  changed: Type.Integer(),
  not_measured: Type.Integer({
    description: 'Could not be measured because a dataset failed: neither better nor worse.',
  }),
  worse: Type.Integer({ description: 'Of those that changed.' }),
  better: Type.Integer({ description: 'Of those that changed.' }),
  newly_not_measured: Type.Integer({ description: 'Of those not measured: they were, the time before.' }),
};

const ONLY_COUNTS = {
  only_before: 'Plots that were there the time before and are not there now; in no other count.',
  only_after: 'Plots that are there now and were not the time before; in no group of `plots`.',
  only_after_not_cleared: 'Of `only_after`: deforestation is found on them, or somebody has to look.',
} as const;

export const WatchCountsSchema = Type.Object(
  {
    ...comparedCounts,
    only_before: Type.Integer({ description: ONLY_COUNTS.only_before }),
    only_after: Type.Integer({ description: ONLY_COUNTS.only_after }),
    only_after_not_cleared: Type.Integer({ description: ONLY_COUNTS.only_after_not_cleared }),
  },
  { description: 'Plots of the collection.' },
);

const CountOrNull = (description: string) =>
  Type.Union([Type.Integer(), Type.Null()], {
    description: `${description} Null: the run is of an earlier version, which did not count them.`,
  });

const RunCountsSchema = Type.Object(
  {
    ...comparedCounts,
    only_before: CountOrNull(ONLY_COUNTS.only_before),
    only_after: CountOrNull(ONLY_COUNTS.only_after),
    only_after_not_cleared: CountOrNull(ONLY_COUNTS.only_after_not_cleared),
  },
  { description: 'Plots of the collection.' },
);

const runFields = {
  run: Type.Integer({ description: 'From 1.' }),
  state: Type.Unsafe<WatchRunState>({
    type: 'string',
    enum: [...WATCH_RUN_STATES],
    description:
      'measuring: its batch runs. changed and not_measured are reported by an event and an email, unchanged is recorded only. failed: the batch gave no results.',
  }),
  datasets: Type.Array(DatasetChangeSchema),
  counts: Type.Union([RunCountsSchema, Type.Null()], {
    description: 'Null until it is finished, and where it failed.',
  }),
  reason: TextOrNull('Why it failed.'),
  messages: Messages,
  started_at: Type.String({ format: 'date-time' }),
  finished_at: TimeOrNull('Null while it is measured.'),
};
const RunSchema = Type.Object(runFields, { description: 'One time that the collection was measured again.' });

export const ComparedSchema = Type.Object({
  verdict: TextOrNull('By all sources together: low, more_information_needed or high.'),
  eudr_status: Type.String({ description: 'By one map of forest and one of losses.' }),
  loss_m2: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Square metres of the forest of 2020-12-31 that were lost after it; null: not known.',
  }),
  rules: Type.Array(Type.String(), { description: 'Rules of the decision tree that decided.' }),
});

const plotFields = {
  plot: Type.String({ description: 'Its own id, as the file has it.' }),
  number: Type.Integer({ description: 'Place in the collection, from 0.' }),
};

/** A plot of which something else is found than before. */
export const changeFields = {
  ...plotFields,
  direction: Type.Unsafe<PlotChange['direction']>({ type: 'string', enum: ['worse', 'better', 'other'] }),
  before: ComparedSchema,
  after: ComparedSchema,
};

/** A plot that could not be measured. */
export const unmeasuredFields = {
  ...plotFields,
  reasons: Type.Array(Type.String()),
  messages: Messages,
  before: ComparedSchema,
  now: Type.Object(ComparedSchema.properties, { description: 'What the other datasets say.' }),
};

const newPlotFields = { ...plotFields, after: ComparedSchema };

const RunDetailSchema = Type.Object(
  {
    ...runFields,
    changes: Type.Array(Type.Object(changeFields), {
      description: 'Plots with a different finding than before, up to 1,000, in the order of the file.',
    }),
    not_measured: Type.Array(Type.Object(unmeasuredFields), {
      description: 'Plots that could not be measured, up to 1,000; `before` goes on to count.',
    }),
    only_after_not_cleared: Type.Array(Type.Object(newPlotFields), {
      description:
        'Plots that were not there the time before, and on which deforestation is found or somebody has to look, up to 1,000.',
    }),
  },
  { description: 'One run with what changed.' },
);

const WatchSchema = Type.Object(
  {
    collection_id: Type.String(),
    collection_name: Type.String(),
    watched_since: Type.String({ format: 'date-time' }),
    checked_at: TimeOrNull('When somebody last looked whether data changed.'),
    again_at: TimeOrNull('When it is measured again though no data changed, because not all could be measured.'),
    last_run: Type.Union([RunSchema, Type.Null()]),
  },
  { description: 'A watched collection.' },
);

const WatchDetailSchema = Type.Object(
  {
    watch: Type.Union([WatchSchema, Type.Null()], { description: 'Null: it is not watched.' }),
    runs: Type.Array(RunSchema, { description: 'The newest 50, the newest first.' }),
  },
  { description: 'The watch of a collection and its runs.' },
);

const config = { access: 'collections' } as const;
const tags = ['collections'];

/** Watching collections: `/collections/{id}/watch` and `/watches`. */
export function watchRoutes(watches: WatchService) {
  return (app: App): void => {
    watchRoute(app, watches);
    unwatchRoute(app, watches);
    showRoute(app, watches);
    runRoute(app, watches);
    listRoute(app, watches);
  };
}

function watchRoute(app: App, watches: WatchService): void {
  app.post(
    '/collections/:collection_id/watch',
    {
      config,
      schema: {
        operationId: 'watchCollection',
        summary: 'Watch a collection',
        description:
          'It is measured again whenever the version of a dataset changes that plots are measured on, and what is found otherwise is reported by the webhook event `collection_changed` and by email, once. A first run follows at once. See docs/watch.md.',
        tags,
        params: Params,
        response: {
          200: WatchDetailSchema,
          ...problemResponses([
            'collection_not_found',
            'collection_not_ready',
            'collection_failed',
            'statistics_missing',
          ]),
        },
      },
    },
    async (request) => {
      const { userId, email } = principalOf(request);
      const language = acceptedLanguage(request.headers['accept-language']);
      return detailView(await watches.watch(userId, request.params.collection_id, email, language));
    },
  );
}

function unwatchRoute(app: App, watches: WatchService): void {
  app.delete(
    '/collections/:collection_id/watch',
    {
      config,
      schema: {
        operationId: 'unwatchCollection',
        summary: 'Watch a collection no longer',
        description: 'Its results and its runs stay. A batch that runs for it goes on and reports nothing.',
        tags,
        params: Params,
        response: {
          200: DoneSchema('It is not watched any more.'),
          ...problemResponses(['collection_not_found']),
        },
      },
    },
    async (request) => {
      await watches.unwatch(principalOf(request).userId, request.params.collection_id);
      return done('The collection is not watched any more.');
    },
  );
}

function showRoute(app: App, watches: WatchService): void {
  app.get(
    '/collections/:collection_id/watch',
    {
      config: { ...config, polling: true },
      schema: {
        operationId: 'getWatch',
        summary: 'The watch of a collection with its runs',
        description: 'Runs of an earlier watch stay with the collection.',
        tags,
        params: Params,
        response: { 200: WatchDetailSchema, ...problemResponses(['collection_not_found']) },
      },
    },
    async (request) => detailView(await watches.show(principalOf(request).userId, request.params.collection_id)),
  );
}

function runRoute(app: App, watches: WatchService): void {
  app.get(
    '/collections/:collection_id/watch/runs/:run',
    {
      config,
      schema: {
        operationId: 'getWatchRun',
        summary: 'What a run of a watch found differently',
        description: 'Plot by plot: verdict, losses and the rule that decided, before and after.',
        tags,
        params: RunParams,
        response: { 200: RunDetailSchema, ...problemResponses(['collection_not_found']) },
      },
    },
    async (request) => {
      const { collection_id: id, run } = request.params;
      // What is no number is the number of no run: a wrong address is not found, whatever it holds.
      const number = /^\d{1,9}$/.test(run) ? Number(run) : 0;
      return runDetailView(await watches.run(principalOf(request).userId, id, number));
    },
  );
}

function listRoute(app: App, watches: WatchService): void {
  app.get(
    '/watches',
    {
      config,
      schema: {
        operationId: 'listWatches',
        summary: 'Your watched collections',
        description: 'Those watched last first, each with its newest run.',
        tags,
        response: { 200: Type.Object({ watches: Type.Array(WatchSchema) }, { description: 'All of them.' }) },
      },
    },
    async (request) => ({ watches: (await watches.list(principalOf(request).userId)).map(watchView) }),
  );
}

function detailView({ watch, runs }: WatchDetail): Static<typeof WatchDetailSchema> {
  return { watch: watch === null ? null : watchView(watch), runs: runs.map(runView) };
}

function watchView(watch: Watch): Static<typeof WatchSchema> {
  return {
    collection_id: watch.collectionId,
    collection_name: watch.collectionName,
    watched_since: watch.createdAt.toISOString(),
    checked_at: watch.checkedAt?.toISOString() ?? null,
    again_at: watch.againAt?.toISOString() ?? null,
    last_run: watch.lastRun === null ? null : runView(watch.lastRun),
  };
}

function runView({ number, state, datasets, counts, reason, startedAt, finishedAt }: WatchRun) {
  return {
    run: number,
    state,
    datasets: datasets.map((one) => ({ ...one })),
    counts: counts === null ? null : { ...counts },
    reason,
    ...codesOf({ reason }),
    started_at: startedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

function runDetailView(run: WatchRunDetail): Static<typeof RunDetailSchema> {
  return {
    ...runView(run),
    changes: run.changes.map(changeView),
    not_measured: run.unmeasured.map(unmeasuredView),
    only_after_not_cleared: run.newPlots.map(({ plot, number, after }) => ({ plot, number, after: compared(after) })),
  };
}

export function changeView({ plot, number, direction, before, after }: PlotChange) {
  return { plot, number, direction, before: compared(before), after: compared(after) };
}

export function unmeasuredView({ plot, number, reasons, before, now }: UnmeasuredPlot) {
  return { plot, number, reasons: [...reasons], ...codesOf({ reasons }), before: compared(before), now: compared(now) };
}

function compared(finding: UnmeasuredPlot['before']): Static<typeof ComparedSchema> {
  const { rules, ...rest } = comparedData(finding);
  return { ...rest, rules: [...rules] };
}
