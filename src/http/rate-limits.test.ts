import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTERNAL_KEY, testServer } from '../../test/memory/test-server.ts';
import { createToken } from '../auth/tokens.ts';

describe('the rate limit', () => {
  it('counts down in headers on every answer and ends in 429 with Retry-After', async () => {
    let now = 1_000_000;
    await using server = testServer({ clock: () => now }, { RATE_LIMIT: '3/min,4/h' });
    const { authorization } = await server.login();
    const ask = (url = '/tasks') => server.app.inject({ url, headers: { authorization } });
    const first = await ask();
    assert.equal(first.headers['ratelimit-limit'], '3');
    assert.equal(first.headers['ratelimit-remaining'], '2');
    assert.equal(first.headers['ratelimit-reset'], '60');
    assert.equal(first.headers['ratelimit-policy'], '"minute";q=3;w=60, "hour";q=4;w=3600');
    assert.equal(first.headers['ratelimit'], '"minute";r=2;t=60');
    assert.equal((await ask('/tasks/unknown')).headers['ratelimit-remaining'], '1', 'also on an error');
    await ask();
    now += 10_500;
    const refused = await ask();
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '50');
    assert.equal(refused.json<{ code: string }>().code, 'rate_limited');
    now += 49_500;
    const again = await ask();
    assert.equal(again.statusCode, 200);
    assert.equal(again.headers['ratelimit-limit'], '4', 'the hour is nearer to its end now');
    assert.equal(again.headers['ratelimit-remaining'], '0');
    assert.equal((await ask()).statusCode, 429);
    assert.match((await server.app.inject('/metrics')).body, /^firstmile_rate_limited_total 2$/m);
  });

  it('is one for each principal, and none for the internal key and public routes', async () => {
    await using server = testServer({}, { RATE_LIMIT: '1/min,100/h' });
    for (let i = 0; i < 3; i++)
      assert.equal(
        (await server.app.inject({ url: '/tasks', headers: { authorization: (await server.login()).authorization } }))
          .statusCode,
        200,
      );
    for (let i = 0; i < 5; i++) {
      const internal = await server.app.inject({
        url: '/tasks',
        headers: { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': 'ana' },
      });
      assert.equal(internal.statusCode, 200);
      assert.equal(internal.headers['ratelimit-limit'], undefined);
      assert.equal((await server.app.inject('/limits')).statusCode, 200);
    }
  });

  it('can be switched off', async () => {
    await using server = testServer();
    const { authorization } = await server.login();
    assert.equal(
      (await server.app.inject({ url: '/tasks', headers: { authorization } })).headers['ratelimit-limit'],
      undefined,
    );
  });

  it('knows a client behind a proxy by what the proxy wrote, not by its own word', async () => {
    await using server = testServer({}, { TRUST_PROXY: 'on' });
    const guess = (forwarded: string) =>
      server.app.inject({ url: '/tasks', headers: { authorization: 'Bearer x', 'x-forwarded-for': forwarded } });
    for (let i = 0; i < 300; i++) await guess(`198.51.100.${i % 256}, 203.0.113.1`);
    assert.equal((await guess('192.0.2.1, 203.0.113.1')).statusCode, 429);
    assert.equal((await guess('203.0.113.1, 203.0.113.2')).statusCode, 401);
  });

  it('bounds the refused credentials of one address, not those of others', async () => {
    let now = 1_000_000;
    await using server = testServer({ clock: () => now });
    const { authorization } = await server.login();
    const guess = (remoteAddress: string) =>
      server.app.inject({ url: '/tasks', headers: { authorization: `Bearer ${createToken().token}` }, remoteAddress });
    for (let i = 0; i < 300; i++) assert.equal((await guess('203.0.113.1')).statusCode, 401);
    const refused = await guess('203.0.113.1');
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await guess('203.0.113.2')).statusCode, 401);
    now += 60_000;
    assert.equal(
      (await server.app.inject({ url: '/tasks', headers: { authorization }, remoteAddress: '203.0.113.1' })).statusCode,
      200,
    );
  });
});
