import { Type, type Static } from 'typebox';
import { ConvergenceSchema, CONVERGENCE_WORDS } from './convergence-schema.ts';
import { CURSOR_PATTERN } from '../../../collections/fetch/cursor.ts';
import { EUDR_STATUSES, RISK_LEVELS } from '../../../collections/fetch/eudr-verdict.ts';
import { PLOT_GROUPS } from '../../../collections/plot-group.ts';
import { REVIEW_STATES, type ReviewState } from '../../../collections/review.ts';
import { CONFIDENCES, NOT_PROCESSED } from '../../../collections/plot-record.ts';

/** Most features one page may have; without a limit a collection comes whole. */
export const MAX_FETCH_PAGE = 1_000_000;
/** Columns one request may filter by. */
export const MAX_FILTERS = 20;
export const MAX_FILENAME_LENGTH = 8_000;

const Day = (description: string, example: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: [example] }));

/** Parameters of every fetch endpoint; any other name filters by column. */
export const FetchParameters = {
  filename: Type.String({
    minLength: 1,
    maxLength: MAX_FILENAME_LENGTH,
    description: 'Id of the collection, or several with commas between them.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
  monitoring_start: Day('The period begins after this day; default that of the batch.', '2020-12-31'),
  monitoring_end: Day('Last day of the period; default that of the batch.', '2025-12-31'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_FETCH_PAGE,
      description: 'Most features; the `Link` header leads to the next page. Default: all.',
      examples: [100],
    }),
  ),
  after: Type.Optional(
    Type.String({
      pattern: CURSOR_PATTERN,
      description: 'Continues after a page: taken from its `Link` header.',
      examples: ['0.99'],
    }),
  ),
  aggregate: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true answers one feature without geometry: totals and means, each with how many plots are unknown. `years_looked_at` are then the years looked at in every plot whose losses are known, `years_looked_at_counts` the plots looked at by year. Ground that plots share counts once: of a plot that lies partly on earlier plots of the answer, every total takes the rest, in proportion to its area. `overlap_area_ha` are the hectares left out so, `overlaps_counted_once` says whether all plots were compared, `overlaps_reason` why not. `plot_group_counts` has every location in one group (`unknown`: processed by an earlier version).',
    }),
  ),
  plots_only: Type.Optional(Type.Boolean({ default: false, description: 'true leaves out facilities.' })),
};

/** Names beyond these are columns. */
export const FetchQuery = Type.Object(FetchParameters, { additionalProperties: true });
export type FetchQuery = Static<typeof FetchQuery>;

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(
  schema: T,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const Hectares = (description: string) => Nullable(Type.Number(), description);
const ByYear = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()], { description });

const Years = (description: string) =>
  Type.Union([Type.Object({ from: Type.Integer(), to: Type.Integer() }), Type.Null()], { description });

const Confidence = Type.Union(
  [...[...CONFIDENCES, ...NOT_PROCESSED].map((level) => Type.Literal(level)), Type.Null()],
  {
    description: 'Of the whole collection, as stored when it was processed; null where validation was not requested.',
  },
);

const Datasets = Type.Array(
  Type.Object(
    { role: Type.String(), dataset: Type.String(), version: Type.String(), synthetic: Type.Boolean() },
    { additionalProperties: true },
  ),
  { description: 'The receipt: every dataset that was read, with its version and the share of the plot it covers.' },
);

const ground = {
  area_ha: Hectares('Geodesic hectares of the ground that was measured.'),
  measured_ground: Nullable(Type.String(), '`polygon`, or `circle` for a point with an area; null: not measured.'),
};

const Group = Type.Union([...PLOT_GROUPS.map((group) => Type.Literal(group)), Type.Null()], {
  description:
    'The one group of the location in every count, file and page: `deforested` (signs of deforestation), `open` (not settled: unknown, or more information is needed), `cleared` (no deforestation found), `left_out` (not fit to submit), `facility`. `excluded` (left out on request) is in exports alone. Null where a version before this one processed the collection.',
});

/** What each endpoint adds to the properties of a location. */
export const ADDED_PROPERTIES = {
  deforestation_check: {
    locations_confidence: Confidence,
    ...ground,
    plot_group: Group,
    eudr_status: Type.Union(EUDR_STATUSES.map((status) => Type.Literal(status))),
    risk_level: Type.Union([...RISK_LEVELS.map((level) => Type.Literal(level)), Type.Null()]),
    eudr_comment: Type.String({ description: 'The finding as a sentence.' }),
    ...CONVERGENCE_WORDS,
    check_status: Nullable(Type.String(), '`measured`, `partial` or `unknown`.'),
    check_reason: Nullable(Type.String(), 'What is not covered or not known.'),
    noncompliance_area_ha: Hectares('Forest of 2020-12-31 that was lost after it, in the period; null: unknown.'),
    deforestation_start: Nullable(Type.String(), 'First day of the first year with such a loss.'),
    deforestation_end: Nullable(Type.String(), 'Last day of the last year with such a loss.'),
    baseline_forest_ha: Hectares('Forest on 2020-12-31.'),
    years_looked_at: Years(
      'First and last year of the period that the dataset of the losses by year covers. Of years outside nothing is known, which is not 0; null: of the whole period.',
    ),
    loss_ha_by_year: ByYear(
      'Trees lost in the period, in and outside that forest; a year of `years_looked_at` that is left out had no loss.',
    ),
    loss_in_baseline_ha_by_year: ByYear('The part of it inside that forest.'),
    agreement: Nullable(
      Type.String(),
      'Whether datasets of losses `agree` or `disagree`; `single`: only one has data.',
    ),
    datasets: Datasets,
    monitored_until: Nullable(Type.String(), 'Last day of the period that losses are known of.'),
    monitoring_start: Type.String(),
    monitoring_end: Type.String(),
    convergence: ConvergenceSchema,
  },
  biomass_emissions: {
    ...ground,
    luc_tco2eyear: Nullable(Type.Number(), 'Tonnes of CO2 a year by the change of biomass; below 0: taken up.'),
    luc_tco2ehayear: Nullable(Type.Number(), 'The same for a hectare.'),
    emissions_status: Nullable(Type.String(), '`measured` or `unknown`.'),
    emissions_reason: Nullable(Type.String(), 'Why it is unknown.'),
    emissions_from_year: Nullable(Type.Number(), 'Year of the first of the two maps compared.'),
    emissions_to_year: Nullable(Type.Number(), 'Year of the second.'),
    agb_t: Nullable(Type.Number(), 'Above-ground biomass in that year, tonnes of dry matter.'),
    agb_t_by_year: ByYear('Above-ground biomass by the year of the map, all there are.'),
    datasets: Datasets,
    monitoring_start: Type.String(),
    monitoring_end: Type.String(),
  },
  biodiversity: {
    ...ground,
    diversity_score: Nullable(Type.Number(), "Rao's quadratic entropy over the pixels of the plot."),
    diversity_status: Nullable(Type.String(), '`measured` or `unknown`.'),
    diversity_reason: Nullable(Type.String(), 'Why it is unknown.'),
    diversity_basis: Nullable(Type.String(), '`canopy-height` or `embeddings`.'),
    diversity_year: Nullable(Type.Number()),
    datasets: Datasets,
  },
  plots: { plot_group: Group },
} as const;

const Counts = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], { description });
const Metres = (description: string) => Nullable(Type.Number(), description);

/** What is added to a facility about its supply shed. Totals are null where there is no shed. */
export const SHED_PROPERTIES = {
  locations_confidence: Confidence,
  supply_shed_kind: Nullable(Type.String(), '`radius`, `column` or `parameter`.'),
  supply_shed_radius_m: Metres('null for a polygon.'),
  supply_shed_problem: Nullable(Type.String(), 'Why there is no shed.'),
  plots: Nullable(Type.Number(), 'Plots in the shed.'),
  area_ha: Hectares(
    'Of the plots whose area is known; ground that plots of the shed share counts once, here and in all totals.',
  ),
  overlap_area_ha: Hectares('Of plots that lie on earlier plots of the shed, which the totals leave out.'),
  overlaps_counted_once: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'false: some area may be counted twice in the totals.',
  }),
  overlaps_reason: Nullable(Type.String(), 'Why it may be: plots that were not compared, or of different collections.'),
  baseline_forest_ha: Hectares('Forest of those plots on 2020-12-31.'),
  noncompliance_area_ha: Hectares('The part of it lost after that day, in the period.'),
  luc_tco2eyear: Nullable(Type.Number()),
  years_looked_at: Years(
    'First and last year of the period that were looked at in every plot whose losses are known; null: none.',
  ),
  years_looked_at_counts: Counts('Plots looked at by year; a year that is left out was looked at in none.'),
  loss_ha_by_year: ByYear('Trees lost in the plots in the period.'),
  loss_in_baseline_ha_by_year: ByYear('The part of it inside the forest of 2020-12-31.'),
  noncompliance_share: Nullable(Type.Number(), 'Of the area of the plots for which it is known.'),
  baseline_forest_share: Nullable(Type.Number(), 'Of the area of the plots for which it is known.'),
  luc_tco2ehayear: Nullable(Type.Number(), 'Mean weighted by area.'),
  diversity_score: Nullable(Type.Number(), 'Mean weighted by area.'),
  plot_group_counts: Counts('Plots by group, as the collection has them.'),
  eudr_status_counts: Counts('Plots by status.'),
  risk_level_counts: Counts('Plots by risk.'),
  convergence_verdict_counts: Counts('Plots by the verdict of all sources.'),
  commodity_type_counts: Counts('Plots by commodity.'),
  risk_level_area_shares: ByYear('Share of the area of the plots by risk.'),
  means: Type.Optional(Type.Record(Type.String(), Nullable(Type.Number()), { description: 'A plot, of those known.' })),
  known: Type.Optional(Type.Record(Type.String(), Type.Integer(), { description: 'Plots in each total.' })),
  unknown: Type.Optional(Type.Record(Type.String(), Type.Integer(), { description: 'Plots each total leaves out.' })),
  datasets: Datasets,
  nearest_plot_m: Metres('Metres from the facility to the nearest plot.'),
  farthest_plot_m: Metres('Metres to the farthest plot.'),
  plot_collections: Type.Array(Type.String(), { description: 'The collections whose plots were looked at.' }),
  plot_collections_of_same_file: Type.Integer({ description: 'Left out, because a newer one is of the same file.' }),
  plot_collections_left_out: Type.Integer({ description: 'Left out, because there were too many plots.' }),
  monitoring_start: Type.String(),
  monitoring_end: Type.String(),
  plots_looked_at: Type.Integer(),
  plots_without_place: Type.Integer({ description: 'Plots without a usable geometry, which no shed can hold.' }),
} as const;

const whereReviewed = 'Absent where nobody has reviewed it.';
const REVIEW = {
  review_state: Type.Optional(
    Type.Unsafe<ReviewState>({
      type: 'string',
      enum: [...REVIEW_STATES],
      description: 'What people decided about it, which changes nothing else; open: nobody has decided.',
    }),
  ),
  review_note: Type.Optional(Type.String({ description: whereReviewed })),
  review_by: Type.Optional(Type.String({ description: whereReviewed })),
  review_at: Type.Optional(Type.String({ format: 'date-time', description: whereReviewed })),
  review_of_earlier_run: Type.Optional(
    Type.Boolean({ description: `Made before the collection was processed last. ${whereReviewed}` }),
  ),
};

/** A location with what an endpoint adds. */
export function fetchedFeatureSchema(added: Readonly<Record<string, unknown>>) {
  return Type.Object({
    type: Type.Literal('Feature'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    geometry: Type.Unsafe<unknown>({ type: ['object', 'null'], description: 'GeoJSON geometry in EPSG:4326.' }),
    properties: Type.Object(
      {
        collection_id: Type.String(),
        location_number: Type.Integer({ description: 'Place in the file, from 0.' }),
        location_type: Type.String(),
        location_confidence: Confidence,
        problem: Nullable(Type.String(), 'Why the location could not be measured.'),
        ...REVIEW,
        ...(added as Record<string, never>),
      },
      { additionalProperties: true, description: 'The properties of the normalised location, and these.' },
    ),
  });
}
