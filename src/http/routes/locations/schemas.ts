import { Messages } from '../messages-schema.ts';
import { Type } from 'typebox';
import { CONFIDENCES } from '../../../collections/plot-record.ts';
import { FIELDS } from '../../../locations/columns/fields.ts';
import { PLOT_CHECKS } from '../../../locations/plots/check-plot.ts';
import { PRECISIONS } from '../../../locations/sources.ts';
import { PROCESSING } from '../../../service/plots/evaluate-location.ts';
import { datasetsUsed, FacilityOptionsSchema, FacilitySummary } from '../facilities/schemas.ts';

const { commodity_type: commodityType, ...facilityOptions } = FacilityOptionsSchema;

const LocationFieldSchemas = {
  location_type: Type.Optional(
    Type.Union([Type.Literal('facility'), Type.Literal('plot')], {
      description: 'Type of every row. Without it each row is routed by what it says and looks like.',
    }),
  ),
  commodity_type: commodityType,
  country: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Country of rows that do not name one: an ISO code or a usual name.',
      examples: ['ID'],
    }),
  ),
  mapping: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description: `JSON object: their column to our field, or to null to leave it alone. Fields: ${FIELDS.join(', ')}.`,
      examples: ['{"Koordinat X": "longitude"}'],
    }),
  ),
  geocode: Type.Optional(
    Type.Boolean({ default: true, description: 'Find rows without coordinates by their address.' }),
  ),
  crs: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'EPSG code of coordinates whose system the file does not name.',
      examples: ['EPSG:32748'],
    }),
  ),
  sheets: Type.Optional(
    Type.String({
      maxLength: 8_192,
      description: 'Sheet or layer to read, or a JSON list of them. Without it all that hold locations.',
    }),
  ),
};

/** How a file is read. */
export const NormalizeFields = Type.Object(LocationFieldSchemas, { additionalProperties: false });

/** Looking at a file before anything is made of it. */
export const PreviewFields = {
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Answer 200 with what the file would become: columns, first rows, counts, problems, commodity, what is known of its region. Nothing is kept.',
    }),
  ),
  fetch_data: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'With `dry_run`: fetch the map data that is missing around the rows (of at most 100 cells of 0.1 degree), and wait for it.',
    }),
  ),
};

export const NormalizeForm = Type.Object(
  { ...LocationFieldSchemas, ...PreviewFields },
  { additionalProperties: false },
);

export const ValidateLocationsFields = Type.Object(
  {
    ...LocationFieldSchemas,
    ...PreviewFields,
    ...facilityOptions,
    repair: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Repair geometries that cannot be used; `repair_log` lists the changes.',
      }),
    ),
  },
  { additionalProperties: false },
);

const file = Type.Unsafe<unknown>({
  type: 'string',
  contentMediaType: 'application/octet-stream',
  description:
    'GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, GPX, CSV, TSV or XLSX; its content decides, not its name.',
});

export const NormalizeBody = Type.Object({ file, ...NormalizeForm.properties }, { additionalProperties: false });
export const ValidateLocationsBody = Type.Object(
  { file, ...ValidateLocationsFields.properties },
  { additionalProperties: false },
);

export const LocationsQuery = Type.Object(
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

const Text = Type.Union([Type.String(), Type.Null()]);
const Hectares = Type.Union([Type.Number(), Type.Null()]);
const words = <const T extends readonly string[]>(list: T) => Type.Unsafe<T[number]>({ type: 'string', enum: list });

export const LocationWarning = Type.Object({
  code: Type.String(),
  params: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description: 'What fills the blanks of the message.',
    }),
  ),
  message: Type.String({ description: 'What is wrong; begins with the row, column and value.' }),
  fix: Type.String(),
  row: Type.Integer(),
  column: Type.Optional(Type.String()),
  value: Type.Optional(Type.String()),
});

const Origin = Type.Union([
  Type.Object(
    {
      from: words(['column', 'request', 'position', 'geometry', 'geocoding']),
      column: Type.Optional(Type.String({ description: 'The heading in the input.' })),
    },
    {
      description:
        '`column`: a column of the input. `request`: a field of the request. `position`: the country at the coordinates. `geometry`: measured. `geocoding`: the place found by its address.',
    },
  ),
  Type.Null(),
]);

export const EudrSchema = Type.Object({
  ProducerName: Text,
  ProducerCountry: Text,
  ProductionPlace: Text,
  Area: Hectares,
});
export const EudrOriginSchema = Type.Object(
  { ProducerName: Origin, ProducerCountry: Origin, ProductionPlace: Origin, Area: Origin },
  { description: 'Where each value of `eudr` comes from; null where it has none.' },
);

const NormalizedProperties = {
  location_id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  location_type: words(['facility', 'plot']),
  name: Text,
  supplier_name: Text,
  address: Text,
  admin1: Text,
  country: Type.Union([Type.String(), Type.Null()], { description: 'Short English name.' }),
  country_code: Type.Union([Type.String(), Type.Null()], { description: 'ISO 3166-1 alpha-2.' }),
  commodity_type: Text,
  area_ha: Type.Union([Type.Number(), Type.Null()], {
    description: 'Measured on the ellipsoid for a polygon, as stated for a point.',
  }),
  geometry_source: words(['input', 'geocoded', 'none']),
  geocode_precision: Type.Union([words(PRECISIONS), Type.Null()]),
  geocode_confidence: Type.Union([Type.Number(), Type.Null()], {
    description: 'Probability that the place lies within 25 km of the point, 0 to 1.',
  }),
  source_row: Type.Integer({
    description: 'As the spreadsheet shows it; in files without rows the number of the feature, from 1.',
  }),
  source_sheet: Type.Optional(Type.String()),
  eudr: EudrSchema,
  eudr_origin: EudrOriginSchema,
  warnings: Type.Array(LocationWarning),
  source: Type.Object({}, { additionalProperties: true, description: "The input's own columns." }),
};

const feature = (properties: Parameters<typeof Type.Object>[0], options = {}) =>
  Type.Object({
    type: Type.Literal('Feature'),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
    geometry: Type.Unsafe<unknown>({
      type: ['object', 'null'],
      description: 'Longitude first, WGS84; null where no place is known.',
    }),
    properties: Type.Object(properties, options),
  });

const Count = Type.Integer({ minimum: 0 });
const counts = (list: readonly string[]) => Type.Object(Object.fromEntries(list.map((name) => [name, Count])));

export const ColumnFinding = Type.Object({
  column: Type.String(),
  field: Text,
  confidence: Type.Number(),
  why: Type.String(),
  messages: Messages,
  order: Type.Optional(
    Type.Integer({
      description:
        'Place among the columns of the same field, from 1, where there are several: a row has its value from the first that is filled.',
    }),
  ),
});

/** How the columns of the tables of a file were read. */
export const MappingSchema = Type.Array(
  Type.Object({
    name: Type.Union([Type.String(), Type.Null()], { description: 'The sheet or layer.' }),
    header_row: Type.Union([Type.Integer(), Type.Null()]),
    skipped: Type.Union([Type.String(), Type.Null()], { description: 'Why the sheet or layer is left out.' }),
    columns: Type.Array(ColumnFinding),
  }),
  {
    description:
      'What each column of each table was taken for, how surely, and why; `mapping` of the request overrides it.',
  },
);

const SummaryProperties = {
  format: Type.String(),
  total: Count,
  by_type: counts(['facility', 'plot']),
  by_geometry_source: counts(['input', 'geocoded', 'none']),
  by_precision: counts(PRECISIONS),
  warnings: Type.Array(Type.Object({ code: Type.String(), count: Count, fix: Type.String() })),
  tables: Type.Array(
    Type.Object({
      name: Text,
      header_row: Type.Union([Type.Integer(), Type.Null()]),
      rows: Count,
      skipped: Type.Union([Type.String(), Type.Null()], { description: 'Why the sheet or layer was left out.' }),
      messages: Messages,
      columns: Type.Array(ColumnFinding, { description: 'What each column was taken for, and why.' }),
    }),
  ),
  remarks: Type.Array(Type.String(), { description: 'What was assumed about the file as a whole.' }),
  messages: Messages,
  datasets: datasetsUsed('The datasets that countries and geocoded places come from.'),
};

export const NormalizedCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(feature(NormalizedProperties)),
    properties: Type.Object(SummaryProperties),
  },
  { description: 'One feature for each row, in order; `properties` last.' },
);

const PlotCheck = Type.Object({
  check: words(PLOT_CHECKS),
  status: words(['pass', 'warn', 'fail', 'unknown']),
  detail: Type.String(),
  messages: Messages,
  receipt: Type.Optional(
    Type.Object(
      {
        noncompliance_area_ha: Type.Union([Type.Number(), Type.Null()]),
        baseline_forest_ha: Type.Union([Type.Number(), Type.Null()]),
        deforestation_start: Type.Union([Type.String(), Type.Null()]),
        deforestation_end: Type.Union([Type.String(), Type.Null()]),
        monitored_until: Type.Union([Type.String(), Type.Null()]),
        datasets: Type.Array(
          Type.Object({
            role: words(['forest-mask', 'loss-year']),
            dataset: Type.String(),
            version: Type.String(),
            synthetic: Type.Boolean(),
            covered_share: Type.Number(),
            noncompliance_area_ha: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
          }),
        ),
      },
      { description: 'Of the check `deforestation`: hectares, years and datasets.' },
    ),
  ),
});

export const ValidatedCollection = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(
      feature(
        {
          ...NormalizedProperties,
          warnings: Type.Array(
            Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: true }),
          ),
          processing: words(PROCESSING),
          plot_valid: Type.Optional(Type.Boolean({ description: 'No check failed.' })),
          location_confidence: Type.Optional(
            Type.Unsafe<(typeof CONFIDENCES)[number]>({
              type: 'string',
              enum: [...CONFIDENCES],
              description:
                'Of a plot. `high` only where position, commodity and deforestation were all looked at and passed; `medium` where something is in doubt or could not be looked at; `low` where a check failed; `invalid` where the geometry cannot be used.',
            }),
          ),
          location_confidence_reasons: Type.Optional(
            Type.Array(Type.String(), { description: 'Of a plot: what keeps it from `high`, in words.' }),
          ),
          messages: Messages,
          plot_checks: Type.Optional(Type.Array(PlotCheck)),
          repair_log: Type.Optional(Type.Array(Type.String())),
        },
        {
          additionalProperties: true,
          description:
            'A facility also has every property of `/validate_facilities`; its country is then the one it lies in.',
        },
      ),
    ),
    properties: Type.Object({
      ...SummaryProperties,
      processing: counts(PROCESSING),
      plots: counts(['total', 'valid', 'repaired']),
      facilities: FacilitySummary,
    }),
  },
  { description: 'One feature for each row, in order; `properties` last.' },
);
