import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { Type } from 'typebox';
import { testServer } from '../../../test/memory/test-server.ts';
import { ERROR_STATUS, Problem } from '../../errors.ts';
import type { App } from './app.ts';

/** Routes that do what real ones only do when something is wrong. */
function troubledRoutes(app: App): void {
  app.get('/broken', { config: { access: 'public' }, schema: { hide: true } }, async () => {
    throw new Error('password=hunter2 at /srv/secret.ts:7');
  });
  app.get('/refused', { config: { access: 'public' }, schema: { hide: true } }, async () => {
    throw new Problem('queue_full', 'No room.', { retryAfterS: 1.2 });
  });
  app.post(
    '/things',
    {
      config: { access: 'public' },
      schema: {
        hide: true,
        body: Type.Object(
          { list: Type.Array(Type.Object({ n: Type.Integer({ maximum: 9 }) }, { additionalProperties: false })) },
          { additionalProperties: false },
        ),
      },
    },
    async () => ({}),
  );
  app.get(
    '/choice',
    { config: { access: 'public', produces: ['application/json', 'text/csv'] }, schema: { hide: true } },
    async (request) => ({ accepted: request.accepted }),
  );
}

const open = () => testServer({ routes: [troubledRoutes] });

describe('an error', () => {
  const cases: readonly (readonly [string, InjectOptions | string, number, string])[] = [
    ['an unknown address', '/nope', 404, 'not_found'],
    ['another method', { method: 'DELETE', url: '/limits' }, 405, 'method_not_allowed'],
    ['a method nobody has', { method: 'OPTIONS', url: '/limits' }, 405, 'method_not_allowed'],
    ['a broken escape in the path', '/%zz', 400, 'malformed_query'],
    ['an unknown parameter', '/limits?x=1', 422, 'invalid_parameter'],
    ['no acceptable format', { url: '/limits', headers: { accept: 'image/png' } }, 406, 'not_acceptable'],
    ['a too long address', `/limits?${'x'.repeat(17_000)}`, 414, 'uri_too_long'],
    ['a too long part of the path', `/problems/${'x'.repeat(201)}`, 414, 'uri_too_long'],
    [
      'a body of another type',
      { method: 'POST', url: '/things', headers: { 'content-type': 'text/plain' }, payload: 'x' },
      415,
      'unsupported_media_type',
    ],
    [
      'a body of no type',
      { method: 'POST', url: '/things', headers: { 'content-type': '' }, payload: 'x' },
      415,
      'unsupported_media_type',
    ],
    [
      'a body that is no JSON',
      { method: 'POST', url: '/things', headers: { 'content-type': 'application/json' }, payload: '{' },
      400,
      'malformed_body',
    ],
    [
      'an empty body',
      { method: 'POST', url: '/things', headers: { 'content-type': 'application/json' }, payload: '' },
      400,
      'malformed_body',
    ],
    ['no body', { method: 'POST', url: '/things' }, 422, 'invalid_body'],
    [
      'a body nested 100,000 deep',
      {
        method: 'POST',
        url: '/things',
        headers: { 'content-type': 'application/json' },
        payload: '['.repeat(100_000) + ']'.repeat(100_000),
      },
      422,
      'invalid_body',
    ],
    [
      'a member named __proto__',
      { method: 'POST', url: '/things', headers: { 'content-type': 'application/json' }, payload: '{"__proto__":{}}' },
      400,
      'malformed_body',
    ],
    ['a too large body', { method: 'POST', url: '/things', payload: { x: 'x'.repeat(1_100_000) } }, 413, 'too_large'],
    ['a missing credential', '/tasks', 401, 'unauthenticated'],
    ['our own fault', '/broken', 500, 'internal'],
    ['a full queue', '/refused', 503, 'queue_full'],
  ];
  for (const [what, request, status, code] of cases)
    it(`is a problem with status ${status} for ${what}`, async () => {
      await using server = open();
      const answer = await server.app.inject(request);
      assert.equal(answer.statusCode, status);
      assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
      const problem = answer.json<Record<string, unknown>>();
      assert.equal(problem['code'], code);
      assert.equal(problem['status'], status);
      assert.equal(problem['type'], `/problems/${code}`);
      assert.equal(problem['request_id'], answer.headers['x-request-id']);
      for (const field of ['title', 'detail']) assert.ok(String(problem[field]).length > 5, field);
      assert.doesNotMatch(answer.body, /node_modules|\.ts|\bat \S+:\d/);
    });

  it('says where a body is wrong by JSON pointer', async () => {
    await using server = open();
    const answer = await server.app.inject({
      method: 'POST',
      url: '/things',
      payload: { list: [{ n: 1 }, { n: 10, 'a/b': 1 }, {}], extra: 1 },
    });
    const { errors } = answer.json<{ errors: { pointer: string; code: string }[] }>();
    assert.deepEqual(
      new Map(errors.map(({ pointer, code }) => [pointer, code])),
      new Map([
        ['/list/1/n', 'invalid'],
        ['/list/1/a~1b', 'unknown'],
        ['/list/2/n', 'missing'],
        ['/extra', 'unknown'],
      ]),
    );
  });

  it('never repeats a password', async () => {
    await using server = open();
    const answer = await server.app.inject({
      method: 'POST',
      url: '/refresh_token',
      payload: { email: 'a@b.c', password: 123_456_789 },
    });
    assert.equal(answer.statusCode, 422);
    assert.doesNotMatch(answer.body, /123456789/);
  });

  it('lists the methods of an address in Allow', async () => {
    await using server = open();
    assert.equal((await server.app.inject({ method: 'PUT', url: '/tasks/abc' })).headers['allow'], 'DELETE, GET, HEAD');
    assert.equal((await server.app.inject({ method: 'GET', url: '/refresh_token' })).headers['allow'], 'POST');
  });

  it('names the nearest address for an unknown one', async () => {
    await using server = open();
    assert.match((await server.app.inject('/dataset')).json<{ detail: string }>().detail, /Did you mean \/datasets\?/);
  });

  it('keeps our own fault in the log and off the wire', async () => {
    await using server = open();
    const answer = await server.app.inject('/broken');
    assert.doesNotMatch(answer.body, /hunter2/);
    const line = server.lines.find(({ msg }) => msg === 'request failed');
    assert.equal(line?.['request_id'], answer.json<{ request_id: string }>().request_id);
    assert.match(JSON.stringify(line), /hunter2/);
  });

  it('says when to come back in whole seconds', async () => {
    await using server = open();
    assert.equal((await server.app.inject('/refused')).headers['retry-after'], '2');
  });

  it('has a type that leads to its description, for every code', async () => {
    await using server = open();
    for (const code of Object.keys(ERROR_STATUS)) {
      const json = await server.app.inject(`/problems/${code}`);
      assert.equal(json.statusCode, 200, code);
      assert.equal(json.json<{ code: string }>().code, code);
      const html = await server.app.inject({ url: `/problems/${code}`, headers: { accept: 'text/html' } });
      assert.match(html.body, /<h1>/);
      assert.doesNotMatch(html.body, /`/);
    }
    for (const code of ['nope', '__proto__', 'constructor', '<script>'])
      assert.equal((await server.app.inject(`/problems/${encodeURIComponent(code)}`)).statusCode, 404);
  });
});

describe('a request id', () => {
  it('is the one a client sends, when it is harmless', async () => {
    await using server = open();
    const id = async (sent: string) =>
      (await server.app.inject({ url: '/healthz', headers: { 'x-request-id': sent } })).headers['x-request-id'];
    assert.equal(await id('trace-0123456789'), 'trace-0123456789');
    for (const sent of ['short', 'x'.repeat(129), 'has spaces in it', '<script>alert(1)</script>', '"quoted-text"'])
      assert.match(String(await id(sent)), /^[0-9a-f-]{36}$/);
  });
});

/** Whatever the address; the policy of content differs. */
const SECURITY = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

describe('an answer', () => {
  it('carries security headers and allows no other origin', async () => {
    await using server = open();
    for (const url of ['/healthz', '/nope', '/docs', '/']) {
      const { headers } = await server.app.inject({ url, headers: { origin: 'https://elsewhere.example.org' } });
      const kept = Object.entries(SECURITY).map(([name]) => [name, headers[name]]);
      assert.deepEqual(Object.fromEntries(kept), SECURITY, url);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/, url);
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, url);
      assert.equal(headers['access-control-allow-origin'], undefined, url);
      assert.equal(headers['server'] ?? headers['x-powered-by'], undefined, url);
    }
  });

  it('is not stored when it needed a credential', async () => {
    await using server = open();
    const { authorization } = await server.login();
    for (const headers of [{ authorization }, {}])
      assert.equal((await server.app.inject({ url: '/tasks', headers })).headers['cache-control'], 'no-store');
  });

  it('has the media type the client likes best', async () => {
    await using server = open();
    const answer = await server.app.inject({ url: '/choice', headers: { accept: 'text/csv, */*;q=0.1' } });
    assert.equal(answer.json<{ accepted: string }>().accepted, 'text/csv');
    assert.equal(answer.headers['vary'], 'accept, accept-language, accept-encoding');
  });
});

describe('a route', () => {
  it('without a word on who may call it stops the start', async () => {
    const server = testServer({
      routes: [(app) => void app.get('/open', { schema: { hide: true } }, async () => ({}))],
    });
    await assert.rejects(async () => server.app.ready(), /GET \/open: config\.access is missing/);
  });
});

describe('the request log', () => {
  it('has one line a request with what happened and no secret or query', async () => {
    await using server = open();
    const { authorization, token } = await server.login();
    await server.app.inject({
      url: '/tasks?before=POINT-1-2',
      headers: { authorization, 'x-request-id': 'trace-0123456789' },
    });
    const lines = server.lines.filter(({ msg }) => msg === 'request');
    assert.equal(lines.length, 1);
    const { ms, principal, ...line } = lines[0]!;
    assert.deepEqual(
      { ...line, time: null },
      {
        level: 30,
        time: null,
        request_id: 'trace-0123456789',
        method: 'GET',
        path: '/tasks',
        route: '/tasks',
        status: 422,
        msg: 'request',
      },
    );
    assert.equal(typeof ms, 'number');
    assert.match(String(principal), /^token:/);
    assert.doesNotMatch(JSON.stringify(server.lines), new RegExp(`${token}|POINT`));
  });
});
