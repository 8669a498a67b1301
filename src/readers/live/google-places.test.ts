import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { json, MISBEHAVIOURS, openLiveSite, type LiveHandler } from '../../../test/live-site.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { googlePlaces } from './google-places.ts';
import { createUpstream, createUpstreamState } from './upstream.ts';

const site = openLiveSite();
const { signal } = new AbortController();
const here = toShape({ type: 'Point', coordinates: [103.17, 3.07] }).shape as Shape;

function opened() {
  const upstream = createUpstream({
    name: 'Google Places',
    deadlineMs: 2_000,
    state: createUpstreamState(4),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    retries: { attempts: 1 },
  });
  return googlePlaces({ upstream, key: 'the-key', url: site.base });
}

function place(id: string, name: string, east: number, types: readonly string[], more: object = {}) {
  return { id, displayName: { text: name }, location: { latitude: 3.07, longitude: 103.17 + east }, types, ...more };
}

const searches =
  (nearby: LiveHandler, text: LiveHandler): LiveHandler =>
  (response, request, count) =>
    (request.url.endsWith(':searchNearby') ? nearby : text)(response, request, count);

describe('Google Places', () => {
  it('counts the relevant businesses of both searches once, within the distance, without closed ones', async () => {
    const mill = place('m', 'Kilang Kelapa Sawit Rompin', 0.004, ['establishment'], { primaryType: 'manufacturer' });
    site.handler = searches(
      json({
        places: [mill, place('f', 'Ladang Sawit', 0.001, ['farm']), place('far', 'Ladang Sawit Jauh', 0.004, ['farm'])],
      }),
      json({
        places: [
          mill,
          place('h', 'Palm Hotel', 0.0001, ['hotel']),
          place('c', 'Palm Oil Mill', 0.0001, [], { businessStatus: 'CLOSED_PERMANENTLY' }),
        ],
      }),
    );
    const found = await opened().businesses('palm', here, 2_000, signal);
    assert.deepEqual(
      [found?.value.count, found?.value.nearest?.name, found?.value.nearest?.kind],
      [2, 'Ladang Sawit', 'farm'],
    );
    assert.deepEqual([found?.dataset.id, found?.dataset.note], ['google-places', undefined]);
  });

  it('queries with key and field mask, in a circle, by type and by the word of the commodity', async () => {
    site.handler = json({});
    assert.equal((await opened().businesses('coffee', here, 2_000, signal))?.value.count, 0);
    const [nearby, text] = site.requests.toSorted((a, b) => (a.url < b.url ? -1 : 1));
    for (const { headers } of [nearby, text]) {
      assert.equal(headers['x-goog-api-key'], 'the-key');
      assert.match(String(headers['x-goog-fieldmask']), /^places\.id,places\.displayName,places\.location,/);
    }
    assert.deepEqual(JSON.parse(nearby.body), {
      includedTypes: ['farm', 'ranch', 'wholesaler'],
      maxResultCount: 20,
      rankPreference: 'DISTANCE',
      locationRestriction: { circle: { center: { latitude: 3.07, longitude: 103.17 }, radius: 2000 } },
    });
    assert.equal((JSON.parse(text.body) as { textQuery: string }).textQuery, 'coffee mill');
  });

  it('is found by one search when the other fails, and says that there may be more', async () => {
    site.handler = searches(json({ places: [place('f', 'Ladang Sawit', 0.001, ['farm'])] }), json({}, 429));
    const found = await opened().businesses('palm', here, 2_000, signal);
    assert.equal(found?.value.count, 1);
    assert.match(found?.dataset.note ?? '', /There may be more: Google Places answered with status 429/);
  });

  it('is unknown, not absent, when one search fails and the other finds nothing', async () => {
    site.handler = searches(json({}), MISBEHAVIOURS['asks for fewer requests']);
    await assert.rejects(opened().businesses('palm', here, 2_000, signal) as Promise<unknown>, /status 429/);
  });

  for (const body of [
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'for project 1234' } },
    { error: {} },
  ])
    it(`takes ${JSON.stringify(body)} inside status 200 for a failure`, async () => {
      site.handler = json(body);
      const asked = opened().businesses('palm', here, 2_000, signal) as Promise<unknown>;
      await assert.rejects(
        asked,
        (error: Error) => /Google Places answered with/.test(error.message) && !/1234/.test(error.message),
      );
    });
});
