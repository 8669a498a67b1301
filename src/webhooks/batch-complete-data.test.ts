import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchCompleteData } from './batch-complete-data.ts';
import { createEvent } from './webhook-event.ts';

describe('the data of batch_zonal_stats_complete', () => {
  const data = batchCompleteData(
    {
      collectionId: 'lot 7&x=é',
      collectionName: "Côte d'Ivoire",
      description: '',
      monitoringStart: '2017-01-01',
      monitoringEnd: '2026-11-21',
    },
    'https://firstmile.example.org',
  );
  const urls = data['urls'] as Record<string, string>;

  it('has the members and the five addresses of the specification, the EUDR ones with the later start', () => {
    assert.deepEqual(Object.keys(data), ['collection_name', 'description', 'urls']);
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

  it('keeps an id whole in each address, and can be sent', () => {
    for (const url of Object.values(urls)) {
      assert.equal(new URL(url).searchParams.get('filename'), 'lot 7&x=é');
      assert.equal(new URL(url).searchParams.get('monitoring_end'), '2026-11-21');
    }
    assert.ok(createEvent('batch_zonal_stats_complete', data, new Date()).body.includes('C\\u00f4te'));
  });
});
