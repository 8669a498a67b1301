import { Messages } from '../messages-schema.ts';
import { Type, type Static } from 'typebox';
import { SPLIT_RESULTS, type SplitResult } from '../../../plots/split/describe-split.ts';
import { LAYERS } from '../../../service/plots/split/land-cover.ts';
import { MAX_SPLIT_HA, MAX_SPLIT_PLOTS } from '../../../service/plots/split/split-limits.ts';
import { FeatureCollectionType, nullable } from '../forest/point-lookup-schemas.ts';

export const SplitQuery = Type.Object(
  {
    output: Type.Optional(
      Type.Union([Type.Literal('plots'), Type.Literal('parts')], {
        default: 'plots',
        description:
          'plots: one feature for each plot, in order, with its parts as a collection inside. parts: one flat list of the parts of all plots, each with the properties of its plot; a plot without a split is one feature.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** What a body must be. A feature without a usable polygon is answered like any other, so its insides are not checked here. */
export const SplitCheck = Type.Object({
  type: FeatureCollectionType,
  features: Type.Array(
    Type.Object({ geometry: Type.Optional(Type.Unknown()), properties: Type.Optional(Type.Unknown()) }),
    { minItems: 1, maxItems: MAX_SPLIT_PLOTS },
  ),
});
export type SplitRequest = Static<typeof SplitCheck>;

const Positions = Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2 })));
const PolygonSchema = Type.Object({ type: Type.Literal('Polygon'), coordinates: Positions });
const Id = Type.Optional(Type.Union([Type.String(), Type.Number()]));

const EXAMPLE_RING = [
  [102.61, 4.6],
  [102.618, 4.6],
  [102.618, 4.606],
  [102.61, 4.606],
  [102.61, 4.6],
];

/** The same for the reference, with the features as they should be. */
export const SplitBody = Type.Object(
  {
    type: FeatureCollectionType,
    features: Type.Array(
      Type.Object({
        type: Type.Literal('Feature'),
        id: Id,
        geometry: Type.Union([
          PolygonSchema,
          Type.Object({ type: Type.Literal('MultiPolygon'), coordinates: Type.Array(Positions) }),
        ]),
        properties: Type.Optional(Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])),
      }),
      { minItems: 1, maxItems: MAX_SPLIT_PLOTS, description: `Plots of at most ${MAX_SPLIT_HA} ha each.` },
    ),
  },
  {
    description: 'A GeoJSON FeatureCollection, its `features` alone, or one Feature.',
    examples: [
      {
        features: [
          {
            type: 'Feature',
            id: 'farm-7',
            geometry: { type: 'Polygon', coordinates: [EXAMPLE_RING] },
            properties: { supplier: 'A' },
          },
        ],
      },
    ],
  },
);

const Share = (description: string) => Type.Number({ minimum: 0, description });

const LandCover = Type.Array(
  Type.Union([
    Type.Object({
      layer: Type.Union(LAYERS.map((layer) => Type.Literal(layer))),
      status: Type.Literal('measured'),
      dataset: Type.String(),
      version: Type.String(),
      date: nullable(Type.String(), 'Of the map.'),
      synthetic: Type.Boolean(),
      classes: Type.Array(
        Type.Object({ class: Type.String(), area_ha: Type.Number(), share: Share('Of the ground.') }),
        { description: 'Classes that are there, the largest first.' },
      ),
      unknown_ha: Type.Number({ description: 'Hectares without data.' }),
    }),
    Type.Object({
      layer: Type.Union(LAYERS.map((layer) => Type.Literal(layer))),
      status: Type.Literal('unknown'),
      dataset: nullable(Type.String(), 'null: no dataset of the layer covers the ground.'),
      version: nullable(Type.String(), 'Its version.'),
      reason: Type.String(),
      messages: Messages,
    }),
  ]),
  { description: 'What each map of the catalogue that reaches the ground says of it, in hectares.' },
);

const Crops = Type.Array(
  Type.Union([
    Type.Object({
      crop: Type.String(),
      status: Type.Literal('measured'),
      dataset: Type.String(),
      version: Type.String(),
      synthetic: Type.Boolean(),
      share: Share('Share of the ground, corrected for known errors.'),
      between: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), 'What is left open of the share.'),
      covered: Share('Part of the ground that was looked at.'),
      detail: Type.String(),
      messages: Messages,
    }),
    Type.Object({ crop: Type.String(), status: Type.Literal('unknown'), reason: Type.String(), messages: Messages }),
  ]),
  { description: 'What detection heads and maps of crops say of the ground.' },
);

const PartProperties = Type.Object({
  part: Type.String({ description: 'Name of its ground and a number.' }),
  ground: Type.String({ description: '`unknown` for ground without embeddings.' }),
  area_ha: Type.Number({ description: 'Geodesic.' }),
  share: Share('Of the plot.'),
  unknown_ha: Type.Number({ description: 'Hectares in it without embeddings.' }),
  other_ground_ha: Type.Number({ description: 'Hectares in it of grounds too small for a part of their own.' }),
  tree_probability: nullable(Type.Number(), 'Mean probability of trees by the forest gate.'),
  land_cover: LandCover,
  crops: Crops,
});

const Ground = Type.Object({
  ground: Type.String({ description: '`A` for the largest, then `B` and so on.' }),
  area_ha: Type.Number(),
  share: Share('Of the plot.'),
  is_part: Type.Boolean({ description: 'Large enough for a part of its own.' }),
  distance: nullable(Type.Number(), '1 - cosine of its mean embedding to that of the nearest other ground.'),
  ashman_d: nullable(Type.Number(), "Ashman's D to that ground; also null where neither has any spread."),
  own_share: nullable(Type.Number(), 'Share of its cells that are nearer to its own mean than to any other.'),
  tree_probability: Type.Number({ description: 'Mean probability of trees by the forest gate.' }),
});

const SplitProperties = Type.Object(
  {
    split_proposed: nullable(Type.Boolean(), 'null: nobody can say; `split_reason` says why.'),
    split_result: Type.Unsafe<SplitResult>({
      type: 'string',
      enum: Object.keys(SPLIT_RESULTS),
      description: Object.entries(SPLIT_RESULTS)
        .map(([result, { meaning }]) => `\`${result}\`: ${meaning}`)
        .join('; '),
    }),
    split_reason: Type.String({ description: 'In plain words, with the numbers it rests on.' }),
    split_confidence: nullable(
      Type.Union([Type.Literal('high'), Type.Literal('medium'), Type.Literal('low')]),
      'null where nothing was looked at.',
    ),
    split_confidence_reasons: Type.Array(Type.String(), { description: 'What keeps it from high.' }),
    messages: Messages,
    area_ha: nullable(Type.Number(), 'Geodesic area of the plot.'),
    unknown_ha: nullable(Type.Number(), 'Hectares without embeddings.'),
    grounds: Type.Array(Ground, { description: 'The kinds of ground, the largest first; each two are clearly apart.' }),
    embeddings: nullable(
      Type.Object({
        dataset: Type.String(),
        version: Type.String(),
        year: Type.Integer(),
        synthetic: Type.Boolean(),
        algorithm: Type.String(),
        segments: Type.Integer({ description: 'Segments that reach into the plot.' }),
      }),
      'What the grounds were found in.',
    ),
    parts: nullable(
      Type.Object({
        type: Type.Literal('FeatureCollection'),
        features: Type.Array(
          Type.Object({ type: Type.Literal('Feature'), geometry: PolygonSchema, properties: PartProperties }),
        ),
      }),
      'The proposed split: polygons that exactly make up the plot and share the vertices of their borders. null: none is proposed.',
    ),
    land_cover: LandCover,
    crops: Crops,
  },
  {
    additionalProperties: true,
    description: 'Properties of the input are kept; a computed one of the same name wins.',
  },
);

export const SplitCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(
      Type.Object({
        type: Type.Literal('Feature'),
        id: Id,
        geometry: Type.Unsafe<unknown>({ type: ['object', 'null'], description: 'The plot as it came.' }),
        properties: SplitProperties,
      }),
    ),
  },
  {
    description:
      'One feature for each plot, in order; with `output=parts` one for each part, without `parts` and `grounds`.',
  },
);
