import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { INTERNAL_KEY, testServer, type TestServer } from '../../test/memory/test-server.ts';
import { SCOPES } from '../auth/scopes.ts';
import { createToken } from '../auth/tokens.ts';

const PUBLIC = [
  'GET /',
  'GET /.well-known/firstmile-signing-keys.json',
  'GET /.well-known/firstmile-signing-keys.pem',
  'GET /console',
  'GET /console/*',
  'GET /console/settings.json',
  'GET /datasets',
  'GET /docs',
  'GET /docs/:page',
  'GET /docs/api',
  'GET /docs/api/favicon-32x32.png',
  'GET /docs/api/start.js',
  'GET /docs/api/swagger-ui-bundle.js',
  'GET /docs/api/swagger-ui.css',
  'GET /docs/decisions/:page',
  'GET /docs/icon.svg',
  'GET /docs/minisearch.js',
  'GET /docs/pictures/:file',
  'GET /docs/search.json',
  'GET /docs/site.css',
  'GET /docs/site.js',
  'GET /eudr/annex',
  'GET /eudr/countries',
  'GET /eudr/scope',
  'GET /healthz',
  'GET /limits',
  'GET /llms.txt',
  'GET /metrics',
  'GET /ogc',
  'GET /ogc/conformance',
  'GET /openapi.json',
  'GET /page.css',
  'GET /problems/:code',
  'GET /readyz',
  'GET /verify',
  'POST /refresh_token',
];

/** Where a name that is no parameter is a column to filter by. */
const FILTERED = /^\/(fetch|stat)_/;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Every route of the service with its parameters filled by `id`. */
async function everyRoute(server: TestServer, id: string) {
  await server.app.ready();
  return server.app.knownRoutes.map(({ method, url, access }) => ({
    name: `${method} ${url}`,
    method: method as 'GET',
    url: url.replace(/:\w+/g, id),
    access,
  }));
}

/** Bodies of routes whose body is looked at before its owner. */
const WELL_FORMED: Readonly<Record<string, object>> = {
  'POST /reviews/:id': { rows: [0], state: 'open' },
};

describe('every route', () => {
  it('that is public is listed here', async () => {
    await using server = testServer();
    const routes = await everyRoute(server, 'x');
    assert.deepEqual(
      routes
        .filter(({ access, method }) => access === 'public' && method !== ('HEAD' as string))
        .map(({ name }) => name)
        .sort(),
      PUBLIC,
    );
  });

  it('refuses every kind of wrong credential with 401, and says how to get in', async () => {
    await using server = testServer();
    const { userId, token } = await server.login();
    const expired = createToken();
    await server.credentials.addToken({
      userId,
      label: 'old',
      scopes: SCOPES,
      hash: expired.hash,
      expiresAt: new Date(0),
    });
    const revoked = createToken();
    const record = await server.credentials.addToken({
      userId,
      label: 'gone',
      scopes: SCOPES,
      hash: revoked.hash,
      expiresAt: null,
    });
    await server.credentials.revokeToken(record.id);
    const wrong: Record<string, InjectOptions['headers']> = {
      none: {},
      unknown: { authorization: `Bearer ${createToken().token}` },
      mistyped: { authorization: `Bearer ${token}x` },
      expired: { authorization: `Bearer ${expired.token}` },
      revoked: { authorization: `Bearer ${revoked.token}` },
      basic: { authorization: `Basic ${Buffer.from(`${userId}:${token}`).toString('base64')}` },
      'a JWT without signature': { authorization: `Bearer ${jwt({ alg: 'none' })}` },
      'a JWT of nobody': { authorization: `Bearer ${jwt({ alg: 'RS256' })}c2ln` },
      'a token in the query': { 'x-token': token },
      'half an internal pair': { 'x-internal-api-key': INTERNAL_KEY },
      'the other half': { 'x-user-id': userId },
      'a wrong internal key': { 'x-internal-api-key': INTERNAL_KEY.slice(0, -1), 'x-user-id': userId },
      'a doubled user': { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': [userId, userId] as never },
      'two users': {
        authorization: `Bearer ${token}`,
        'x-internal-api-key': INTERNAL_KEY,
        'x-user-id': 'somebody-else',
      },
    };
    const routes = (await everyRoute(server, 'x')).filter(({ access }) => access !== 'public');
    assert.ok(routes.length >= 8);
    let asked = 0;
    for (const { name, method, url } of routes)
      for (const [what, headers] of Object.entries(wrong)) {
        // A fresh address each time: refusals are counted by address.
        const answer = await server.app.inject({
          method,
          url,
          headers: headers!,
          remoteAddress: `10.0.${asked >> 8}.${asked++ & 255}`,
        });
        assert.equal(answer.statusCode, 401, `${name} with ${what}`);
        assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="firstmile"/, `${name} with ${what}`);
      }
  });

  it('does not show or change what belongs to another user', async () => {
    await using server = testServer();
    const owner = await server.login();
    const other = await server.login(SCOPES.filter((scope) => scope !== 'admin'));
    const { id } = await server.tasks.submit({
      kind: 'k',
      userId: owner.userId,
      params: {},
      input: null,
      idempotency: null,
    });
    const routes = (await everyRoute(server, id)).filter(
      // An environment belongs to nobody.
      ({ name, url, access }) => access !== 'public' && url.includes(id) && !name.endsWith(':environment'),
    );
    for (const { name, method, url } of routes) {
      const headers = { authorization: other.authorization };
      // A change has a body; without one its absence would be answered before its owner.
      const body = name.startsWith('POST') ? { payload: WELL_FORMED[name] ?? {} } : {};
      const answer = await server.app.inject({ method, url, headers, ...body });
      assert.ok([403, 404].includes(answer.statusCode), `${name}: ${answer.statusCode}`);
    }
    assert.equal((await server.tasks.get(owner.userId, id))?.status, 'processing');
  });

  it('that needs a scope refuses a credential without it with 403', async () => {
    await using server = testServer();
    for (const { name, method, url, access } of await everyRoute(server, 'x')) {
      if (access === 'public' || access === 'authenticated') continue;
      const { authorization } = await server.login(SCOPES.filter((scope) => scope !== access));
      const answer = await server.app.inject({ method, url, headers: { authorization } });
      assert.equal(answer.statusCode, 403, name);
      assert.match(String(answer.headers['www-authenticate']), /insufficient_scope/);
    }
  });

  it('accepts the internal pair', async () => {
    await using server = testServer();
    for (const { name, method, url, access } of await everyRoute(server, 'x')) {
      if (access === 'public') continue;
      const answer = await server.app.inject({
        method,
        url,
        headers: { 'x-internal-api-key': INTERNAL_KEY, 'x-user-id': 'ana' },
      });
      assert.ok(![401, 403].includes(answer.statusCode) && answer.statusCode < 500, `${name}: ${answer.statusCode}`);
    }
  });
});

describe('every documented parameter', () => {
  it('is refused out of its range, with a pointer, and never makes an error of ours', async () => {
    await using server = testServer();
    const { authorization } = await server.login();
    const { paths } = (await server.app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    let asked = 0;
    for (const [path, operations] of Object.entries(paths))
      for (const [method, operation] of Object.entries(operations)) {
        const url = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
          const own = operation.parameters?.find((parameter) => parameter.in === 'path' && parameter.name === name);
          return own?.schema.enum?.[0] ?? 'x';
        });
        const ask = async (request: InjectOptions, pointer: string | null) => {
          const answer = await server.app.inject({
            ...request,
            method: method as 'GET',
            headers: { authorization },
            remoteAddress: `10.1.${asked >> 8}.${asked++ & 255}`,
          });
          const what = `${method} ${request.url as string} ${JSON.stringify(request.payload)?.slice(0, 80)}`;
          assert.ok(answer.statusCode >= 400 && answer.statusCode < 500, `${what}: ${answer.statusCode}`);
          assert.match(String(answer.headers['content-type']), /problem\+json/, what);
          if (pointer !== null && answer.statusCode === 422)
            assert.ok(
              answer
                .json<{ errors: { pointer: string }[] }>()
                .errors.some((error) => error.pointer.startsWith(pointer)),
              `${what}: ${answer.body}`,
            );
        };
        for (const parameter of operation.parameters ?? []) {
          // Tried in request-headers.test.ts.
          if (parameter.in === 'header') continue;
          if (parameter.in === 'path') {
            for (const value of ['%00', '%2e%2e%2f', 'x'.repeat(200), '%F0%9F%8C%B4', "'%20or%201=1"])
              await ask({ url: path.replace(/\{\w+\}/g, value) }, null);
            continue;
          }
          for (const value of outOfRange(parameter.schema))
            await ask({ url: `${url}?${parameter.name}=${encodeURIComponent(value)}` }, `/query/${parameter.name}`);
          await ask({ url: `${url}?${parameter.name}=1&${parameter.name}=2` }, `/query/${parameter.name}`);
        }
        await ask(
          { url: `${url}?no_such_parameter=1` },
          operation.requestBody === undefined && !FILTERED.test(path) ? '/query/no_such_parameter' : null,
        );
        const body = operation.requestBody?.content['application/json']?.schema;
        for (const [name, schema] of Object.entries(body?.properties ?? {}))
          for (const value of [
            ...outOfRange(schema),
            // Null is an optional member that is not given.
            ...(body!.required?.includes(name) === true ? [null] : []),
            // A list that may be empty is a list.
            ...(schema.type === 'array' && (schema.minItems ?? 0) === 0 ? [] : [[]]),
            {},
            -1,
            ...(schema.type === 'boolean' ? [] : [true]),
            1e308,
          ])
            await ask({ url, payload: { ...example(body!), [name]: value } }, `/${name}`);
        for (const name of body?.required ?? [])
          await ask({ url, payload: { ...example(body!), [name]: undefined } }, `/${name}`);
      }
    assert.ok(asked > 80, `${asked} requests`);
  });
});

/** Texts a parameter of this schema must not have. */
function outOfRange(schema: Schema): string[] {
  if (schema.type === 'integer' || schema.type === 'number')
    return [
      'x',
      'NaN',
      'Infinity',
      '1e999',
      '0x1',
      '1;2',
      ...(schema.minimum === undefined ? [] : [String(schema.minimum - 1)]),
      ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)]),
    ];
  if (schema.type === 'boolean') return ['2', 'maybe', 'yes!', 'null'];
  if (schema.enum !== undefined) return ['nope', `${schema.enum[0]!}${schema.enum[0]!}`];
  if (schema.type !== 'string') return [];
  return [
    ...(schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]),
    ...(schema.pattern === undefined ? [] : ['\u0000']),
  ];
}

function example(schema: Schema): Record<string, unknown> {
  return Object.fromEntries(
    (schema.required ?? []).map((name) => [name, schema.properties?.[name]?.type === 'array' ? ['validate'] : 'abc']),
  );
}

function jwt(header: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part({ iss: 'x', aud: 'y', sub: 'z', exp: 9e9 })}.`;
}
