import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTERNAL_KEY, testServer } from '../../test/memory/test-server.ts';
import { createToken } from '../auth/tokens.ts';
import { POLLS_PER_MINUTE } from './guards/guard-requests.ts';

describe('the rate limit', () => {
  it('counts down in headers on every answer and ends in 429 with Retry-After', async () => {
    let now = 1_000_000;
    await using server = testServer({ clock: () => now }, { RATE_LIMIT: '3/min,4/h' });
    const { authorization } = await server.login();
    const ask = (url = '/principal') => server.app.inject({ url, headers: { authorization } });
    const first = await ask();
    assert.equal(first.headers['ratelimit-limit'], '3');
    assert.equal(first.headers['ratelimit-remaining'], '2');
    assert.equal(first.headers['ratelimit-reset'], '60');
    assert.equal(first.headers['ratelimit-policy'], '"minute";q=3;w=60, "hour";q=4;w=3600');
    assert.equal(first.headers['ratelimit'], '"minute";r=2;t=60');
    assert.equal((await ask('/fetch_plots?filename=unknown')).headers['ratelimit-remaining'], '1', 'also on an error');
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
        (
          await server.app.inject({
            url: '/principal',
            headers: { authorization: (await server.login()).authorization },
          })
        ).statusCode,
        200,
      );
    for (let i = 0; i < 5; i++) {
      const internal = await server.app.inject({
        url: '/principal',
        headers: { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': 'ana' },
      });
      assert.equal(internal.statusCode, 200);
      assert.equal(internal.headers['ratelimit-limit'], undefined);
      assert.equal((await server.app.inject('/limits')).statusCode, 200);
    }
  });

  it('does not count looks at a batch or a collection, which have a window of their own', async () => {
    await using server = testServer({}, { RATE_LIMIT: '2/min,100/h' });
    const { authorization } = await server.login();
    const ask = (url: string) => server.app.inject({ url, headers: { authorization } });
    const id = '00000000-0000-4000-8000-000000000000';
    const looks = [`/batch_progress?tracking_id=${id}`, `/collections/${id}`, `/get_collections/${id}`];
    for (let left = POLLS_PER_MINUTE; left > 0; left--) {
      const answer = await ask(looks[left % looks.length]!);
      assert.equal(answer.statusCode, 404, 'there is no such collection');
      assert.equal(answer.headers['ratelimit-policy'], `"polls";q=${POLLS_PER_MINUTE};w=60`);
      assert.equal(answer.headers['ratelimit-remaining'], String(left - 1));
    }
    for (const look of looks) assert.equal((await ask(look)).statusCode, 429);
    assert.equal((await ask('/principal')).headers['ratelimit-remaining'], '1', 'the budget is untouched');
    const removed = await server.app.inject({ method: 'DELETE', url: looks[1]!, headers: { authorization } });
    assert.equal(removed.headers['ratelimit-remaining'], '0', 'a deletion is a request');
    assert.equal((await ask('/principal')).statusCode, 429);
  });

  it('can be switched off', async () => {
    await using server = testServer();
    const { authorization } = await server.login();
    assert.equal(
      (await server.app.inject({ url: '/principal', headers: { authorization } })).headers['ratelimit-limit'],
      undefined,
    );
  });

  it('knows a client behind a proxy by what the proxy wrote, not by its own word', async () => {
    await using server = testServer({}, { TRUST_PROXY: 'on' });
    let guesses = 0;
    const guess = (forwarded: string) =>
      server.app.inject({
        url: '/principal',
        headers: { authorization: `Bearer ${guesses++}`, 'x-forwarded-for': forwarded },
      });
    for (let i = 0; i < 300; i++) await guess(`198.51.100.${i % 256}, 203.0.113.1`);
    assert.equal((await guess('192.0.2.1, 203.0.113.1')).statusCode, 429);
    assert.equal((await guess('203.0.113.1, 203.0.113.2')).statusCode, 401);
  });

  it('bounds the refused credentials of one address, and never refuses a valid one for its neighbours', async () => {
    let now = 1_000_000;
    await using server = testServer({ clock: () => now });
    const { authorization } = await server.login();
    const guess = (remoteAddress: string) =>
      server.app.inject({
        url: '/principal',
        headers: { authorization: `Bearer ${createToken().token}` },
        remoteAddress,
      });
    for (let i = 0; i < 300; i++) assert.equal((await guess('203.0.113.1')).statusCode, 401);
    const refused = await guess('203.0.113.1');
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers['retry-after'], '60');
    assert.equal((await guess('203.0.113.2')).statusCode, 401);
    const valid = await server.app.inject({
      url: '/principal',
      headers: { authorization },
      remoteAddress: '203.0.113.1',
    });
    assert.equal(valid.statusCode, 200);
    now += 60_000;
    assert.equal((await guess('203.0.113.1')).statusCode, 401);
  });

  it('stops looking at a credential that one address keeps sending', async () => {
    let now = 1_000_000;
    await using server = testServer({ clock: () => now });
    const { token } = createToken();
    const send = (remoteAddress: string) =>
      server.app.inject({ url: '/principal', headers: { authorization: `Bearer ${token}` }, remoteAddress });
    for (let i = 0; i < 30; i++) assert.equal((await send('203.0.113.1')).statusCode, 401);
    assert.equal((await send('203.0.113.1')).statusCode, 429);
    assert.equal((await send('203.0.113.2')).statusCode, 401);
    now += 60_000;
    assert.equal((await send('203.0.113.1')).statusCode, 401);
  });
});

describe('a proxy that is not declared', () => {
  const READY = { readiness: [] };

  it('is noticed, logged once and named by /readyz', async () => {
    await using server = testServer(READY);
    const notes = async () => (await server.app.inject('/readyz')).json<{ notes: string[] }>().notes;
    const pass = (remoteAddress: string) =>
      server.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': '203.0.113.9' }, remoteAddress });
    await pass('203.0.113.1');
    assert.deepEqual(await notes(), [], 'anybody may send the header from outside');
    for (const proxy of ['10.0.0.7', '::ffff:192.168.1.4', '::1']) await pass(proxy);
    assert.match((await notes()).join(), /^Requests arrive through a proxy, but TRUST_PROXY is off/);
    assert.equal(server.lines.filter(({ msg }) => String(msg).startsWith('Requests arrive through')).length, 1);
  });

  it('is not, where it is declared', async () => {
    await using server = testServer(READY, { TRUST_PROXY: 'on' });
    await server.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': '203.0.113.9' }, remoteAddress: '::1' });
    assert.deepEqual((await server.app.inject('/readyz')).json<{ notes: string[] }>().notes, []);
  });
});
