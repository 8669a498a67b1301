import { Type } from 'typebox';
import type { Geometry } from '../../../geo/geometry.ts';
import type { App } from '../../server/app.ts';
import type { DatasetInfo } from '../../../service/datasets/catalogue.ts';
import type { ListedContract } from '../../../service/outside/list-contracts.ts';

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

const TimeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);

const ContractSchema = Type.Object(
  {
    state: Type.Union(
      [
        Type.Literal('held'),
        Type.Literal('broken'),
        Type.Literal('unreachable'),
        Type.Literal('unstated'),
        Type.Literal('unchecked'),
      ],
      {
        description:
          'broken: it is another one than its entry says, and what depends on it is unknown. unreachable: nobody could look. unstated: its entry names nothing to look at. unchecked: it was not used yet.',
      },
    ),
    checked_at: TimeOrNull,
    held_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'When it last held.' }),
    failing_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Since when it does not; null while it does.',
    }),
    mirror: Type.Union([Type.String(), Type.Null()], { description: 'Host of the address that answered.' }),
    fault: TextOrNull,
    remedy: TextOrNull,
    newer: Type.Union([Type.String(), Type.Null()], { description: 'A newer version that its publisher lists.' }),
  },
  { description: 'What the last check of a dataset at an address found: docs/datasets.md.' },
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
  fetched_cells: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Cells of 0.1 degree of which it was fetched by itself (`AUTO_DATA`); null for a dataset that was not. Its other numbers are sums over them.',
  }),
  contract: Type.Union([ContractSchema, Type.Null()], {
    description: 'Whether a dataset at an address is what its entry says; null for data on this machine.',
  }),
});

/** A sentence on the datasets that are not what their contract says; null: there is none. */
export function contractNote(contracts: readonly ListedContract[]): string | null {
  const broken = contracts.filter(({ info }) => info.state === 'broken');
  if (broken.length === 0) return null;
  const names = broken.map(({ dataset, info }) => `${dataset} (since ${info.failing_since?.slice(0, 10)})`);
  return `Datasets that are not what their contract says, whose answers are unknown: ${names.join(', ')}. firstmile data doctor says more.`;
}

export function datasetRoutes(
  datasets: () => Promise<readonly DatasetInfo[]>,
  contracts: () => Promise<readonly ListedContract[]>,
) {
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
      async (_request, reply) => {
        const [infos, known] = await Promise.all([datasets(), contracts()]);
        const byId = new Map(known.map(({ dataset, info }) => [dataset, info]));
        // Several datasets are made of one thing that was fetched: themes, and heads.
        const fetched = known.filter(({ isFetched }) => isFetched === true);
        const sourceOf = (id: string) => fetched.find(({ dataset }) => id.startsWith(`${dataset}-`))?.info ?? null;
        return reply
          .header('cache-control', 'public, max-age=60')
          .send({ datasets: infos.map((info) => ({ ...info, contract: byId.get(info.id) ?? sourceOf(info.id) })) });
      },
    );
  };
}
