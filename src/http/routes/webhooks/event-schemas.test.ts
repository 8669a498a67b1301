import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { batchCompleteData, batchFailedData, createEvent, EVENT_TYPES } from '../../../webhooks/webhook-event.ts';
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
