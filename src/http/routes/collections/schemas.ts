import { Type, type Static, type TInteger } from 'typebox';
import { COLLECTION_STATUSES, MAX_RUNS, type CollectionStatus } from '../../../collections/collection.ts';
import { PLOT_GROUPS, type PlotGroup } from '../../../collections/plot-group.ts';
import { REPORT_EMAIL_STATES, type ReportEmail } from '../../../collections/report-email.ts';
import { CONFIDENCES, NOT_PROCESSED, type LocationsConfidence } from '../../../collections/plot-record.ts';
import { SUBMISSION_STATES, type SubmissionState } from '../../../traces/filing/submission.ts';
import { TRACES_ENVIRONMENTS, type TracesEnvironment } from '../../../traces/interface-v3.ts';
import { NO_NUL } from '../../problems/describe-schema.ts';
import { MessageParams, Messages } from '../messages-schema.ts';
import { MappingSchema, NormalizeFields, PreviewFields } from '../locations/schemas.ts';
import { TaskSchema } from '../tasks/task-view.ts';

const { commodity_type: _, ...readingFields } = NormalizeFields.properties;

/** The fields that say how a file is read, as `/normalize_locations` has them. */
export const READING_FIELDS = Object.keys(readingFields) as readonly (keyof typeof readingFields)[];

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const GroupCountsSchema = orNull(
  Type.Object(Object.fromEntries(PLOT_GROUPS.map((group) => [group, Type.Integer()])) as Record<PlotGroup, TInteger>, {
    description:
      'Every location in exactly one group, as `plot_group` of its features, `plots.csv` and `audit.pdf` have it, from the cut-off to the end of the monitoring period. Null where an earlier version processed the collection.',
  }),
);

const pattern = NO_NUL;
const name = Type.String({
  pattern,
  minLength: 1,
  maxLength: 200,
  description: 'What you call it.',
  examples: ['Cocoa lot 7'],
});
const description = Type.String({ pattern, maxLength: 2_000, description: 'Returned with it and in its event.' });
const cropType = Type.String({
  pattern,
  maxLength: 100,
  description: 'Commodity of locations that do not name one.',
  examples: ['cocoa'],
});
const validate = Type.Boolean({
  default: false,
  description: 'Validate every location as `/validate_locations` does, which gives it a confidence.',
});

/** What `request_data` of `/stage_plots` may hold; the same names are accepted as fields of the form. */
export const StageFields = Type.Object(
  {
    collection_name: name,
    description: Type.Optional(description),
    crop_type: Type.Optional(cropType),
    validate_locations: Type.Optional(validate),
    ...PreviewFields,
    ...readingFields,
  },
  { additionalProperties: false },
);

export const BatchFields = Type.Object(
  {
    filename: Type.Optional(
      Type.String({ maxLength: 100, description: 'Id of a staged collection, instead of a file.' }),
    ),
    collection_name: Type.Optional(name),
    crop_type: Type.Optional(cropType),
    description: Type.Optional(description),
    stats: Type.Optional(
      Type.Boolean({ default: true, description: 'Measure every plot: forest, loss, biomass, diversity.' }),
    ),
    validate_locations: Type.Optional(validate),
    ...PreviewFields,
    eudr_dds: Type.Optional(
      Type.Boolean({ default: false, description: 'Send the EUDR due diligence report by email.' }),
    ),
    monitoring_start: Type.Optional(
      Type.String({
        description: 'First day of the monitoring, before the cut-off date 2020-12-31; default 2017-01-01.',
        examples: ['2017-01-01'],
      }),
    ),
    monitoring_end: Type.Optional(
      Type.String({ description: 'Last day of it, after the cut-off date; default today.', examples: ['2025-12-31'] }),
    ),
    ...readingFields,
  },
  { additionalProperties: false },
);

const file = Type.Unsafe<unknown>({
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description:
    'GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, GPX, CSV, TSV or XLSX; its content decides, not its name.',
});

/** For the reference: the forms as they are sent. */
export const StageBody = Type.Object(
  {
    file,
    request_data: Type.Optional(
      Type.String({
        description: 'The other fields as one JSON object.',
        examples: ['{"collection_name": "Cocoa lot 7", "description": "Harvest 2026", "validate_locations": true}'],
      }),
    ),
    ...Type.Partial(StageFields).properties,
  },
  { additionalProperties: false },
);
export const BatchBody = Type.Object(
  { file: Type.Optional(file), ...BatchFields.properties },
  { additionalProperties: false },
);

const ID = '0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d';
const TASK_ID = '7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60';
const COLLECTION_EXAMPLE = {
  collection_id: ID,
  filename: ID,
  collection_name: 'Cocoa lot 7',
  description: 'Harvest 2026',
  status: 'completed',
  file: {
    name: 'lot7.geojson',
    size: 18_230_112,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  crop_type: 'cocoa',
  stats: true,
  validate_locations: true,
  eudr_dds: false,
  monitoring_start: '2017-01-01',
  monitoring_end: '2026-11-21',
  counts: {
    locations: 1204,
    plots: 1200,
    facilities: 4,
    measured: 1190,
    problems: 3,
    groups: { deforested: 12, open: 40, cleared: 1145, left_out: 3, excluded: 0, facility: 4 },
  },
  locations_confidence: 'low',
  confidence_counts: { high: 1100, medium: 99, low: 5 },
  confidence_reasons: ['99 plots have a doubt in the check precision.', '5 plots fail the check country.'],
  error: null,
  runs: [],
  task_id: TASK_ID,
  created_at: '2026-11-21T09:00:00.000Z',
  completed_at: '2026-11-21T09:04:31.000Z',
  collection_url: `/collections/${ID}`,
  progress_url: `/batch_progress?tracking_id=${ID}`,
  urls: {
    deforestation_check: `/fetch_deforestation_check?filename=${ID}&monitoring_start=2017-01-01&monitoring_end=2026-11-21`,
  },
} as const;

const MAPPING_EXAMPLE = [
  {
    name: null,
    header_row: 1,
    skipped: null,
    columns: [
      {
        column: 'ProducerName',
        field: 'supplier_name',
        confidence: 1,
        why: 'The name is the official EUDR name of supplier_name and 100 % of the first 200 values fit.',
      },
    ],
  },
];

const WORK_EXAMPLE = {
  ...COLLECTION_EXAMPLE,
  mapping: MAPPING_EXAMPLE,
  status: 'processing',
  counts: null,
  locations_confidence: null,
  confidence_counts: null,
  confidence_reasons: null,
  completed_at: null,
  urls: null,
  warnings: [],
  poll_url: `/batch_progress?tracking_id=${TASK_ID}`,
  events_url: `/tasks/${TASK_ID}/events`,
  task: {
    task_id: TASK_ID,
    kind: 'collection_batch',
    status: 'processing',
    progress: { done: 850, total: 1204 },
    phase: 'measuring',
    attempt: 1,
    error: null,
    result_type: null,
    created_at: '2026-11-21T09:00:01.000Z',
    finished_at: null,
    expires_at: null,
    file: null,
    commodity: null,
    outcome: null,
    poll_url: `/tasks/${TASK_ID}`,
    results_url: `/tasks/${TASK_ID}/results`,
    events_url: `/tasks/${TASK_ID}/events`,
  },
} as const;

const Confidence = Type.Unsafe<LocationsConfidence>({ type: 'string', enum: [...CONFIDENCES, ...NOT_PROCESSED] });
const Url = Type.String({ format: 'uri-reference' });

/** A batch of a collection whose locations are kept. */
export const RunSchema = Type.Object({
  run_id: Type.String({ description: 'Of the task that was the batch.' }),
  completed_at: Type.String({ format: 'date-time' }),
  stats: Type.Boolean({ description: 'Whether it measured plots; one that did not cannot be compared.' }),
  monitoring_start: Type.String(),
  monitoring_end: Type.String(),
  locations: Type.Integer(),
  groups: GroupCountsSchema,
});
export type RunView = Static<typeof RunSchema>;

const CollectionSchema = Type.Object(
  {
    collection_id: Type.String(),
    filename: Type.String({ description: 'The same id, under the name that the fetch endpoints use.' }),
    collection_name: Type.String(),
    description: Type.String(),
    status: Type.Unsafe<CollectionStatus>({ type: 'string', enum: COLLECTION_STATUSES }),
    file: Type.Object({ name: Type.String(), size: Type.Number({ description: 'Bytes.' }), sha256: Type.String() }),
    crop_type: orNull(Type.String()),
    stats: orNull(Type.Boolean({ description: 'Null until a batch was requested, like the fields below.' })),
    validate_locations: orNull(Type.Boolean()),
    eudr_dds: orNull(Type.Boolean()),
    monitoring_start: orNull(Type.String()),
    monitoring_end: orNull(Type.String()),
    counts: orNull(
      Type.Object({
        locations: Type.Integer(),
        plots: Type.Integer(),
        facilities: Type.Integer(),
        measured: Type.Integer({
          description: 'Plots of which it is known, at least in part, whether forest was lost; the others are unknown.',
        }),
        problems: Type.Integer({ description: 'Locations that could not be measured; each says why.' }),
        groups: GroupCountsSchema,
      }),
    ),
    locations_confidence: orNull(Confidence),
    confidence_counts: orNull(Type.Record(Type.String(), Type.Integer())),
    confidence_reasons: orNull(Type.Array(Type.String(), { description: 'The most common first.' })),
    messages: Messages,
    error: orNull(Type.Object({ code: Type.String(), detail: Type.String(), messages: Messages })),
    runs: Type.Array(RunSchema, {
      description: `Completed batches that are kept to be compared, the newest first, up to ${MAX_RUNS}: GET /collections/{collection_id}/changes.`,
    }),
    task_id: orNull(Type.String({ description: 'The last task.' })),
    created_at: Type.String({ format: 'date-time' }),
    completed_at: orNull(Type.String({ format: 'date-time' })),
    collection_url: Url,
    progress_url: Url,
    urls: orNull(
      Type.Record(Type.String(), Url, { description: 'What can be fetched; null until a batch is completed.' }),
    ),
  },
  { description: 'The collection.', examples: [COLLECTION_EXAMPLE] },
);
export type CollectionView = Static<typeof CollectionSchema>;

/** A page of collections. */
export const CollectionPage = Type.Object(
  {
    collections: Type.Array(CollectionSchema),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Give it as `before` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.', examples: [{ collections: [COLLECTION_EXAMPLE], next: null }] },
);

/** A collection with the task that works on it. */
export const WorkSchema = Type.Object(
  {
    ...CollectionSchema.properties,
    warnings: Type.Array(Type.Object({ code: Type.String(), params: MessageParams, message: Type.String() }), {
      description: 'What the request should have had; the batch still runs.',
    }),
    mapping: orNull(MappingSchema),
    poll_url: orNull(Url),
    events_url: orNull(Url),
    task: orNull(TaskSchema),
  },
  { description: 'The collection and its task.', examples: [WORK_EXAMPLE] },
);
export type WorkView = Static<typeof WorkSchema>;

/** A collection with its task and the email of its report. */
export const CollectionDetailSchema = Type.Object(
  {
    ...WorkSchema.properties,
    report_email: orNull(
      Type.Object(
        {
          state: Type.Unsafe<ReportEmail['state']>({
            type: 'string',
            enum: REPORT_EMAIL_STATES,
            description: '`unknown`: it may have been delivered. `none`: there is none; `reason` says why.',
          }),
          reason: orNull(Type.String({ description: 'The outcome of the last attempt, or why there was none.' })),
          messages: Messages,
          to: orNull(Type.String()),
          next_attempt_at: orNull(Type.String({ format: 'date-time' })),
          finished_at: orNull(Type.String({ format: 'date-time', description: 'When it was sent or given up.' })),
        },
        { description: 'The email with the due diligence report; null where no completed batch was to send one.' },
      ),
    ),
    submissions: Type.Array(
      Type.Object({
        id: Type.String(),
        environment: Type.Unsafe<TracesEnvironment>({ type: 'string', enum: TRACES_ENVIRONMENTS }),
        state: Type.Unsafe<SubmissionState>({ type: 'string', enum: SUBMISSION_STATES }),
        reference_number: orNull(Type.String()),
        verification_number: orNull(Type.String()),
      }),
      { description: 'Its newest 20 submissions to the EU information system, with their numbers.' },
    ),
  },
  { description: 'The collection, its task, the email of its report and its submissions.' },
);
export type CollectionDetailView = Static<typeof CollectionDetailSchema>;
