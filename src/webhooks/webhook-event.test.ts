import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchCompleteData, batchFailedData, createEvent } from './webhook-event.ts';

describe('the data of batch_zonal_stats_complete', () => {
  const data = batchCompleteData(
    {
      collectionId: 'lot 7&x=é',
      collectionName: "Côte d'Ivoire",
      description: '',
      counts: { locations: 4, plots: 3, facilities: 1, measured: 2, problems: 1 },
      locationsConfidence: 'not processed: geocoding failed',
      monitoringStart: '2017-01-01',
      monitoringEnd: '2026-11-21',
    },
    'https://firstmile.example.org',
  );
  const urls = data['urls'] as Record<string, string>;

  it('has the members and the five addresses of the specification, the EUDR ones with the later start', () => {
    assert.equal(data['collection_name'], "Côte d'Ivoire");
    assert.equal(data['description'], '');
    const starts = Object.entries(urls).map(([key, url]) => [
      key,
      new URL(url).pathname,
      new URL(url).searchParams.get('monitoring_start'),
    ]);
    assert.deepEqual(starts, [
      ['biomass_emissions', '/fetch_biomass_emissions', '2017-01-01'],
      ['biodiversity', '/fetch_biodiversity', '2017-01-01'],
      ['deforestation_check', '/fetch_deforestation_check', '2017-01-01'],
      ['deforestation_check_eudr', '/fetch_deforestation_check', '2020-12-31'],
      ['export_eudr_dds', '/export_eudr_dds', '2020-12-31'],
    ]);
  });

  it('also names the collection, its counts and its stored confidence', () => {
    assert.equal(data['collection_id'], 'lot 7&x=é');
    assert.deepEqual(data['counts'], { locations: 4, plots: 3, facilities: 1, measured: 2, problems: 1 });
    assert.equal(data['locations_confidence'], 'not processed: geocoding failed');
  });

  it('keeps an id whole in each address, and can be sent', () => {
    for (const url of Object.values(urls)) {
      assert.equal(new URL(url).searchParams.get('filename'), 'lot 7&x=é');
      assert.equal(new URL(url).searchParams.get('monitoring_end'), '2026-11-21');
    }
    assert.ok(createEvent('batch_zonal_stats_complete', data, new Date()).body.includes('C\\u00f4te'));
  });
});

describe('the data of batch_failed', () => {
  it('says how the batch ended, why and how far it came, and can be sent', () => {
    const data = batchFailedData(
      {
        collectionId: 'c',
        collectionName: 'lot',
        description: 'd',
        counts: { locations: 2, plots: 2, facilities: 0, measured: 1, problems: 0 },
        locationsConfidence: null,
      },
      { status: 'failed', code: 'malformed_file', detail: 'The file ends early.' },
    );
    const event = createEvent('batch_failed', data, new Date(0));
    assert.equal(
      event.body,
      '{"created_at":"1970-01-01T00:00:00.000Z","data":{"collection_id":"c","collection_name":"lot","counts":{"facilities":0,"locations":2,"measured":1,"plots":2,"problems":0},' +
        '"description":"d","error":{"code":"malformed_file","detail":"The file ends early."},"locations_confidence":null,' +
        `"status":"failed"},"id":"${event.id}","type":"batch_failed"}`,
    );
  });
});
