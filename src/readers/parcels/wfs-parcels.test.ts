import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { inTurn, json, MISBEHAVIOURS, openLiveSite, type LiveHandler } from '../../../test/live-site.ts';
import { Problem } from '../../errors.ts';
import type { ParcelsAt } from '../../parcels/parcel.ts';
import { openDiskCache } from '../io/disk-cache-folder.ts';
import { createAnswerCache } from '../live/answer-cache.ts';
import { createUpstream, createUpstreamState, type UpstreamOptions } from '../live/upstream.ts';
import { parcelMapBc } from './parcelmap-bc.ts';
import { MOST_WFS_PARCELS } from './parcel-options.ts';
import { wfsParcels } from './wfs-parcels.ts';
import { runs } from '../../../test/property-runs.ts';

const site = openLiveSite();
const VICTORIA = [-123.365, 48.428] as const;
/** The same in EPSG:3005, by gdaltransform. */
const ALBERS = [1_195_374.021, 382_769.37] as const;

function opened(over: Partial<UpstreamOptions> = {}, url = `${site.base}/wfs`) {
  const upstream = createUpstream({
    name: 'ParcelMap BC',
    deadlineMs: 2_000,
    state: createUpstreamState(4),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    retries: { attempts: 1 },
    ...over,
  });
  return wfsParcels(parcelMapBc(url), { upstream, url });
}

function near(source = opened(), at: readonly [number, number] = VICTORIA): Promise<ParcelsAt> {
  return source.near(at[0], at[1], new AbortController().signal);
}

/** A square parcel around a place, as GeoServer writes it. */
function feature(id: number, [lon, lat]: readonly [number, number] = VICTORIA, half = 0.000_3) {
  const ring = [
    [lon - half, lat - half],
    [lon + half, lat - half],
    [lon + half, lat + half],
    [lon - half, lat + half],
    [lon - half, lat - half],
  ];
  return {
    type: 'Feature',
    id: `WHSE_CADASTRE.PMBC_PARCEL_FABRIC_POLY_SVW.${id}`,
    geometry: { type: 'Polygon', coordinates: [ring] },
    properties: { PARCEL_FABRIC_POLY_ID: id, PID: '001234567', OWNER_TYPE: 'Private', PLAN_NUMBER: null },
  };
}
const collection = (features: readonly unknown[], more: object = {}) => ({
  type: 'FeatureCollection',
  features,
  numberMatched: features.length,
  numberReturned: features.length,
  ...more,
});
const text =
  (body: string, type = 'application/xml'): LiveHandler =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };

describe('parcels of a live WFS', () => {
  it('are requested in a box of a metre around the point, in the CRS of the layer, in a fixed order', async () => {
    site.handler = json(collection([feature(7)]));
    const { parcels, isCut, version } = await near(opened({}, `${site.base}/wfs?map=a`));
    assert.deepEqual(
      parcels.map(({ id, attributes }) => [id, attributes['PID']]),
      [['7', '001234567']],
    );
    assert.deepEqual([isCut, version?.length], [false, 10]);
    const query = new URL(site.requests[0].url, site.base).searchParams;
    const [west, south, east, north, crs] = (query.get('bbox') ?? '').split(',');
    assert.ok(Math.abs((Number(west) + Number(east)) / 2 - ALBERS[0]) < 0.01, query.get('bbox') ?? '');
    assert.ok(Math.abs((Number(south) + Number(north)) / 2 - ALBERS[1]) < 0.01);
    assert.deepEqual([Number(east) - Number(west), crs].map(String), ['1', 'EPSG:3005']);
    query.delete('bbox');
    assert.deepEqual(Object.fromEntries(query), {
      map: 'a',
      service: 'WFS',
      version: '2.0.0',
      request: 'GetFeature',
      outputFormat: 'application/json',
      srsName: 'EPSG:4326',
      typeNames: 'pub:WHSE_CADASTRE.PMBC_PARCEL_FABRIC_POLY_SVW',
      sortBy: 'PARCEL_FABRIC_POLY_ID',
      count: String(MOST_WFS_PARCELS + 1),
    });
  });

  it('are none where the service has none', async () => {
    site.handler = json(collection([]));
    assert.deepEqual((await near()).parcels, []);
  });

  it('cover British Columbia and neither Alberta, Washington nor Alaska', () => {
    const { covers } = opened();
    const inside = [VICTORIA, [-123.12, 49.28], [-122.75, 53.92], [-130.32, 54.31], [-116.8, 49.5], [-133.69, 59.57]];
    const outside = [
      [-114.07, 51.05],
      [-118.08, 52.87],
      [-122.33, 47.61],
      [-134.42, 58.3],
      [-135.06, 60.72],
      [10, 50],
    ];
    for (const [lon, lat] of inside) assert.ok(covers(lon, lat), `${lon}, ${lat}`);
    for (const [lon, lat] of outside) assert.ok(!covers(lon, lat), `${lon}, ${lat}`);
  });

  for (const name of Object.keys(MISBEHAVIOURS) as (keyof typeof MISBEHAVIOURS)[])
    it(`fail in words for clients when the service ${name}`, async () => {
      site.handler = MISBEHAVIOURS[name];
      const asked = near(opened({ deadlineMs: 300, maxBytes: 100_000 }));
      await assert.rejects(
        asked,
        (error: Error) => error instanceof Problem && error.message.startsWith('ParcelMap BC '),
      );
    });

  const exceptions: Readonly<Record<string, LiveHandler>> = {
    'an ExceptionReport of OWS': text(
      '<?xml version="1.0"?><ows:ExceptionReport version="2.0.0"><ows:Exception exceptionCode="NoApplicableCode"><ows:ExceptionText>java.lang.OutOfMemoryError at db-host-17</ows:ExceptionText></ows:Exception></ows:ExceptionReport>',
    ),
    'a ServiceExceptionReport': text(
      '<ServiceExceptionReport><ServiceException>ORA-01017 db-host-17</ServiceException></ServiceExceptionReport>',
    ),
    'an exception as JSON': json({ version: '2.0.0', exceptions: [{ code: 'x', text: 'db-host-17' }] }),
  };
  for (const [name, handler] of Object.entries(exceptions))
    it(`take ${name} inside status 200 for a failure, and keep its words to themselves`, async () => {
      site.handler = handler;
      await assert.rejects(near(), (error: Error) => {
        assert.equal(error.message, 'ParcelMap BC answered with an error in place of parcels');
        return true;
      });
    });

  it('of another place are refused: the service took the coordinates for something else', async () => {
    site.handler = json(collection([feature(1, [VICTORIA[1], VICTORIA[0] / 2])]));
    await assert.rejects(near(), /answered with parcels of another place/);
  });

  it('are cut at a bound, and say so', async () => {
    const many = Array.from({ length: MOST_WFS_PARCELS + 1 }, (_, i) => feature(i));
    site.handler = json(collection(many));
    const { parcels, isCut } = await near();
    assert.deepEqual([parcels.length, isCut], [MOST_WFS_PARCELS, true]);
    site.handler = json(collection([feature(1)], { numberMatched: 5_000 }));
    assert.equal((await near()).isCut, true);
    site.handler = json(collection([feature(1)], { numberMatched: 'unknown' }));
    assert.equal((await near()).isCut, false);
  });

  it('are tried again after a failure that may pass, as long as Retry-After requires', async () => {
    site.handler = inTurn(json({}, 503), json({}, 429, { 'retry-after': '1' }), json(collection([feature(1)])));
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    const { parcels } = await near(opened({ retries: { attempts: 4, baseMs: 1, wait } }));
    assert.deepEqual([parcels.length, site.requests.length], [1, 3]);
    assert.ok(waits[0] <= 1 && waits[1] >= 1_000, String(waits));
  });

  it('are no longer requested after five failures in a row, until a while has passed', async () => {
    let now = 0;
    const source = opened({ now: () => now, breaker: { openMs: 30_000 } });
    site.handler = json({}, 500);
    for (let i = 0; i < 5; i++) await assert.rejects(near(source, [-123 - i / 10, 49.2]), /status 500/);
    await assert.rejects(near(source, [-122, 49.2]), /failed before and is left alone/);
    assert.equal(site.requests.length, 5);
    now = 30_001;
    site.handler = json(collection([feature(1)]));
    assert.equal((await near(source)).parcels.length, 1);
  });

  it('are kept, and stand in with their age when the service fails', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-wfs-'));
    try {
      const cache = createAnswerCache(await openDiskCache(folder, { maxBytes: 1e6 }));
      let now = Date.UTC(2026, 10, 21);
      const source = opened({ cache, freshMs: 86_400_000, staleMs: 30 * 86_400_000, now: () => now });
      site.handler = inTurn(json(collection([feature(1)])), json({}, 500));
      await near(source);
      assert.equal((await near(source)).version, '2026-11-21');
      assert.equal(site.requests.length, 1);
      now += 3 * 86_400_000;
      const { parcels, note, version } = await near(source);
      assert.deepEqual([parcels.length, version], [1, '2026-11-21']);
      assert.match(note ?? '', /kept from 3 days ago, because ParcelMap BC answered with status 500/);
      now += 30 * 86_400_000;
      await assert.rejects(near(source), /status 500/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are parcels or a failure in words for clients, whatever the service sends', async () => {
    const some = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.oneof({ weight: 4, arbitrary: right }, fc.jsonValue());
    const number = some(fc.constantFrom(-123.365, 48.428, -123.366, 48.429, 0, 1e9));
    const ring = some(fc.array(some(fc.array(number, { maxLength: 3 })), { maxLength: 6 }));
    const geometry = some(
      fc.record({
        type: some(fc.constantFrom('Polygon', 'MultiPolygon', 'Point', 'GeometryCollection')),
        coordinates: some(fc.array(some(fc.array(ring, { maxLength: 3 })), { maxLength: 3 })),
      }),
    );
    const item = some(
      fc.record({
        type: some(fc.constant('Feature')),
        id: some(fc.constant('a.1')),
        geometry,
        properties: some(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })),
      }),
    );
    const body = some(
      fc.record({
        type: some(fc.constant('FeatureCollection')),
        features: some(fc.array(some(fc.oneof(item, fc.constant(feature(1)))), { maxLength: 4 })),
        numberMatched: some(fc.constantFrom(0, 1, 5)),
      }),
    );
    const source = opened({ breaker: { failures: 1_000_000 } });
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        site.handler = json(value);
        try {
          const { parcels } = await near(source);
          for (const { id, polygons, attributes } of parcels) {
            assert.ok(id.length > 0 && typeof attributes === 'object');
            for (const vertices of polygons.flat()) assert.ok(vertices.length >= 8 && vertices.every(Number.isFinite));
          }
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
