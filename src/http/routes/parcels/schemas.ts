import { Messages } from '../messages-schema.ts';
import { Type, type Static } from 'typebox';
import { PARCEL_WARNINGS } from '../../../parcels/warnings.ts';
import { MAX_PARCEL_FEATURES } from '../../../service/parcels/parcels.ts';
import { FeatureCollectionType, nullable, outputCrs, PointFeature } from '../forest/point-lookup-schemas.ts';

const crs = outputCrs(['EPSG:3005', 'urn:ogc:def:crs:EPSG::32616', 'OGC:CRS84']);
const forestFallback = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'true: a point outside the coverage of every parcel dataset is answered by the forest patch that holds it.',
  }),
);

/** What a body must be. A feature without a usable point is answered like any other, so its insides are not checked here. */
export const ParcelSearchCheck = Type.Object({
  type: FeatureCollectionType,
  features: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_PARCEL_FEATURES }),
  forest_fallback: forestFallback,
  output_crs: crs,
});
export type ParcelSearchRequest = Static<typeof ParcelSearchCheck>;

/** The same for the reference, with the features as they should be. */
export const ParcelSearchBody = Type.Object(
  {
    type: FeatureCollectionType,
    features: Type.Array(PointFeature, { minItems: 1, maxItems: MAX_PARCEL_FEATURES }),
    forest_fallback: forestFallback,
    output_crs: crs,
  },
  {
    description: 'A GeoJSON FeatureCollection, or its `features` alone.',
    examples: [
      {
        features: [
          {
            type: 'Feature',
            id: 'lot-1',
            geometry: { type: 'Point', coordinates: [102.6012, 4.6177] },
            properties: {},
          },
        ],
        forest_fallback: true,
      },
    ],
  },
);

export const ParcelSearchQuery = Type.Object(
  {
    lon: Type.Number({ minimum: -180, maximum: 180, description: 'Longitude in degrees.', examples: [102.6012] }),
    lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude in degrees.', examples: [4.6177] }),
    forest_fallback: forestFallback,
    output_crs: crs,
  },
  { additionalProperties: false },
);

const ParcelProperties = Type.Object(
  {
    input_point: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), 'The coordinates as they came.'),
    source: nullable(
      Type.Union([Type.Literal('parcels'), Type.Literal('plotids-store'), Type.Literal('aef-watershed')]),
      '`parcels`: a parcel dataset covers the place. The others: the forest fallback answered. null: nothing did.',
    ),
    parcel_id: Type.Optional(nullable(Type.String(), 'As the cadastre writes it.')),
    jurisdiction: Type.Optional(nullable(Type.String(), 'Such as `CA-BC` or `US-WI-025`.')),
    attributes: Type.Optional(
      nullable(Type.Object({}, { additionalProperties: true }), 'What the cadastre says of the parcel.'),
    ),
    area_ha: nullable(Type.Number(), 'Geodesic area, holes taken off.'),
    perimeter_m: nullable(Type.Number(), 'Geodesic length of all rings.'),
    dataset: nullable(Type.String(), 'Dataset that answered.'),
    dataset_version: nullable(Type.String(), 'Its version; of a live service the day of the answer.'),
    retrieved_at: Type.Optional(nullable(Type.String(), 'When a live service gave the answer.')),
    synthetic: Type.Boolean({ description: 'true: the dataset is generated and describes no real place.' }),
    warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String(), messages: Messages }), {
      description: `Why there is no polygon, or what has to be known about it. Of a parcel one of ${Object.keys(PARCEL_WARNINGS).join(', ')}.`,
    }),
    forest_task: Type.Optional(
      Type.Object(
        {
          task_id: Type.String(),
          index: Type.Integer({ description: 'Position of this feature among the results of the task, from 0.' }),
          poll_url: Type.String(),
          results_url: Type.String(),
        },
        { description: 'Only with `forest_pending`: the forest task that goes on.' },
      ),
    ),
  },
  {
    additionalProperties: true,
    description:
      'Properties of the input are kept; a computed one of the same name wins. A feature of the forest fallback has those of `/forest_polygon/lookup`.',
  },
);

const Positions = Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }));
const Area = Type.Union([
  Type.Object({ type: Type.Literal('Polygon'), coordinates: Type.Array(Positions) }),
  Type.Object({ type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Type.Array(Positions)) }),
]);

export const ParcelCollection = Type.Object(
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
        geometry: nullable(Area, 'The parcel, or the forest patch, in the output CRS; null when there is none.'),
        properties: ParcelProperties,
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
            id: 'lot-1',
            geometry: {
              type: 'Polygon',
              coordinates: [
                [
                  [102.5985336, 4.6150299],
                  [102.6014161, 4.6150397],
                  [102.6014027, 4.6190167],
                  [102.5985202, 4.619007],
                  [102.5985336, 4.6150299],
                ],
              ],
            },
            properties: {
              input_point: [102.6012, 4.6177],
              source: 'parcels',
              parcel_id: 'SAMPLE-0001',
              jurisdiction: 'XX-SAMPLE',
              attributes: { plan: 'P-1', lot: 1, class: 'Subdivision', synthetic: true },
              area_ha: 14.0665,
              perimeter_m: 1519.3,
              dataset: 'sample-district-parcels',
              dataset_version: 'sample-1',
              retrieved_at: null,
              synthetic: true,
              warnings: [
                {
                  code: 'synthetic_data',
                  message: 'Generated data: the dataset sample-district-parcels describes no real place.',
                },
              ],
            },
          },
        ],
      },
    ],
  },
);
