import { Type, type Static } from 'typebox';
import type { LocationPreview } from '../../../service/locations/preview-locations.ts';
import { Messages } from '../messages-schema.ts';
import { REGION_THEMES } from '../../../service/locations/region-data.ts';
import { ColumnFinding, EudrOriginSchema, EudrSchema, LocationWarning as Warning } from './schemas.ts';

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const words = <const T extends readonly string[]>(list: T) => Type.Unsafe<T[number]>({ type: 'string', enum: list });
const Count = Type.Integer({ minimum: 0 });

const Row = Type.Object({
  source_row: Type.Integer(),
  source_sheet: orNull(Type.String()),
  location_id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  location_type: Type.String(),
  name: orNull(Type.String()),
  country: orNull(Type.String()),
  commodity_type: orNull(Type.String()),
  eudr: EudrSchema,
  eudr_origin: EudrOriginSchema,
  cells: Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
    type: 'object',
    additionalProperties: true,
    description: 'The cells as they stand in the file, by their headings; at most 60, of at most 120 characters.',
  }),
  place: words(['given', 'to_geocode', 'none']),
  geometry_type: orNull(Type.String()),
  point: Type.Unsafe<readonly [number, number] | null>({
    type: ['array', 'null'],
    items: { type: 'number' },
    description:
      'A point inside it: longitude, latitude. null without a place, and for a geometry that cannot be used.',
  }),
  warnings: Type.Array(Warning),
});

const Theme = Type.Object({
  theme: words(REGION_THEMES),
  rows: Type.Integer({ description: 'Rows with coordinates that the question is about.' }),
  covered: Type.Integer({
    description: 'A dataset of the catalogue covers the place. Whether one at an address answers is not looked at.',
  }),
  fetched: Type.Integer({ description: 'The service has fetched map data of the place before.' }),
  to_fetch: Type.Integer({ description: 'The service fetches it when it is first needed, if the network is there.' }),
  missing: Type.Integer({ description: 'There is nothing: the answer will be `unknown`.' }),
  datasets: Type.Array(
    Type.Object({
      id: Type.String(),
      version: Type.String(),
      synthetic: Type.Boolean(),
      remote: Type.Boolean({ description: 'Read at an address.' }),
      rows: Type.Integer(),
    }),
    { description: 'Those that cover rows, each with the rows for which it is the first.' },
  ),
});

const Region = Type.Object(
  {
    bounds: Type.Unsafe<readonly [number, number, number, number] | null>({
      type: ['array', 'null'],
      items: { type: 'number' },
      description: 'West, south, east, north of the rows that have coordinates.',
    }),
    countries: Type.Array(Type.Object({ country: Type.String(), rows: Type.Integer() })),
    themes: Type.Array(Theme, {
      description:
        'For each question the rows by where its answer comes from. Roads, buildings and businesses matter for facilities, forest and loss for plots, the commodity for rows that have one.',
    }),
    to_fetch: orNull(
      Type.Object(
        {
          cells: Type.Integer({ description: 'Cells of 0.1 degree.' }),
          at_once: Type.Integer({ description: 'Cells that `fetch_data` fetches in one request.' }),
          megabytes: Type.Union([Type.Integer(), Type.Null()], {
            description: 'Of all cells, by the size of those that were fetched before; null where none was.',
          }),
        },
        { description: 'Map data that the service fetches by itself when the rows are checked; null: nothing.' },
      ),
    ),
  },
  { description: 'What is known of the ground that the rows lie on.' },
);

const EXAMPLE = {
  dry_run: true,
  format: 'csv',
  size: { bytes: 1_824, most_bytes: 100_000_000, most_locations: 50_000 },
  mapping: [
    {
      name: null,
      header_row: 1,
      skipped: null,
      rows: 20,
      columns: [
        {
          column: 'ProducerName',
          field: 'supplier_name',
          confidence: 1,
          why: 'The name is the official EUDR name of supplier_name and 100 % of the first 200 values fit.',
        },
      ],
    },
  ],
  counts: {
    locations: 20,
    plots: 20,
    facilities: 0,
    with_geometry: 19,
    to_geocode: 1,
    without_place: 0,
    producers: 20,
    plots_without_producer: 0,
  },
  commodity: { stated: [], without: 20, proposed: { commodity: 'palm', from: 'file_name', text: 'palm' } },
  problems: [
    {
      code: 'area_invalid',
      count: 1,
      example: 'Row 7, column "Area", value "x": The area cannot be used: it is not a number.',
      fix: 'Write a positive number, with its unit where it is not hectares.',
      first: {
        code: 'area_invalid',
        params: { reason: 'it is not a number with a unit that is known here' },
        message:
          'Row 7, column "Area", value "x": The area cannot be used: it is not a number with a unit that is known here.',
        fix: 'Write a positive number, with its unit where it is not hectares.',
        row: 7,
        column: 'Area',
        value: 'x',
      },
    },
  ],
  remarks: [],
  sample: [],
  unplaced: [],
  region: {
    bounds: [102.6, 4.59, 102.6, 4.609],
    countries: [{ country: 'Malaysia', rows: 19 }],
    themes: [
      {
        theme: 'forest',
        rows: 19,
        covered: 19,
        fetched: 0,
        to_fetch: 0,
        missing: 0,
        datasets: [{ id: 'sample-district-forest', version: 'sample-1', synthetic: true, remote: false, rows: 19 }],
      },
    ],
    to_fetch: null,
  },
};

/** What a file would become. */
export const PreviewSchema = Type.Object(
  {
    dry_run: Type.Literal(true),
    format: Type.String(),
    size: Type.Object({
      bytes: Type.Integer(),
      most_bytes: Type.Union([Type.Integer(), Type.Null()], { description: 'null: not limited.' }),
      most_locations: Type.Integer(),
    }),
    mapping: Type.Array(
      Type.Object({
        name: Type.Union([Type.String(), Type.Null()], { description: 'The sheet or layer.' }),
        header_row: Type.Union([Type.Integer(), Type.Null()]),
        skipped: Type.Union([Type.String(), Type.Null()], { description: 'Why the sheet or layer is left out.' }),
        rows: Type.Union([Type.Integer(), Type.Null()], { description: 'null where it is left out.' }),
        messages: Messages,
        columns: Type.Array(ColumnFinding),
      }),
      {
        description:
          'What each column of each table was taken for, how surely, and why; `mapping` of the request overrides it.',
      },
    ),
    counts: Type.Object({
      locations: Count,
      plots: Count,
      facilities: Count,
      with_geometry: Type.Integer({ description: 'Rows with coordinates or a geometry.' }),
      to_geocode: Type.Integer({ description: 'Rows whose address would be looked up.' }),
      without_place: Type.Integer({ description: 'Rows that will stay without a place.' }),
      producers: Type.Integer({ description: 'Different producers of plots, counted to 100,000.' }),
      plots_without_producer: Count,
    }),
    commodity: Type.Object({
      stated: Type.Array(Type.Object({ commodity: Type.String(), rows: Type.Integer() }), {
        description: 'What the rows name, the most common first.',
      }),
      without: Type.Integer({ description: 'Rows that name none.' }),
      proposed: Type.Union(
        [
          Type.Object({
            commodity: Type.String(),
            from: words(['rows', 'file_name', 'sheet', 'heading']),
            text: Type.String({ description: 'The words that name it.' }),
          }),
          Type.Null(),
        ],
        { description: 'For the rows that name none; it is not applied by itself.' },
      ),
    }),
    problems: Type.Array(
      Type.Object({
        code: Type.String(),
        count: Type.Integer(),
        example: Type.String({ description: 'The message of the first, in English.' }),
        fix: Type.String(),
        first: Warning,
      }),
      { description: 'The warnings of the rows, the most common first, each with its first message.' },
    ),
    remarks: Type.Array(Type.String(), { description: 'What was assumed about the file as a whole.' }),
    messages: Messages,
    sample: Type.Array(Row, {
      description: 'The first 10 rows of each table, at most 50: their cells, and what became of them.',
    }),
    unplaced: Type.Array(Row, {
      description:
        'The first 20 rows that will stay without a place, or whose coordinates or geometry cannot be read or used.',
    }),
    region: Region,
  },
  { description: 'What the file would become; nothing is kept.', examples: [EXAMPLE] },
);

export function previewView(preview: LocationPreview): Static<typeof PreviewSchema> {
  return { dry_run: true, ...preview } as Static<typeof PreviewSchema>;
}
