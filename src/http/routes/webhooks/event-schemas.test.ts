import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import {
  batchCompleteData,
  batchFailedData,
  collectionChangedData,
  createEvent,
  EVENT_TYPES,
} from '../../../webhooks/webhook-event.ts';
import { eventSchema, webhookOperations } from './event-schemas.ts';

const BATCH = {
  collectionId: 'c',
  collectionName: 'lot',
  description: 'd',
  counts: { locations: 2, plots: 2, facilities: 0, measured: 1, problems: 0 },
  locationsConfidence: null,
  monitoringStart: '2017-01-01',
  monitoringEnd: '2026-11-21',
};

const FINDING = { verdict: 'low', eudrStatus: 'no_deforestation_found', lossM2: 0, rules: ['perennial-1'] };
const CHANGED = {
  run: 2,
  outcome: 'changed',
  reason: null,
  datasets: [{ dataset: 'alerts', before: null, after: '1' }],
  counts: {
    plots: 2,
    unchanged: 0,
    changed: 1,
    not_measured: 1,
    worse: 0,
    better: 1,
    newly_not_measured: 1,
    only_before: 1,
    only_after: 2,
    only_after_not_cleared: 1,
  },
  changes: [{ plot: 'a', number: 0, direction: 'better', before: FINDING, after: { ...FINDING, lossM2: null } }],
  unmeasured: [{ plot: 'b', number: 1, reasons: ['loss: it did not answer in time'], before: FINDING }],
  newPlots: [{ plot: 'c', number: 2, after: { ...FINDING, verdict: 'high' } }],
} as const;

describe('the webhooks of the OpenAPI document', () => {
  it('describe the events that are sent, and their own examples', () => {
    const sent = [
      createEvent('batch_zonal_stats_complete', batchCompleteData(BATCH, 'https://firstmile.example.org'), new Date(0)),
      createEvent('test_event', { message: 'This is a test event' }, new Date(0)),
      createEvent(
        'batch_failed',
        batchFailedData(BATCH, { status: 'cancelled', code: 'task_cancelled', detail: 'Cancelled.' }),
        new Date(0),
      ),
      createEvent(
        'collection_changed',
        collectionChangedData(BATCH, CHANGED, 'https://firstmile.example.org'),
        new Date(0),
      ),
    ];
    assert.deepEqual(sent.map(({ type }) => type).toSorted(), EVENT_TYPES.toSorted());
    const operations = webhookOperations();
    assert.deepEqual(Object.keys(operations).toSorted(), EVENT_TYPES.toSorted());
    for (const { type, body } of sent) {
      const schema = Compile(eventSchema(type));
      assert.deepEqual([...schema.Errors(JSON.parse(body))], [], type);
      const { post } = operations[type] as {
        post: { requestBody: { content: { 'application/json': { example: unknown } } } };
      };
      assert.deepEqual([...schema.Errors(post.requestBody.content['application/json'].example)], [], type);
    }
  });
});
