import { Type, type Static } from 'typebox';
import { PRODUCER_STATES } from '../../../facilities/producer-score.ts';
import { SUBJECTS } from '../../../facilities/evidence/unknown.ts';
import { REPORTED } from '../../../facilities/summarise.ts';
import { MessageParams } from '../messages-schema.ts';

/** Options that `GET /validate_facility` takes as query and `POST /validate_facilities` as form fields. */
export const FacilityOptionsSchema = {
  commodity_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        'rubber, palm, cocoa, coffee, soy, timber or cattle, or a usual synonym. Anything else, or nothing, uses the generic plantation mask and warns.',
      examples: ['palm'],
    }),
  ),
  commodity_radius: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 50_000,
      default: 5000,
      description: 'Radius of the commodity presence check, in metres.',
    }),
  ),
  check_water_access: Type.Optional(
    Type.Boolean({ default: false, description: 'Look for sea, lakes and rivers. Never scored.' }),
  ),
  check_port_proximity: Type.Optional(
    Type.Boolean({ default: false, description: 'Look for sea ports. Never scored.' }),
  ),
  check_road_access: Type.Optional(
    Type.Boolean({ default: true, description: 'Look for roads. When false, the road penalty does not apply.' }),
  ),
};

export const ValidateFacilityQuery = Type.Object(
  {
    geometry: Type.String({
      minLength: 1,
      format: 'wkt',
      description: 'WKT in longitude latitude order; `SRID=4326;` may stand before it.',
      examples: ['POINT(103.1747 3.0772)'],
    }),
    facility_name: Type.Optional(
      Type.String({ maxLength: 500, description: 'Name to look up in producer registries.' }),
    ),
    ...FacilityOptionsSchema,
  },
  { additionalProperties: false },
);
export type ValidateFacilityQuery = Static<typeof ValidateFacilityQuery>;

export const ValidateFacilitiesFields = Type.Object(FacilityOptionsSchema, { additionalProperties: false });
export type ValidateFacilitiesFields = Static<typeof ValidateFacilitiesFields>;

export const ValidateFacilitiesQuery = Type.Object(
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

export const ValidateFacilitiesBody = Type.Object(
  {
    file: Type.Unsafe<unknown>({
      type: 'string',
      contentMediaType: 'application/geo+json',
      description: 'GeoJSON, newline-delimited GeoJSON or one bare geometry.',
    }),
    ...FacilityOptionsSchema,
  },
  { additionalProperties: false },
);

const Warning = Type.Object({ code: Type.String(), params: MessageParams, message: Type.String() });

const MessagePart = Type.Union([
  Type.Object({ code: Type.String(), params: MessageParams }),
  Type.Object({ evidence: Type.String() }),
]);

const Evidence = Type.Object(
  {
    indicator: Type.String(),
    status: Type.Union([Type.Literal('present'), Type.Literal('absent'), Type.Literal('unknown')]),
    value: Type.Number(),
    value_up_to: Type.Optional(
      Type.Number({
        description: 'The highest value it may have, where `value` is a lower bound.',
      }),
    ),
    penalty: Type.Number({ description: 'What this indicator took from the score.' }),
    weight: Type.Number({
      description: 'The most this indicator can take off the score of this request; 0 where it is not scored.',
    }),
    dataset: Type.Union([Type.String(), Type.Null()]),
    dataset_version: Type.Union([Type.String(), Type.Null()]),
    also: Type.Optional(
      Type.Array(Type.Object({ dataset: Type.String(), dataset_version: Type.String() }), {
        description: 'The other datasets, where several were taken together: the plantation mask.',
      }),
    ),
    synthetic: Type.Optional(
      Type.Literal(true, { description: 'The dataset is generated and describes no real place.' }),
    ),
    retrieved_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When a live service gave the answer.' }),
    ),
    distance_m: Type.Optional(Type.Number({ description: 'Metres on the ellipsoid.' })),
    producer_state: Type.Optional(
      Type.Union(
        PRODUCER_STATES.map((state) => Type.Literal(state)),
        {
          description:
            'Of the producer alone. confirmed: the name stands in a registry at this place. found_elsewhere: it does at another, distance_m away. place_unknown: the record has no place. name_differs: no name is alike enough. not_found: none resembles it.',
        },
      ),
    ),
    code: Type.String({ description: 'What `detail` says, whatever the language.' }),
    params: MessageParams,
    detail: Type.String(),
    about: Type.Optional(
      Type.String({
        format: 'uri-reference',
        description: 'Where the accuracy of the dataset is written down, relative to the address of the service.',
        examples: ['/docs/detection-models#palm'],
      }),
    ),
  },
  { description: 'One line of the receipt: the score is 1.00 less all penalties.' },
);

const ConfidenceRange = Type.Object({
  lowest: Type.Number({ minimum: 0, maximum: 1 }),
  highest: Type.Number({ minimum: 0, maximum: 1 }),
});

const FacilityProperties = Type.Object(
  {
    location_type: Type.Literal('facility'),
    facility_name: Type.Union([Type.String(), Type.Null()]),
    country: Type.Union([Type.String(), Type.Null()], { description: 'Short English name; null on the high seas.' }),
    country_code: Type.Union([Type.String(), Type.Null()], { description: 'ISO 3166-1 alpha-2.' }),
    commodity_type: Type.Union([Type.String(), Type.Null()]),
    commodity_presence: Type.Number({ minimum: 0, maximum: 1 }),
    poi_presence: Type.Number(),
    high_density: Type.Number(),
    building_presence: Type.Number({ description: '0.23 large, 0.12 medium, 0 none.' }),
    building_class: Type.Union([Type.Literal('large'), Type.Literal('medium'), Type.Literal('none')]),
    road_access: Type.Number(),
    water_access: Type.Number(),
    port_proximity: Type.Number(),
    producer_confirmation_score: Type.Number(),
    producer_confirmed: Type.Boolean(),
    producer_confirmation_comment: Type.String(),
    aggregation_comment: Type.String(),
    confidence_score: Type.Number({ minimum: 0, maximum: 1 }),
    confidence_level: Type.Union([
      Type.Literal('high'),
      Type.Literal('medium'),
      Type.Literal('low'),
      Type.Literal('invalid'),
    ]),
    evidence_coverage: Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Share of the scored weight that was assessed: the `weight` of the known entries of `evidence` over the weight of all.',
      examples: [0.91],
    }),
    confidence_range: Type.Union([ConfidenceRange, Type.Null()], {
      description:
        'The lowest and the highest score that the unknown indicators allow; null for an invalid geometry. In CSV two columns, confidence_lowest and confidence_highest.',
    }),
    confidence_basis: Type.Union(
      [Type.Literal('verified'), Type.Literal('partly_verified'), Type.Literal('unverified')],
      {
        description:
          'verified from an evidence_coverage of 0.8, partly_verified from 0.4, else unverified: then the score says what is not known rather than what the place is.',
      },
    ),
    primary_warning: Type.Union([Type.String(), Type.Null()]),
    confidence_comment: Type.Optional(
      Type.String({ description: 'Only for an invalid geometry: what is wrong and where.' }),
    ),
    warnings: Type.Array(Warning),
    messages: Type.Record(Type.String(), Type.Array(MessagePart), {
      description:
        'What the comments say, by the name of their property: codes with parameters, or `{evidence}` for the sentence of that entry of the receipt.',
    }),
    evidence: Type.Array(Evidence),
  },
  {
    additionalProperties: true,
    description: 'Properties of the input are kept; a computed one of the same name wins.',
  },
);

const Geometry = Type.Unsafe<unknown>({
  type: ['object', 'null'],
  description: 'GeoJSON geometry exactly as it came.',
});

const FacilityFeature = Type.Object({
  type: Type.Literal('Feature'),
  id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  geometry: Geometry,
  properties: FacilityProperties,
});

const Count = Type.Integer({ minimum: 0 });

const LevelCounts = Type.Object({ high: Count, medium: Count, low: Count, invalid: Count });
const StatusCounts = Type.Object({ present: Count, absent: Count, unknown: Count });

/** Datasets with what has to be said of them. */
export function datasetsUsed(description: string) {
  const Text = Type.String();
  return Type.Array(
    Type.Object({ id: Text, version: Text, licence: Text, attribution: Text, synthetic: Type.Boolean() }),
    { description },
  );
}

export const FacilitySummary = Type.Object({
  total_facilities: Count,
  commodity_presence: Count,
  poi_presence: Count,
  road_access: Count,
  water_access: Count,
  port_proximity: Count,
  high_density: Count,
  confidence_score: Type.Number({ description: 'Mean over the scored facilities, 0 when there are none.' }),
  confidence_level: LevelCounts,
  evidence_coverage: Type.Number({ description: 'Mean over the scored facilities, 0 when there are none.' }),
  confidence_range: Type.Union([ConfidenceRange, Type.Null()], {
    description: 'Means of the lowest and of the highest over the scored facilities; null when there are none.',
  }),
  confidence_basis: Type.Object(
    { verified: Count, partly_verified: Count, unverified: Count },
    { description: 'Facilities by how much of their score rests on what was looked at; invalid ones are unverified.' },
  ),
  confidence_level_by_basis: Type.Object(
    { verified: LevelCounts, partly_verified: LevelCounts, unverified: LevelCounts },
    { description: 'The same facilities by level too: a low one that is unverified is not known to be bad.' },
  ),
  indicator_status: Type.Object(
    Object.fromEntries(REPORTED.map((name) => [name, StatusCounts])) as Record<
      (typeof REPORTED)[number],
      typeof StatusCounts
    >,
    {
      description: 'Scored facilities by the status of each indicator: a count of 0 above may mean absent or unknown.',
    },
  ),
  producer_confirmed: Type.Object({ true: Count, false: Count }),
  warnings: Type.Array(Warning),
  datasets: datasetsUsed('The datasets that the answers came from.'),
});

export const FacilityCollection = Type.Object(
  { type: Type.Literal('FeatureCollection'), features: Type.Array(FacilityFeature), properties: FacilitySummary },
  { description: 'Streamed: features in input order as they finish, `properties` last.' },
);

const Name = Type.Unsafe<keyof typeof SUBJECTS>({ type: 'string', enum: Object.keys(SUBJECTS) });
const Known = Type.Union([Type.Literal('present'), Type.Literal('absent'), Type.Literal('unknown')]);
const Share = Type.Number({ minimum: 0, maximum: 1 });
const MAX_EXPLAINED = 100;

/** Properties of a rated facility; what else they hold is passed over. */
export const ExplainReceiptBody = Type.Object(
  {
    confidence_score: Share,
    evidence: Type.Array(
      Type.Object({
        indicator: Name,
        status: Known,
        value: Type.Number(),
        penalty: Share,
        weight: Share,
        detail: Type.String({ maxLength: 5_000 }),
      }),
      { maxItems: MAX_EXPLAINED },
    ),
    warnings: Type.Array(
      Type.Object({ code: Type.String({ maxLength: 100 }), message: Type.String({ maxLength: 5_000 }) }),
      { maxItems: MAX_EXPLAINED },
    ),
  },
  {
    description: 'The properties of a feature that `/validate_facility` or `/validate_facilities` answered.',
    examples: [
      {
        confidence_score: 0.85,
        evidence: [
          {
            indicator: 'road_access',
            status: 'unknown',
            value: 0,
            penalty: 0.15,
            weight: 0.15,
            detail: 'No road dataset covers everything within 1,000 m of this place.',
          },
        ],
        warnings: [{ code: 'missing_data', message: 'Not assessed: roads.' }],
      },
    ],
  },
);

export const ReceiptExplanation = Type.Object(
  {
    arithmetic: Type.Object({
      begins_at: Type.Number(),
      penalties: Type.Array(Type.Object({ indicator: Name, penalty: Type.Number() })),
      expected_score: Type.Union([Type.Number(), Type.Null()], {
        description: '1.00 less the penalties, not below 0; null without evidence, as for an invalid geometry.',
      }),
      stated_score: Type.Number(),
      agrees: Type.Union([Type.Boolean(), Type.Null()]),
    }),
    indicators: Type.Array(
      Type.Object({
        indicator: Name,
        looked_for: Type.String(),
        within_m: Type.Union([Type.Number(), Type.Null()], { description: 'Metres around the place; null: at it.' }),
        status: Known,
        means: Type.String(),
        value: Type.Number(),
        penalty: Type.Number(),
        most_it_can_take: Type.Number(),
        detail: Type.String(),
      }),
    ),
    not_known: Type.Array(Name, { description: 'Scored indicators that nobody looked at.' }),
    warnings: Type.Array(
      Type.Object({ code: Type.String(), message: Type.String(), fix: Type.Union([Type.String(), Type.Null()]) }),
    ),
    read_more: Type.Array(Type.String({ format: 'uri-reference' })),
  },
  { description: 'The explanation.' },
);
