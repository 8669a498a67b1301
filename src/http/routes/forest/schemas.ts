import { Messages } from '../messages-schema.ts';
import { type Static, Type } from 'typebox';
import { FOREST_WARNINGS } from '../../../forest/warnings.ts';
import { MAX_FOREST_FEATURES } from '../../../service/forest/forest.ts';
import { FeatureCollectionType, nullable, outputCrs, PointFeature } from './point-lookup-schemas.ts';
import { forestTaskPaths } from '../../../service/forest/task.ts';
import type { Task } from '../../../jobs/task.ts';

export const ForestLookupQuery = Type.Object(
  {
    async_mode: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'true answers 202 with a task at once; the results are fetched when it has completed.',
      }),
    ),
  },
  { additionalProperties: false },
);

const CRS_EXAMPLES = ['EPSG:32723', 'urn:ogc:def:crs:EPSG::32723', 'OGC:CRS84'];

const crs = outputCrs(CRS_EXAMPLES);
const rawOutline = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'true also gives each outline along its cells before smoothing, as the property `raw_outline`.',
  }),
);

/** What a body must be. A feature without a usable point is answered like any other, so its insides are not checked here. */
export const ForestLookupCheck = Type.Object({
  type: FeatureCollectionType,
  features: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_FOREST_FEATURES }),
  output_crs: crs,
  raw_outline: rawOutline,
});
export type ForestLookupRequest = Static<typeof ForestLookupCheck>;

/** The same for the reference, with the features as they should be. */
export const ForestLookupBody = Type.Object(
  {
    type: FeatureCollectionType,
    features: Type.Array(PointFeature, { minItems: 1, maxItems: MAX_FOREST_FEATURES }),
    output_crs: crs,
    raw_outline: rawOutline,
  },
  {
    description: 'A GeoJSON FeatureCollection, or its `features` alone.',
    examples: [
      {
        features: [
          {
            type: 'Feature',
            id: 'farm-7',
            geometry: { type: 'Point', coordinates: [-88.8, 44.32] },
            properties: { supplier: 'A' },
          },
        ],
        output_crs: 'EPSG:4326',
      },
    ],
  },
);

const ForestProperties = Type.Object(
  {
    input_point: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), 'The coordinates as they came.'),
    source: nullable(
      Type.Union([Type.Literal('plotids-store'), Type.Literal('aef-watershed')]),
      'Tier that answered: precomputed labels, or a live segmentation. null: none did.',
    ),
    source_year: nullable(Type.Integer(), 'Year of the embeddings or of the store: the newest there is.'),
    warnings: Type.Array(
      Type.Object({
        code: Type.Union(warningCodes().map((code) => Type.Literal(code))),
        message: Type.String(),
        messages: Messages,
      }),
      { description: 'Why there is no polygon, or what has to be known about it.' },
    ),
    area_ha: nullable(Type.Number(), 'Geodesic area, holes taken off.'),
    perimeter_m: nullable(Type.Number(), 'Geodesic length of all rings.'),
    segment_id: nullable(Type.String(), 'The same from every point of the segment.'),
    area_change_pct: nullable(Type.Number(), 'By smoothing, in per cent; at most 1.'),
    dataset: nullable(Type.String(), 'Dataset that answered.'),
    dataset_version: nullable(Type.String(), 'Its version.'),
    synthetic: Type.Boolean({ description: 'true: the dataset is generated and describes no real place.' }),
    raw_outline: Type.Optional(
      Type.Unsafe<unknown>({
        type: ['object', 'null'],
        description: 'The outline before smoothing as a GeoJSON polygon; only on request.',
      }),
    ),
  },
  {
    additionalProperties: true,
    description: 'Properties of the input are kept; a computed one of the same name wins.',
  },
);

const Polygon = Type.Object({
  type: Type.Literal('Polygon'),
  coordinates: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))),
});

export const ForestCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    crs: Type.Optional(
      Type.Object(
        { type: Type.Literal('name'), properties: Type.Object({ name: Type.String() }) },
        { description: 'Only when output_crs is not EPSG:4326.' },
      ),
    ),
    features: Type.Array(
      Type.Object({
        type: Type.Literal('Feature'),
        id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
        geometry: nullable(Polygon, 'The patch in the output CRS; null when there is none.'),
        properties: ForestProperties,
      }),
    ),
  },
  {
    description: 'One feature for each input feature, in order.',
    examples: [
      {
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            id: 'farm-7',
            geometry: {
              type: 'Polygon',
              coordinates: [
                [
                  [-88.801, 44.319],
                  [-88.799, 44.319],
                  [-88.799, 44.321],
                  [-88.801, 44.321],
                  [-88.801, 44.319],
                ],
              ],
            },
            properties: {
              supplier: 'A',
              input_point: [-88.8, 44.32],
              source: 'aef-watershed',
              source_year: 2024,
              warnings: [],
              area_ha: 3.5446,
              perimeter_m: 763.8,
              segment_id: 'seg_8j2n4t6v0c1d3f5g',
              area_change_pct: -0.021,
              dataset: 'aef',
              dataset_version: '1',
              synthetic: false,
            },
          },
        ],
      },
    ],
  },
);

export const ForestTaskParams = Type.Object({
  task_id: Type.String({
    description: 'From the answer that accepted the lookup.',
    examples: ['7a0f3f0c-55a4-4c1f-9b8e-1d2c3b4a5f60'],
  }),
});

/** The states that the specification has. */
const FOREST_STATUSES = ['processing', 'completed', 'failed'] as const;
type ForestStatus = (typeof FOREST_STATUSES)[number];

export const ForestTaskSchema = Type.Object(
  {
    task_id: Type.String(),
    status: Type.Unsafe<ForestStatus>({
      type: 'string',
      enum: FOREST_STATUSES,
      description: 'A cancelled task is failed, with the error code task_cancelled.',
    }),
    progress: Type.Object(
      {
        done: Type.Integer(),
        total: Type.Union([Type.Integer(), Type.Null()], { description: 'null until a worker has begun.' }),
      },
      { description: 'Points done and in all.' },
    ),
    error: Type.Union([Type.Object({ code: Type.String(), detail: Type.String() }), Type.Null()], {
      description: 'Why it failed.',
    }),
    poll_url: Type.String({ examples: ['/forest_polygon/0d3f0a52-6f0f-4e0f-8a53-1c5b2f1f8f0e/status'] }),
    results_url: Type.String({ examples: ['/forest_polygon/0d3f0a52-6f0f-4e0f-8a53-1c5b2f1f8f0e/results'] }),
  },
  { description: 'The task.' },
);

function warningCodes(): (keyof typeof FOREST_WARNINGS)[] {
  return Object.keys(FOREST_WARNINGS) as (keyof typeof FOREST_WARNINGS)[];
}

export const CANCELLED = 'The task was cancelled, so it has no results.';

/**
 * A forest task as clients see it. They wait until it is no longer `processing`, and know no state for a cancelled one:
 * it is `failed`, and its error says why.
 */
export function forestTaskView({ id, status, progress, error }: Task) {
  const cancelled = status === 'cancelled';
  const fault = cancelled ? { code: 'task_cancelled', detail: CANCELLED } : error;
  return {
    task_id: id,
    status: cancelled ? ('failed' as const) : status,
    progress: { done: progress.done, total: progress.total },
    error: fault === null ? null : { code: fault.code, detail: fault.detail },
    ...forestTaskPaths(id),
  };
}
