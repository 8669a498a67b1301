import { Type } from 'typebox';
import type { Geometry } from '../../../geo/geometry.ts';
import type { App } from '../../server/app.ts';
import type { DatasetInfo } from '../../../service/datasets/catalogue.ts';

const GEOMETRY = { type: 'object', description: 'A GeoJSON geometry.' } as const;

const MappedSchema = Type.Object(
  {
    measured: Type.Boolean({
      description:
        'false for packs made before this was measured; import them again. They never answer that there is nothing.',
    }),
    cells: Type.Integer({ description: 'Cells of the coverage, of about 1 km.' }),
    mapped_cells: Type.Integer({ description: 'Those of them where the theme is mapped.' }),
    cell_degrees: Type.Union([Type.Number(), Type.Null()]),
    area: Type.Unsafe<Geometry | null>({
      anyOf: [GEOMETRY, { type: 'null' }],
      description: 'Where the theme is mapped, to be drawn, at most 2,000 positions; null: nowhere.',
    }),
    area_cell_degrees: Type.Union([Type.Number(), Type.Null()], {
      description: 'Cells that the area follows: coarser ones where its outline would be long.',
    }),
  },
  {
    description:
      'On which part of its ground the theme of a regional pack is mapped. Elsewhere nothing found is unknown, not absent: docs/regional-packs.md.',
  },
);

const DatasetSchema = Type.Object({
  id: Type.String({ examples: ['countries'] }),
  role: Type.String({ description: 'The question it answers.' }),
  kind: Type.String({ description: 'Its format.' }),
  version: Type.String(),
  date: Type.Union([Type.String(), Type.Null()], { description: 'Date of the data.' }),
  licence: Type.String(),
  attribution: Type.String(),
  coverage: Type.Unsafe<readonly number[] | Geometry>({
    anyOf: [
      {
        type: 'array',
        items: { type: 'number' },
        minItems: 4,
        maxItems: 4,
        description: 'West, south, east, north in degrees.',
      },
      GEOMETRY,
    ],
  }),
  synthetic: Type.Boolean({ description: 'true for generated data that describes no real place.' }),
  mapped: Type.Union([MappedSchema, Type.Null()], {
    description:
      'Where the theme of a regional pack is mapped; null for a dataset that is complete over all its coverage.',
  }),
});

export function datasetRoutes(datasets: () => Promise<readonly DatasetInfo[]>) {
  return (app: App): void => {
    app.get(
      '/datasets',
      {
        config: { access: 'public' },
        schema: {
          operationId: 'getDatasets',
          summary: 'Datasets the answers come from',
          description:
            'With version, date, licence, attribution and coverage. For a role the first dataset that covers a place answers.',
          tags: ['service'],
          response: {
            200: Type.Object(
              { datasets: Type.Array(DatasetSchema) },
              { description: 'The datasets, in the order they are queried.' },
            ),
          },
        },
      },
      async (_request, reply) =>
        reply.header('cache-control', 'public, max-age=60').send({ datasets: [...(await datasets())] }),
    );
  };
}
