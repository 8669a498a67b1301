import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { anything, assert as check, property } from 'fast-check';
import type { GeocodeQuery } from '../../locations/sources.ts';
import { createUpstream, createUpstreamState } from '../live/upstream.ts';
import { createPace, liveGeocoder } from './live-geocoder.ts';
import { GOOGLE, NOMINATIM, PELIAS, PHOTON } from './geocoder-services.ts';

const QUERY: GeocodeQuery = {
  address: 'Jalan Raya 1, Duri',
  locality: null,
  admin1: 'Riau',
  country: 'ID',
  name: 'Mill',
};
const never = new AbortController().signal;

/** Bodies as the documentation of each service shows them. */
const BODIES = {
  nominatim: [
    {
      lat: '1.27',
      lon: '101.2',
      place_rank: 16,
      importance: 0.4,
      display_name: 'Duri, Riau, Indonesia',
      address: { country_code: 'id', state: 'Riau' },
    },
  ],
  photon: {
    features: [
      {
        geometry: { type: 'Point', coordinates: [101.2, 1.27] },
        properties: { type: 'city', name: 'Duri', state: 'Riau', countrycode: 'ID' },
      },
    ],
  },
  pelias: {
    features: [
      {
        geometry: { type: 'Point', coordinates: [101.2, 1.27] },
        properties: {
          layer: 'locality',
          confidence: 0.9,
          label: 'Duri, Riau, Indonesia',
          country_code: 'ID',
          region: 'Riau',
        },
      },
    ],
  },
  'google-geocoding': {
    status: 'OK',
    results: [
      {
        geometry: { location: { lat: 1.27, lng: 101.2 }, location_type: 'APPROXIMATE' },
        types: ['locality', 'political'],
        formatted_address: 'Duri, Riau, Indonesia',
        address_components: [
          { short_name: 'ID', long_name: 'Indonesia', types: ['country'] },
          { short_name: 'Riau', long_name: 'Riau', types: ['administrative_area_level_1'] },
        ],
      },
    ],
  },
};

async function withServer<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function geocoder(service: typeof NOMINATIM, url: string) {
  const upstream = createUpstream({
    name: service.name,
    deadlineMs: 1_000,
    state: createUpstreamState(1),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    retries: { attempts: 1 },
  });
  return liveGeocoder({ service, upstream, url, key: 'secret', isKept: async () => false, pace: async () => {} });
}

describe('a geocoder', () => {
  for (const service of [NOMINATIM, PHOTON, PELIAS, GOOGLE])
    test(`${service.name} is queried in its own words and understood`, async () => {
      let asked = '';
      const answer = await withServer(
        (request, response) => {
          asked = decodeURIComponent((request.url ?? '').replaceAll('+', ' '));
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify(BODIES[service.id as keyof typeof BODIES]));
        },
        (url) => geocoder(service, url).query(QUERY, never),
      );
      assert.match(asked, /Jalan Raya 1, Duri, Riau/);
      assert.deepEqual(
        [answer?.at, answer?.precision, answer?.country, answer?.admin1, answer?.provider],
        [[101.2, 1.27], 'locality', 'ID', 'Riau', service.name],
      );
    });

  test('that answers with an error, half an answer or none becomes a problem or nothing', async () => {
    const cases: [typeof NOMINATIM, number, string, 'null' | 'fails'][] = [
      [NOMINATIM, 200, '[]', 'null'],
      [PHOTON, 200, '{"features":[]}', 'null'],
      [GOOGLE, 200, '{"status":"ZERO_RESULTS","results":[]}', 'null'],
      [GOOGLE, 200, '{"status":"REQUEST_DENIED","error_message":"bad key"}', 'fails'],
      [NOMINATIM, 200, '[{"lat":"x"}]', 'fails'],
      [NOMINATIM, 200, '{"error":', 'fails'],
      [PELIAS, 500, 'oops', 'fails'],
    ];
    for (const [service, status, body, wanted] of cases)
      await withServer(
        (_request, response) => response.writeHead(status).end(body),
        async (url) => {
          const pending = geocoder(service, url).query(QUERY, never);
          if (wanted === 'null') assert.equal(await pending, null);
          else
            await assert.rejects(
              pending,
              (error: Error) => error.name === 'Problem' && !error.message.includes('secret'),
            );
        },
      );
  });

  test('reads any JSON at all as a place, nothing or an error', () => {
    check(
      property(anything(), (body) => {
        for (const service of [NOMINATIM, PHOTON, PELIAS, GOOGLE]) {
          try {
            service.read(body, QUERY);
          } catch (error) {
            assert.ok(error instanceof Error);
          }
        }
      }),
    );
  });
});

test('requests keep their distance over everybody who shares the cell', async () => {
  const cells = new BigInt64Array(new SharedArrayBuffer(16));
  let clock = 1_000;
  const paces = [createPace(cells, 1, 40, () => clock), createPace(cells, 1, 40, () => clock)];
  await paces[0](never);
  assert.equal(cells[1], 1_040n);
  const second = paces[1](never);
  assert.equal(cells[1], 1_080n);
  clock += 40;
  await second;
  await assert.rejects(paces[0](AbortSignal.abort()), { name: 'AbortError' });
});
