import { Type } from 'typebox';
import { CollectionDetailSchema, CollectionPage, WorkSchema } from '../../routes/collections/schemas.ts';
import { ADDED_PROPERTIES, fetchedFeatureSchema } from '../../routes/fetch/schemas.ts';
import { TaskSchema } from '../../routes/tasks/task-view.ts';
import { type Calls, FormFile, type Json } from '../calls.ts';
import { tool, type Tool } from '../tool.ts';
import { featureFile, Features } from './places.ts';

/** Longest a tool waits for a batch, in seconds. Hosts give a tool about a minute. */
const MAX_WAIT_S = 300;
const MAX_RESULTS = 500;

const CollectionId = Type.String({ minLength: 1, maxLength: 100, description: 'Id of a collection of yours.' });
const waitS = (standard: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_S,
      default: standard,
      description: 'Seconds to wait for the end of the batch; it runs on afterwards.',
    }),
  );
const period = {
  monitoring_start: Type.Optional(
    Type.String({ maxLength: 10, description: 'Before 2020-12-31; default 2017-01-01.', examples: ['2017-01-01'] }),
  ),
  monitoring_end: Type.Optional(Type.String({ maxLength: 10, description: 'After 2020-12-31; default today.' })),
};

/** What can be fetched of a completed collection, by the end of its address. */
const RESULT_KINDS = ['plots', 'deforestation_check', 'biomass_emissions', 'biodiversity', 'supply_shed'] as const;

const AnyFeature = Type.Object(
  {
    type: Type.Literal('Feature'),
    geometry: Type.Unsafe<unknown>({ type: ['object', 'null'] }),
    properties: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: true },
);
const Next = Type.Object(
  {
    next: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Give it as `after` to get the next page; null: the last.',
      }),
    ),
  },
  { additionalProperties: true },
);

export const COLLECTION_TOOLS: readonly Tool[] = [
  tool({
    name: 'evaluate_plots',
    title: 'Evaluate plots',
    description:
      'The EUDR verdict of plots from their geometry: forest on 2020-12-31, losses by year, and how all sources together come to low, more_information_needed or high. Starts a collection of yours, waits for its batch and fetches the verdicts; when the time is over it answers what there is so far, and follow_collection goes on. Cancelling stops the batch. The collection stays until delete_collection. Unknown is not absent: check_status says what was looked at. No legal advice.',
    input: Type.Object(
      {
        features: Features,
        crop_type: Type.Optional(Type.String({ maxLength: 100, description: 'Commodity of plots that name none.' })),
        collection_name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        ...period,
        wait_s: waitS(120),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      collection: WorkSchema,
      verdicts: Type.Union(
        [
          Type.Object({
            type: Type.Literal('FeatureCollection'),
            features: Type.Array(fetchedFeatureSchema(ADDED_PROPERTIES.deforestation_check)),
            properties: Type.Optional(Next),
          }),
          Type.Null(),
        ],
        { description: 'null: the batch is not completed.' },
      ),
    }),
    hints: { readOnly: false, idempotent: false, openWorld: true },
    async run({ features, wait_s: seconds = 120, collection_name: name = 'plots of an assistant', ...fields }, calls) {
      const form = { ...fields, collection_name: name, location_type: 'plot', stats: true, validate_locations: true };
      const begun = await start({ ...form, file: featureFile(features) }, calls);
      const id = String(begun['collection_id']);
      const cancel = () => void stopTask(begun, calls);
      calls.signal.addEventListener('abort', cancel, { once: true });
      try {
        const collection = await follow(id, seconds, calls);
        const isDone = collection['status'] === 'completed';
        const verdicts = isDone ? await results('deforestation_check', { filename: id }, calls) : null;
        return { collection, verdicts };
      } finally {
        calls.signal.removeEventListener('abort', cancel);
      }
    },
  }),
  tool({
    name: 'start_collection',
    title: 'Start a collection',
    description:
      'Keeps locations as a collection of yours and starts its batch: normalised, validated and, with stats, measured. Give GeoJSON features, or the text of a file (CSV, TSV, GeoJSON, KML, GPX). follow_collection waits for it.',
    input: Type.Object(
      {
        collection_name: Type.String({ minLength: 1, maxLength: 200, description: 'What you call it.' }),
        description: Type.Optional(Type.String({ maxLength: 2_000 })),
        features: Type.Optional(Features),
        text: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 900_000,
            description: 'The content of the file, instead of features.',
          }),
        ),
        filename: Type.Optional(
          Type.String({ maxLength: 200, description: 'Name of that file.', examples: ['lot7.csv'] }),
        ),
        crop_type: Type.Optional(
          Type.String({ maxLength: 100, description: 'Commodity of locations that name none.' }),
        ),
        country: Type.Optional(Type.String({ maxLength: 100, description: 'Country of rows that name none.' })),
        location_type: Type.Optional(
          Type.Union([Type.Literal('facility'), Type.Literal('plot')], { description: 'Type of every row.' }),
        ),
        stats: Type.Optional(Type.Boolean({ default: true, description: 'Measure every plot.' })),
        validate_locations: Type.Optional(Type.Boolean({ default: true, description: 'Validate every location.' })),
        ...period,
        idempotency_key: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: 'The same key starts the same collection only once.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: WorkSchema,
    hints: { readOnly: false, idempotent: false },
    run({ features, text, filename = 'locations.txt', idempotency_key: key, ...fields }, calls) {
      const given = text === undefined ? undefined : new FormFile(filename, text);
      const file = features === undefined ? given : featureFile(features);
      return start({ stats: true, validate_locations: true, ...fields, file }, calls, key);
    },
  }),
  tool({
    name: 'follow_collection',
    title: 'Follow a collection',
    description:
      'Waits for the batch of a collection, with progress, and answers how it stands. Stopping to wait does not stop it.',
    input: Type.Object({ collection_id: CollectionId, wait_s: waitS(50) }, { additionalProperties: false }),
    output: WorkSchema,
    hints: {},
    run: ({ collection_id: id, wait_s: seconds = 50 }, calls) => follow(id, seconds, calls),
  }),
  tool({
    name: 'fetch_collection',
    title: 'Fetch results of a collection',
    description:
      'The results of a completed collection, page by page: plots (the locations as they were read), deforestation_check (verdicts), biomass_emissions, biodiversity, supply_shed (of its facilities). With aggregate one feature of totals.',
    input: Type.Object(
      {
        collection_id: CollectionId,
        results: Type.Union(
          RESULT_KINDS.map((kind) => Type.Literal(kind)),
          { description: 'Which results.' },
        ),
        aggregate: Type.Optional(Type.Boolean({ default: false, description: 'Totals instead of features.' })),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_RESULTS, default: 50, description: 'Features a page.' }),
        ),
        after: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the page before.' })),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      type: Type.Literal('FeatureCollection'),
      features: Type.Array(AnyFeature),
      properties: Type.Optional(Next),
    }),
    hints: {},
    run: ({ collection_id: filename, results: kind, limit = 50, ...query }, calls) =>
      results(kind, { filename, limit, ...query }, calls),
  }),
  tool({
    name: 'list_collections',
    title: 'List your collections',
    description: 'A page of your collections, the newest first, with their states and counts.',
    input: Type.Object(
      {
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
        before: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the page before.' })),
      },
      { additionalProperties: false },
    ),
    output: CollectionPage,
    hints: {},
    run: (query, calls) => calls.json({ path: '/get_collections', query }),
  }),
  tool({
    name: 'get_collection',
    title: 'Show a collection',
    description: 'State, counts, confidence, last task, report and submissions of one collection.',
    input: Type.Object({ collection_id: CollectionId }, { additionalProperties: false }),
    output: CollectionDetailSchema,
    hints: {},
    run: ({ collection_id: id }, calls) => calls.json({ path: `/collections/${encodeURIComponent(id)}` }),
  }),
  tool({
    name: 'cancel_task',
    title: 'Cancel a task',
    description: 'Stops a running task of yours, such as the batch of a collection (task_id of the collection).',
    input: Type.Object({ task_id: Type.String({ minLength: 1, maxLength: 100 }) }, { additionalProperties: false }),
    output: TaskSchema,
    hints: { readOnly: false, destructive: true },
    run: ({ task_id: id }, calls) => calls.json({ method: 'DELETE', path: `/tasks/${encodeURIComponent(id)}` }),
  }),
  tool({
    name: 'delete_collection',
    title: 'Delete a collection',
    description: 'Deletes a collection of yours with its file, locations, results and tasks, for good.',
    input: Type.Object({ collection_id: CollectionId }, { additionalProperties: false }),
    output: Type.Object({ message: Type.String() }),
    hints: { readOnly: false, destructive: true },
    run: ({ collection_id: id }, calls) =>
      calls.json({ method: 'DELETE', path: `/collections/${encodeURIComponent(id)}` }),
  }),
];

function start(form: Readonly<Record<string, unknown>>, calls: Calls, key?: string): Promise<Json> {
  const headers = key === undefined ? {} : { 'idempotency-key': JSON.stringify(key) };
  return calls.json({ method: 'POST', path: '/batch_process', form, headers });
}

function results(kind: (typeof RESULT_KINDS)[number], query: Readonly<Record<string, unknown>>, calls: Calls) {
  return calls.json({ path: `/fetch_${kind}`, query, accept: 'application/geo+json' });
}

/** How a collection stands after its batch has ended, or after `seconds`. */
async function follow(id: string, seconds: number, calls: Calls): Promise<Json> {
  const progress = { path: '/batch_progress', query: { tracking_id: id } };
  const standing = await calls.json(progress);
  const task = standing['task'] as Json | null;
  if (seconds === 0 || task === null || task['status'] !== 'processing') return standing;
  const patience = AbortSignal.timeout(seconds * 1_000);
  const signal = AbortSignal.any([calls.signal, patience]);
  try {
    for await (const line of calls.lines({ ...progress, accept: 'text/event-stream', signal }))
      if (line.startsWith('data: ')) await report(JSON.parse(line.slice('data: '.length)) as Json, calls);
  } catch (error) {
    if (!patience.aborted || calls.signal.aborted) throw error;
  }
  return await calls.json(progress);
}

async function report({ progress }: Json, calls: Calls): Promise<void> {
  if (progress === undefined) return;
  const { done, total } = progress as { readonly done: number; readonly total: number | null };
  await calls.progress(done, total, 'locations done');
}

/** The client has left, so nobody hears whether the task could be stopped. */
async function stopTask(work: Json, calls: Calls): Promise<void> {
  const path = `/tasks/${encodeURIComponent(String(work['task_id']))}`;
  await calls.json({ method: 'DELETE', path, signal: AbortSignal.timeout(10_000) }).catch(() => {});
}
