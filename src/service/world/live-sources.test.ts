import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { answer, evidenceOf, never, noData, options, pointAt, riau } from '../../../test/facility-sources.ts';
import { inTurn, json, MISBEHAVIOURS, openLiveSite, type LiveHandler } from '../../../test/live-site.ts';
import { readConfig } from '../../config/settings.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import { validateFacility } from '../../facilities/validate-facility.ts';
import { createLiveState, openLive } from './live-sources.ts';
import { createFacilityService } from '../facilities/facilities.ts';
import { layerSources } from './source-layers.ts';

const site = openLiveSite();
let dataDir = '';
before(async () => void (dataDir = await mkdtemp(join(tmpdir(), 'firstmile-live-'))));
after(() => rm(dataDir, { recursive: true, force: true }));

/** The facility checks over live services at the local site, before data that knows the country and coarse water. */
function checks(env: Readonly<Record<string, string>> = {}) {
  const config = readConfig({
    DATA_DIR: dataDir,
    CHECK_TIMEOUT_MS: '3000',
    OVERPASS_URL: `${site.base}/api/interpreter`,
    GOOGLE_PLACES_KEY: 'k',
    GOOGLE_PLACES_URL: site.base,
    LIVE_CACHE_MB: '0',
    ...env,
  });
  const failures: string[] = [];
  const report = (what: string): void => void failures.push(what);
  const base = noData({ nearestWater: () => answer({ distanceM: 900, name: null, kind: 'sea' }, 'built-in-water') });
  const local = { whereabouts: base.whereabouts, nearestWater: base.nearestWater };
  const layers = [...openLive(config, createLiveState(config)).layers, local];
  const sources: FacilitySources = { ...base, ...layerSources(layers, report), reportFailure: report };
  const rate = async () => {
    const wanted = options({ checkWater: true, checkTimeoutMs: config.checkTimeoutMs });
    return (await validateFacility(riau, wanted, sources, never)).properties;
  };
  return { rate, failures };
}

const road = {
  type: 'way',
  id: 1,
  tags: { highway: 'track' },
  geometry: [
    { lon: 101.44, lat: 0.508 },
    { lon: 101.45, lat: 0.508 },
  ],
};
const overpass = json({ elements: [road] });
const farm = {
  id: 'f',
  displayName: { text: 'Kebun Sawit' },
  location: { latitude: 0.5075, longitude: 101.4478 },
  types: ['farm'],
};
const google = json({ places: [farm] });

const services =
  (map: LiveHandler, places: LiveHandler): LiveHandler =>
  (response, request, count) =>
    (request.url.startsWith('/api/') ? map : places)(response, request, count);

describe('a facility checked with live services', () => {
  it('has evidence that names dataset and day', async () => {
    site.handler = services(overpass, google);
    const result = await checks().rate();
    const seen = result.evidence.map(({ indicator, status, dataset }) => [indicator, status, dataset]);
    assert.deepEqual(
      seen.filter(([, , dataset]) => /overpass|google|built/.test(String(dataset))),
      [
        ['poi_presence', 'present', 'google-places'],
        ['building_presence', 'absent', 'overpass-buildings'],
        ['road_access', 'present', 'overpass-roads'],
        ['water_access', 'present', 'built-in-water'],
      ],
    );
    const evidence = evidenceOf(result, 'road_access');
    assert.match(evidence?.retrieved_at ?? '', /Z$/);
    assert.equal(evidence?.dataset_version, evidence?.retrieved_at?.slice(0, 10));
  });

  for (const name of Object.keys(MISBEHAVIOURS) as (keyof typeof MISBEHAVIOURS)[])
    it(`keeps everything else when Overpass ${name}`, async () => {
      site.handler = services(MISBEHAVIOURS[name], google);
      const { rate, failures } = checks();
      const result = await rate();
      for (const indicator of ['road_access', 'building_presence'] as const) {
        const evidence = evidenceOf(result, indicator);
        assert.deepEqual([evidence?.status, evidence?.value], ['unknown', 0]);
        assert.match(evidence?.detail ?? '', /^Could not look for (roads|buildings): Overpass /);
      }
      assert.equal(evidenceOf(result, 'poi_presence')?.status, 'present');
      const water = evidenceOf(result, 'water_access');
      assert.deepEqual([water?.status, water?.dataset], ['present', 'built-in-water']);
      assert.match(water?.detail ?? '', /Overpass .*, so another dataset answered\.$/);
      assert.ok(result.warnings.some(({ code }) => code === 'source_failed'));
      assert.deepEqual(new Set(failures), new Set(['road_access', 'building_presence', 'nearestWater']));
    });

  for (const name of Object.keys(MISBEHAVIOURS) as (keyof typeof MISBEHAVIOURS)[])
    it(`looks for businesses in Overpass when Google Places ${name}`, async () => {
      site.handler = services(overpass, MISBEHAVIOURS[name]);
      const evidence = evidenceOf(await checks().rate(), 'poi_presence');
      assert.deepEqual([evidence?.status, evidence?.dataset], ['absent', 'overpass-businesses']);
      assert.match(evidence?.detail ?? '', /Google Places .*, so another dataset answered\.$/);
    });

  it('says how old a kept answer is, and why it stands in', async () => {
    site.handler = services(inTurn(overpass), google);
    const kept = { LIVE_CACHE_MB: '10', GOOGLE_PLACES_KEY: '' };
    await checks(kept).rate();
    site.handler = MISBEHAVIOURS['is down'];
    const evidence = evidenceOf(await checks(kept).rate(), 'road_access');
    assert.equal(evidence?.status, 'present');
    assert.match(evidence?.detail ?? '', /This answer was kept from \d seconds? ago\.$/);
  });

  it('is not queried of services that are not set up', async () => {
    const result = await checks({ OVERPASS_URL: '', GOOGLE_PLACES_KEY: '' }).rate();
    assert.equal(site.requests.length, 0);
    assert.match(
      evidenceOf(result, 'road_access')?.detail ?? '',
      /No road dataset covers everything within 1,000 m of this place/,
    );
  });
});

describe('a batch checked with live services', () => {
  it('keeps so many facilities in flight and Overpass at its limit, in order, to the end', async () => {
    let [open, most] = [0, 0];
    site.handler = (response, request, count) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        overpass(response, request, count);
      }, 3);
    };
    const config = readConfig({
      DATA_DIR: dataDir,
      OVERPASS_URL: `${site.base}/api/interpreter`,
      OVERPASS_CONCURRENCY: '3',
      FACILITIES_IN_FLIGHT: '12',
      LIVE_CACHE_MB: '0',
    });
    let [facilities, mostFacilities] = [0, 0];
    const base = noData();
    const live = layerSources([...openLive(config, createLiveState(config)).layers], () => {});
    const sources: FacilitySources = {
      ...base,
      ...live,
      whereabouts: base.whereabouts,
      nearestRoad: async (...question) => {
        mostFacilities = Math.max(mostFacilities, ++facilities);
        try {
          return await live.nearestRoad(...question);
        } finally {
          facilities--;
        }
      },
    };
    const service = createFacilityService({ sources, citation: () => null }, config, 1_000_000);
    const features = Array.from({ length: 60 }, (_, id) => ({ ...pointAt(101 + id / 100, 0.5), id }));
    const bytes = [Buffer.from(JSON.stringify({ type: 'FeatureCollection', features }))];
    const run = service.validateBytes(ReadableStream.from(bytes), options(), never);
    const results = await Array.fromAsync(run.features);
    assert.deepEqual(
      results.map(({ id }) => id),
      features.map(({ id }) => id),
    );
    assert.ok(results.every(({ properties }) => evidenceOf(properties, 'road_access')?.dataset === 'overpass-roads'));
    assert.equal(site.requests.length, 60, 'roads, buildings and businesses of a facility share one query');
    assert.ok(most <= 3, `${most} requests at a time`);
    assert.equal(mostFacilities, 12);
  });

  it('starts every check of a facility before any has its answer', async () => {
    const asked: string[] = [];
    const { promise, resolve } = Promise.withResolvers<null>();
    const wait = (what: string) => () => {
      asked.push(what);
      return promise;
    };
    const sources = noData({
      nearestRoad: wait('road'),
      nearestWater: wait('water'),
      nearestPort: wait('port'),
      buildings: wait('buildings'),
      businesses: wait('businesses'),
      density: wait('density'),
      commodityShare: wait('commodity'),
      producer: wait('producer'),
    });
    const facility = pointAt(101.4478, 0.5071, { name: 'X' });
    const rated = validateFacility(facility, options({ checkWater: true, checkPort: true }), sources, never);
    const all = ['buildings', 'businesses', 'commodity', 'density', 'port', 'producer', 'road', 'water'];
    assert.deepEqual(asked.toSorted(), all);
    resolve(null);
    await rated;
  });
});
