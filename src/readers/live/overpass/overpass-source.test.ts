import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inTurn, json, MISBEHAVIOURS, openLiveSite } from '../../../../test/live-site.ts';
import { geodesicDistanceM } from '../../../geo/ellipsoid.ts';
import { polygonArea } from '../../../geo/rings/polygon-area.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { toShape } from '../../../geo/shapes/to-shape.ts';
import { createUpstream, createUpstreamState } from '../upstream.ts';
import { overpassQuietMs, overpassSources } from './overpass-source.ts';

const site = openLiveSite();
const { signal } = new AbortController();
const [LON, LAT] = [103.17, 3.07];
const radii = { roadM: 1_000, buildingM: 100, businessM: 2_000 };

function opened() {
  const url = `${site.base}/api/interpreter`;
  const upstream = createUpstream({
    name: 'Overpass',
    deadlineMs: 2_000,
    state: createUpstreamState(2),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    quietMs: (inner) => overpassQuietMs('Overpass', url, inner),
    retries: { attempts: 2, wait: () => Promise.resolve() },
  });
  return overpassSources({ upstream, url, timeoutS: 5, radii });
}

function at(lon: number, lat: number): Shape {
  return toShape({ type: 'Point', coordinates: [lon, lat] }).shape as Shape;
}
const here = at(LON, LAT);

type Pair = readonly [east: number, north: number];
/** Positions by degrees away from the facility. */
const line = (pairs: readonly Pair[]) => pairs.map(([east, north]) => ({ lon: LON + east, lat: LAT + north }));
const box = (west: number, south: number, size: number): Pair[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];
const way = (id: number, tags: object, pairs: readonly Pair[]) => ({ type: 'way', id, tags, geometry: line(pairs) });
const answered = (elements: readonly unknown[]) =>
  json({ version: 0.6, osm3s: { timestamp_osm_base: '2026-11-19T10:00:00Z' }, elements });

describe('Overpass', () => {
  it('serves roads, buildings and businesses from one query, each with its dataset and day', async () => {
    site.handler = answered([
      way(1, { highway: 'tertiary', name: 'Jalan Kilang' }, [
        [-0.01, 0.002],
        [0.01, 0.002],
      ]),
      way(2, { highway: 'footway' }, [
        [-0.01, 0.0001],
        [0.01, 0.0001],
      ]),
      way(3, { building: 'industrial' }, box(0.0002, 0.0002, 0.0005)),
      way(4, { building: 'yes' }, box(-0.003, -0.003, 0.0001)),
      { type: 'node', id: 5, lat: LAT, lon: LON + 0.005, tags: { man_made: 'works', name: 'Kilang Sawit Rompin' } },
      { type: 'node', id: 6, lat: LAT, lon: LON + 0.001, tags: { shop: 'hairdresser', name: 'Salon' } },
    ]);
    const sources = opened();
    const [road, buildings, businesses] = await Promise.all([
      sources.nearestRoad(here, 1_000, signal),
      sources.buildings(here, 100, signal),
      sources.businesses('palm', here, 2_000, signal),
    ]);
    assert.equal(site.requests.length, 1);
    assert.deepEqual([road?.value?.kind, road?.value?.name], ['tertiary road', 'Jalan Kilang']);
    assert.ok(Math.abs((road?.value?.distanceM ?? 0) - geodesicDistanceM(LON, LAT, LON, LAT + 0.002)) < 0.02);
    const ring = Float64Array.from(box(0.0002, 0.0002, 0.0005).flatMap(([x, y]) => [LON + x, LAT + y]));
    const { area } = polygonArea([ring]);
    assert.ok(buildings !== null);
    assert.deepEqual([buildings.value.count, buildings.value.largestM2, buildings.value.togetherM2], [1, area, area]);
    assert.equal(buildings.value.industrial, true);
    assert.deepEqual(
      [businesses?.value.count, businesses?.value.nearest?.name, businesses?.value.nearest?.kind],
      [1, 'Kilang Sawit Rompin', 'works'],
    );
    const { id, version, retrievedAt } = road?.dataset ?? {};
    assert.deepEqual([id, version], ['overpass-roads', '2026-11-19']);
    assert.match(retrievedAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('joins the pieces of a multipolygon and takes its courtyard off', async () => {
    const members = [
      {
        type: 'way',
        ref: 1,
        role: 'outer',
        geometry: line([
          [0, 0],
          [0.0008, 0],
          [0.0008, 0.0008],
        ]),
      },
      {
        type: 'way',
        ref: 2,
        role: 'outer',
        geometry: line([
          [0, 0],
          [0, 0.0008],
          [0.0008, 0.0008],
        ]),
      },
      { type: 'way', ref: 3, role: 'inner', geometry: line(box(0.0002, 0.0002, 0.0002)) },
      { type: 'way', ref: 4, role: 'outer' },
    ];
    site.handler = answered([{ type: 'relation', id: 9, tags: { building: 'yes', type: 'multipolygon' }, members }]);
    const found = await opened().buildings(here, 100, signal);
    const area = (west: number, size: number): number =>
      polygonArea([Float64Array.from(box(west, west, size).flatMap(([x, y]) => [LON + x, LAT + y]))]).area;
    assert.ok(Math.abs((found?.value.largestM2 ?? 0) - (area(0, 0.0008) - area(0.0002, 0.0002))) < 0.01);
  });

  it('finds the nearest water in geometry that was cut, and leaves none to data that holds whole seas', async () => {
    site.handler = answered([
      {
        type: 'way',
        id: 1,
        tags: { waterway: 'river', name: 'Rompin' },
        geometry: [
          null,
          ...line([
            [0.01, -1],
            [0.01, 1],
          ]),
          null,
        ],
      },
      way(2, { natural: 'water', water: 'pond' }, box(0.02, 0.02, 0.001)),
    ]);
    const river = await opened().nearestWater(here, 5_000, signal);
    assert.deepEqual([river?.value?.kind, river?.value?.name], ['river', 'Rompin']);
    assert.ok(Math.abs((river?.value?.distanceM ?? 0) - geodesicDistanceM(LON, LAT, LON + 0.01, LAT)) < 0.5);
    site.handler = answered([]);
    assert.equal(await opened().nearestWater(here, 5_000, signal), null);
  });

  it('finds nothing where there is nothing: absent, not unknown', async () => {
    site.handler = answered([]);
    const found = await opened().nearestRoad(here, 1_000, signal);
    assert.deepEqual([found?.value, found?.dataset.id], [null, 'overpass-roads']);
  });

  it('queries both sides of the antimeridian', async () => {
    site.handler = answered([]);
    await opened().nearestRoad(at(179.999, -16), 1_000, signal);
    const query = decodeURIComponent(site.requests[0].body);
    assert.match(query, /\(-16\.0\d+,179\.9\d+,-15\.9\d+,180\.0000\)/);
    assert.match(query, /\(-16\.0\d+,-180\.0000,-15\.9\d+,-179\.9\d+\)/);
    assert.match(query, /out geom qt;$/);
  });

  it('is not queried for facilities the size of a district', async () => {
    const ring = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ];
    const wide = toShape({ type: 'Polygon', coordinates: [ring] }).shape as Shape;
    await assert.rejects(opened().nearestRoad(wide, 1_000, signal) as Promise<unknown>, /this one spans 1\.00/);
    assert.equal(site.requests.length, 0);
  });
});

describe('Overpass that gives up half-way with status 200', () => {
  const remarks = [
    ['runtime error: Query timed out in "query" at line 1 after 6 seconds.', /gave up the query after its time limit/],
    ['runtime error: Query run out of memory using about 2048 MB of RAM.', /gave up the query for lack of memory/],
    ['something else', /gave up the query with an error/],
  ] as const;
  for (const [remark, wanted] of remarks)
    it(`is a failure, not an absence: ${remark}`, async () => {
      const elements = [
        way(1, { highway: 'track' }, [
          [0, 0.001],
          [0.01, 0.001],
        ]),
      ];
      site.handler = json({ elements, remark });
      await assert.rejects(opened().nearestRoad(here, 1_000, signal) as Promise<unknown>, wanted);
    });
});

describe('Overpass that requires fewer requests', () => {
  const status =
    (text: string): typeof site.handler =>
    (response, request) =>
      request.url === '/api/status' ? response.end(text) : json({}, 429)(response, request, 0);

  it('is queried for its status, and left alone as long as that says', async () => {
    site.handler = status('Rate limit: 2\nSlot available after: 2026-11-21T15:00:00Z, in 968 seconds.\n');
    const sources = opened();
    await assert.rejects(sources.nearestRoad(here, 1_000, signal) as Promise<unknown>, /status 429/);
    await assert.rejects(sources.nearestWater(here, 5_000, signal) as Promise<unknown>, /left alone for 968 s/);
    assert.deepEqual(
      site.requests.map(({ url }) => url),
      ['/api/interpreter', '/api/status'],
    );
  });

  it('is queried again when a place is free after all', async () => {
    site.handler = inTurn(json({}, 429), (response) => response.end('2 slots available now.'), answered([]));
    assert.equal((await opened().nearestRoad(here, 1_000, signal))?.value, null);
  });

  it('stays a failure when its status fails too', async () => {
    site.handler = inTurn(json({}, 429), MISBEHAVIOURS['is down']);
    await assert.rejects(opened().nearestRoad(here, 1_000, signal) as Promise<unknown>, /status/);
  });
});
