import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { importOsmPack } from '../../src/service/datasets/import-osm.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { runs } from '../property-runs.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Evidence {
  readonly indicator: string;
  readonly status: string;
  readonly dataset: string | null;
  readonly dataset_version: string | null;
  readonly distance_m?: number;
  readonly synthetic?: true;
  readonly detail: string;
}

interface Result {
  readonly type: string;
  readonly id?: string | number;
  readonly properties: {
    readonly evidence: readonly Evidence[];
    readonly warnings: readonly { readonly code: string }[];
  };
}

const COUNT = runs(10_000, 2_000);

describe('facilities next to regional packs', needsSharedData('osm/duitama_co.osm.pbf'), () => {
  let dataDir: string;
  let service: RunningProcess;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'packs-service-'));
    for (const id of ['duitama_co', 'legazpi_ph']) {
      const path = join(SHARED_DATA, `osm/${id}.osm.pbf`);
      await importOsmPack(
        { dataDir },
        { path, id, coverage: null, onProgress: () => {} },
        new AbortController().signal,
      );
    }
    service = await runService({ dataDir });
  });
  after(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('find roads, buildings and businesses of a cattle place in Duitama, its country in built-in data', async () => {
    const [{ properties }] = await rate([[-73.0316, 5.8265]], 'cattle');
    const near = byIndicator(properties.evidence);
    assert.equal(near['country'].dataset, 'osm-countries-land');
    const [slaughterhouse] = await rate([[-73.0225, 5.812]], 'cattle');
    const found: typeof near = {
      ...near,
      poi_presence: byIndicator(slaughterhouse.properties.evidence)['poi_presence'],
    };
    assert.match(found['poi_presence'].detail, /the nearest is Matadero Duitama \(slaughterhouse\)/);
    for (const [indicator, theme] of [
      ['road_access', 'roads'],
      ['building_presence', 'buildings'],
      ['poi_presence', 'businesses'],
    ]) {
      assert.equal(found[indicator].status, 'present', indicator);
      assert.equal(found[indicator].dataset, `duitama_co-${theme}`);
      assert.match(found[indicator].dataset_version ?? '', /^2021-09-21-[0-9a-f]{8}$/);
      assert.equal(typeof found[indicator].distance_m, 'number');
      assert.equal('synthetic' in found[indicator], false);
    }
  });

  it('find water and the port in the port of Legazpi', async () => {
    const found = byIndicator((await rate([[123.7566, 13.1453]], 'coffee'))[0].properties.evidence);
    assert.deepEqual([found['port_proximity'].status, found['port_proximity'].distance_m], ['present', 0]);
    assert.match(found['port_proximity'].detail, /Port of Legazpi City/);
    assert.deepEqual([found['water_access'].status, found['water_access'].dataset], ['present', 'legazpi_ph-water']);
    assert.equal(found['building_presence'].status, 'present');
  });

  it('say of a place at sea that it is one, and know nothing of roads there', async () => {
    const [{ properties }] = await rate([[123.95, 12.9]], 'coffee');
    assert.ok(properties.warnings.some(({ code }) => code === 'off_land'));
    const found = byIndicator(properties.evidence);
    for (const indicator of ['road_access', 'building_presence', 'poi_presence'])
      assert.equal(found[indicator].status, 'unknown');
    assert.equal(found['water_access'].distance_m, 0);
  });

  it('find the nearest port for a place beyond the ground of the pack that knows it, and say so', async () => {
    const found = byIndicator((await rate([[123.66, 13.15]], 'coffee'))[0].properties.evidence);
    assert.equal(found['road_access'].status, 'unknown');
    assert.deepEqual(
      [found['port_proximity'].status, found['port_proximity'].dataset],
      ['present', 'legazpi_ph-ports'],
    );
    assert.equal(found['port_proximity'].distance_m, 10_431);
    assert.match(found['port_proximity'].detail, /outside the coverage of this dataset/);
  });

  it('show every indicator of the sample district, and that it is synthetic', async () => {
    const mill = { facility_name: 'Kilang Sawit Contoh' };
    const [{ properties }] = await rate([[102.6124, 4.5821]], 'palm', mill);
    const found = byIndicator(properties.evidence);
    for (const indicator of [
      'commodity_presence',
      'road_access',
      'building_presence',
      'poi_presence',
      'water_access',
      'port_proximity',
      'producer_confirmation',
    ]) {
      assert.equal(found[indicator].status, 'present', indicator);
      assert.equal(found[indicator].synthetic, true, indicator);
    }
    assert.deepEqual([found['high_density'].status, found['high_density'].synthetic], ['absent', true]);
    assert.match(found['producer_confirmation'].detail, /Sample district registry \(synthetic\)/);
  });

  it('say nothing of producers around the sample district by its made-up registry', async () => {
    const found = byIndicator(
      (await rate([[102.66, 4.6]], 'palm', { facility_name: 'Any Mill' }))[0].properties.evidence,
    );
    assert.deepEqual(
      [found['producer_confirmation'].status, found['producer_confirmation'].dataset],
      ['unknown', null],
    );
  });

  it(`stream ${COUNT} answers to the end with all checks, in order`, async () => {
    const random = seededRandom(8);
    const places = Array.from({ length: COUNT }, () => [-73.07 + random() * 0.08, 5.785 + random() * 0.05] as const);
    const results = await rate(places, 'coffee');
    assert.deepEqual(
      results.map(({ id }) => id),
      places.map((_, i) => i),
    );
    const known = { road_access: 0, water_access: 0, building_presence: 0, poi_presence: 0 };
    for (const { properties } of results) {
      assert.equal(properties.evidence.length, 10);
      const found = byIndicator(properties.evidence);
      for (const name of Object.keys(known) as (keyof typeof known)[])
        if (found[name].status !== 'unknown') known[name]++;
    }
    const [roads, water, buildings, businesses] = Object.values(known).map((count) => count / COUNT);
    assert.ok(roads > 0.99 && water > 0.95, JSON.stringify(known));
    // Around the town are hills where nothing is drawn.
    assert.ok(buildings > 0.8 && businesses > 0.4, JSON.stringify(known));
  });

  async function rate(
    places: readonly (readonly number[])[],
    commodity: string,
    properties: object = {},
  ): Promise<readonly Result[]> {
    const features = places.map((coordinates, id) => ({
      type: 'Feature',
      id,
      properties,
      geometry: { type: 'Point', coordinates },
    }));
    const form = new FormData();
    form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'places.geojson');
    form.set('commodity_type', commodity);
    form.set('check_water_access', 'true');
    form.set('check_port_proximity', 'true');
    const answer = await service.fetch('/validate_facilities', {
      method: 'POST',
      body: form,
      headers: { accept: 'application/x-ndjson' },
    });
    assert.equal(answer.status, 200);
    const lines = (await answer.text()).trimEnd().split('\n');
    assert.equal(lines.length, places.length + 1);
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Result);
  }
});

function byIndicator(evidence: readonly Evidence[]): Readonly<Record<string, Evidence>> {
  return Object.fromEntries(evidence.map((entry) => [entry.indicator, entry]));
}
