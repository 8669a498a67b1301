import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testServer } from '../../../test/memory/test-server.ts';

const PAGE = 'https://maps.example.org';
const PREFLIGHT = {
  origin: PAGE,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization',
};
const corsOf = (headers: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('pages of other origins', () => {
  it('are not allowed anything by default', async () => {
    await using server = testServer();
    for (const [method, headers] of [
      ['GET', { origin: PAGE }],
      ['OPTIONS', PREFLIGHT],
    ] as const) {
      const answer = await server.app.inject({ method, url: '/healthz', headers });
      assert.deepEqual(corsOf(answer.headers), []);
      assert.equal(answer.statusCode, method === 'GET' ? 200 : 405);
      assert.doesNotMatch(String(answer.headers['vary'] ?? ''), /origin/);
    }
  });

  it('may call when they are named, without a token for the question whether they may', async () => {
    await using server = testServer({}, { CORS_ORIGINS: `${PAGE},http://localhost:5173` });
    const preflight = await server.app.inject({ method: 'OPTIONS', url: '/validate_facilities', headers: PREFLIGHT });
    assert.equal(preflight.statusCode, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], PAGE);
    assert.match(String(preflight.headers['access-control-allow-methods']), /\bPOST\b.*\bDELETE\b/);
    assert.match(String(preflight.headers['access-control-allow-headers']), /\bauthorization\b.*\bidempotency-key\b/);
    assert.doesNotMatch(String(preflight.headers['access-control-allow-headers']), /internal|x-user/);
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined);
    assert.match(String(preflight.headers['vary']), /\borigin\b/);

    const answer = await server.app.inject({ url: '/healthz', headers: { origin: PAGE } });
    assert.equal(answer.headers['access-control-allow-origin'], PAGE);
    const read = String(answer.headers['access-control-expose-headers']).split(', ');
    for (const name of ['etag', 'location', 'ratelimit-remaining', 'retry-after', 'x-request-id'])
      assert.ok(read.includes(name));
    assert.equal(answer.headers['access-control-allow-credentials'], undefined);
  });

  it('read why they were refused, and what is not there', async () => {
    await using server = testServer({}, { CORS_ORIGINS: PAGE });
    for (const [url, status] of [
      ['/principal', 401],
      ['/nothing-here', 404],
      ['/validate_facility?geometry=x', 401],
    ] as const) {
      const answer = await server.app.inject({ url, headers: { origin: PAGE } });
      assert.equal(answer.statusCode, status);
      assert.equal(answer.headers['access-control-allow-origin'], PAGE);
    }
  });

  it('are not allowed when they are others, which caches are told', async () => {
    await using server = testServer({}, { CORS_ORIGINS: PAGE });
    for (const origin of [
      'https://evil.example',
      'null',
      `${PAGE}.evil.example`,
      `${PAGE}:444`,
      'http://maps.example.org',
      'HTTPS://MAPS.EXAMPLE.ORG',
    ])
      for (const method of ['GET', 'OPTIONS'] as const) {
        const answer = await server.app.inject({ method, url: '/healthz', headers: { ...PREFLIGHT, origin } });
        assert.deepEqual(corsOf(answer.headers), [], origin);
        assert.match(String(answer.headers['vary']), /\borigin\b/);
      }
    const plain = await server.app.inject('/healthz');
    assert.deepEqual(corsOf(plain.headers), []);
    assert.match(String(plain.headers['vary']), /\borigin\b/);
  });
});
