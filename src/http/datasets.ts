import { Type } from 'typebox';
import type { Geometry } from '../geo/geometry.ts';
import type { App } from './app.ts';
import type { DatasetInfo } from '../service/catalogue.ts';

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
      { type: 'object', description: 'A GeoJSON geometry.' },
    ],
  }),
  synthetic: Type.Boolean({ description: 'true for generated data that describes no real place.' }),
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
              { description: 'The datasets, in the order they are asked.' },
            ),
          },
        },
      },
      async (_request, reply) =>
        reply.header('cache-control', 'public, max-age=60').send({ datasets: [...(await datasets())] }),
    );
  };
}
