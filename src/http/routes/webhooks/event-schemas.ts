import { Type, type TObject } from 'typebox';
import { ComparedSchema, DatasetChangeSchema, WatchCountsSchema } from '../collections/watches.ts';
import { type EventType, EVENT_TYPES } from '../../../webhooks/webhook-event.ts';

const Url = Type.String({ format: 'uri' });
const Count = Type.Integer({ minimum: 0 });

const collection = {
  collection_id: Type.String(),
  collection_name: Type.String(),
  description: Type.String(),
  counts: Type.Object({ locations: Count, plots: Count, facilities: Count, measured: Count, problems: Count }),
  locations_confidence: Type.Union([Type.String(), Type.Null()], {
    description: 'As stored; null where nothing validated the locations.',
  }),
};

const plot = {
  plot: Type.String({ description: 'Its own id, as the file has it.' }),
  number: Type.Integer({ minimum: 0, description: 'Place in the collection, from 0.' }),
};

const COLLECTION_EXAMPLE = {
  collection_id: '5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43',
  collection_name: 'cocoa lot 7',
  description: '',
  counts: { locations: 3, plots: 3, facilities: 0, measured: 3, problems: 0 },
  locations_confidence: 'high',
};
const FETCH = 'https://firstmile.example.org/fetch_deforestation_check?filename=5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43';

interface EventDescription {
  readonly summary: string;
  readonly data: TObject;
  readonly example: object;
}

/** What `data` of each event holds. */
const EVENTS: Readonly<Record<EventType, EventDescription>> = {
  batch_zonal_stats_complete: {
    summary: 'The plots of a batch were measured',
    data: Type.Object({
      ...collection,
      urls: Type.Object(
        {
          biomass_emissions: Url,
          biodiversity: Url,
          deforestation_check: Url,
          deforestation_check_eudr: Url,
          export_eudr_dds: Url,
        },
        { description: 'Where the results are fetched, with your token.' },
      ),
    }),
    example: {
      ...COLLECTION_EXAMPLE,
      urls: {
        biomass_emissions: FETCH.replace('deforestation_check', 'biomass_emissions'),
        biodiversity: FETCH.replace('deforestation_check', 'biodiversity'),
        deforestation_check: FETCH,
        deforestation_check_eudr: `${FETCH}&monitoring_start=2020-12-31`,
        export_eudr_dds: FETCH.replace('fetch_deforestation_check', 'export_eudr_dds'),
      },
    },
  },
  test_event: {
    summary: 'A test that you requested',
    data: Type.Object({ message: Type.String() }),
    example: { message: 'This is a test event' },
  },
  batch_failed: {
    summary: 'A batch failed or was cancelled',
    data: Type.Object({
      ...collection,
      status: Type.Unsafe<string>({ type: 'string', enum: ['failed', 'cancelled'] }),
      error: Type.Object({ code: Type.String(), detail: Type.String() }),
    }),
    example: {
      ...COLLECTION_EXAMPLE,
      locations_confidence: null,
      status: 'failed',
      error: { code: 'malformed_file', detail: 'The file ends early.' },
    },
  },
  collection_changed: {
    summary: 'A watched collection was measured again, and something is found otherwise or could not be measured',
    data: Type.Object({
      collection_id: Type.String(),
      collection_name: Type.String(),
      run: Type.Integer({ minimum: 1, description: 'Number of the run.' }),
      outcome: Type.Unsafe<string>({ type: 'string', enum: ['changed', 'not_measured', 'failed'] }),
      reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
      datasets: Type.Array(DatasetChangeSchema),
      counts: Type.Union([WatchCountsSchema, Type.Null()], { description: 'Null where it failed.' }),
      changes: Type.Array(
        Type.Object({ ...plot, direction: Type.String(), before: ComparedSchema, after: ComparedSchema }),
        { description: 'The first 100.' },
      ),
      not_measured: Type.Array(Type.Object({ ...plot, reasons: Type.Array(Type.String()), before: ComparedSchema }), {
        description: 'The first 100.',
      }),
      only_after_not_cleared: Type.Array(Type.Object({ ...plot, after: ComparedSchema }), {
        description: 'The first 100.',
      }),
      url: Type.String({ format: 'uri', description: 'All of them, with your token.' }),
    }),
    example: {
      collection_id: COLLECTION_EXAMPLE.collection_id,
      collection_name: COLLECTION_EXAMPLE.collection_name,
      run: 2,
      outcome: 'changed',
      reason: null,
      datasets: [{ dataset: 'loss', before: '2024', after: '2025' }],
      counts: {
        plots: 3,
        unchanged: 2,
        changed: 1,
        not_measured: 0,
        worse: 1,
        better: 0,
        newly_not_measured: 0,
        only_before: 0,
        only_after: 0,
        only_after_not_cleared: 0,
      },
      changes: [
        {
          plot: 'p1',
          number: 1,
          direction: 'worse',
          before: { verdict: 'low', eudr_status: 'no_deforestation_found', loss_m2: 0, rules: ['perennial-1'] },
          after: { verdict: 'high', eudr_status: 'deforestation_found', loss_m2: 5_400, rules: ['perennial-5'] },
        },
      ],
      not_measured: [],
      only_after_not_cleared: [],
      url: `https://firstmile.example.org/collections/${COLLECTION_EXAMPLE.collection_id}/watch/runs/2`,
    },
  },
};

/** The body of an event, as it is sent. */
export function eventSchema(type: EventType): TObject {
  return Type.Object(
    {
      id: Type.String({ description: 'Names the event in every attempt; process an id once.' }),
      type: Type.Literal(type),
      created_at: Type.String({ format: 'date-time' }),
      data: EVENTS[type].data,
    },
    { description: 'More members may come.' },
  );
}

/** The `webhooks` of the OpenAPI document: what is sent to the address that a user registered. */
export function webhookOperations(): Readonly<Record<string, object>> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOperation(type) }]));
}

function webhookOperation(type: EventType): object {
  const { summary, data: _, example } = EVENTS[type];
  const id = 'evt_0d9c2f7e6f0e4b3a9f5d2f4b8f1f7a10';
  return {
    operationId: `on_${type}`,
    summary,
    description: 'Signed and sent again until it is answered with 200: docs/webhooks.md.',
    tags: ['webhooks'],
    security: [],
    parameters: [
      header('X-Service-Webhook-Type', 'The type of the event.', type),
      header(
        'X-Service-Webhook-Signature',
        'Time and HMAC-SHA256 of time and body.',
        't=1732150080, v1=92fb1b6c086cde7b7d952283cf46ae0050d60f0143d536dd93c0e0e9d3faaedb',
      ),
      header('webhook-id', 'The same as `id`.', id),
      header('webhook-timestamp', 'Seconds since 1970, of this attempt.', '1732150080'),
      header('webhook-signature', 'As Standard Webhooks writes it.', 'v1,9yg49UQ8AFX5CwNzLtG2JJ6fXgK6aQG/vm6U7ehEjw0='),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: eventSchema(type),
          example: { id, type, created_at: '2026-11-21T00:48:00.123Z', data: example },
        },
      },
    },
    responses: {
      200: { description: 'It is delivered. Any other answer, or none, is a failed attempt.' },
      '4XX': { description: 'A failed attempt; it is sent again.' },
    },
  };
}

function header(name: string, description: string, example: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}
