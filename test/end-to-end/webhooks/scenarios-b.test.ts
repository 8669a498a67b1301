import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ConfigError, readConfig } from '../../../src/config/settings.ts';
import { webhookRoutes } from '../../../src/http/routes/webhooks/webhooks.ts';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import { testServer, type TestServer } from '../../memory/test-server.ts';
import { LITERAL_HOSTS, REFUSED_URLS } from './webhook-url-vectors.ts';
import { answers, startReceiver } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, settled } from './webhooks-site.ts';
import { describeOnEngines, pause } from './webhooks-suite.ts';

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}
type Call = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object | string) => Promise<Answer>;

const PUBLIC = '93.184.216.34';

describeOnEngines('B. registration', (suite) => {
  /** Names that lead to these addresses; every other one to a public address. */
  const names = new Map<string, readonly string[]>();
  let asked = 0;
  let webhooks: WebhookService;
  let server: TestServer;
  let call: Call;

  before(async () => {
    const site = await suite.open({
      // Tests below open senders of their own over the same store, whose deliveries this one would take and send elsewhere.
      send: false,
      env: { WEBHOOK_ALLOW_LOCAL: 'off', PUBLIC_URL: 'https://service.example.org' },
      resolve: async (host) => {
        asked++;
        if (host === 'missing.example.org') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
        return names.get(host) ?? [PUBLIC];
      },
    });
    webhooks = site.webhooks;
    server = testServer({ routes: [webhookRoutes(webhooks)] });
  });
  after(async () => {
    await webhooks?.close(0);
    await server?.[Symbol.asyncDispose]();
  });
  const login = async (): Promise<void> => void (call = await caller(server));

  it('B1 of 50 registrations at once by one user exactly one succeeds', async () => {
    await login();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, i) => call('POST', '/webhooks/register', { url: `https://example.org/${i}` })),
    );
    const statuses = made.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 409)]);
    const winner = made.find(({ status }) => status === 200);
    assert.equal((await call('GET', '/webhooks')).body['url'], winner?.body['url']);
  });

  it('B1 the database itself holds one webhook a user', async () => {
    const insert = () =>
      sql`insert into webhooks (id, user_id, url, host, secret)
        values (${randomUUID()}, 'twice', 'https://example.org/', 'example.org', 'x')`.execute(suite.store().db);
    await insert();
    await assert.rejects(insert(), /webhooks_one_a_user/);
    await sql`delete from webhooks where user_id = 'twice'`.execute(suite.store().db);
  });

  it(`B2 ${LITERAL_HOSTS.length + REFUSED_URLS.length} addresses are refused with a stable code, before any name is looked up`, async () => {
    await login();
    const before = asked;
    const literals = LITERAL_HOSTS.map((host) => [`https://${host}/hook`, 'webhook_url_refused'] as const);
    for (const [url, code] of [...literals, ...REFUSED_URLS]) {
      const answer = await call('POST', '/webhooks/register', { url });
      // Longer than the schema takes at all: said by the schema.
      const wanted = url.length > 2_048 ? 'invalid_body' : code;
      assert.deepEqual([answer.status, answer.body['code']], [422, wanted], url.slice(0, 100));
      assert.match(answer.type, /^application\/problem\+json/);
    }
    assert.equal(asked, before);
    assert.equal((await call('GET', '/webhooks')).status, 404);
  });

  it('B3 a second registration is a conflict that names the way out', async () => {
    await login();
    await call('POST', '/webhooks/register', { url: 'https://example.org/a' });
    const second = await call('POST', '/webhooks/register', { url: 'https://example.org/b' });
    assert.deepEqual([second.status, second.body['code']], [409, 'webhook_exists']);
    assert.match(String(second.body['detail']), /DELETE \/webhooks\/remove/);
  });

  it('B4 a name that leads inside, or inside as well, is refused without the address it leads to', async () => {
    await login();
    names.set('inside.example.org', ['10.0.0.1']);
    names.set('mixed.example.org', [PUBLIC, '127.0.0.1']);
    names.set('mixed6.example.org', [PUBLIC, '64:ff9b::a00:1']);
    for (const host of ['inside', 'mixed', 'mixed6']) {
      const answer = await call('POST', '/webhooks/register', { url: `https://${host}.example.org/` });
      assert.deepEqual([answer.status, answer.body['code']], [422, 'webhook_url_refused'], host);
      assert.equal(answer.body['detail'], `${host}.example.org leads to an address that is never connected to.`);
    }
  });

  it('B5 a name that does not resolve at this moment is registered with a warning', async () => {
    await login();
    const answer = await call('POST', '/webhooks/register', { url: 'https://missing.example.org/' });
    assert.equal(answer.status, 200);
    const [warning] = answer.body['warnings'] as { code: string; message: string }[];
    assert.equal(warning?.code, 'host_not_resolved');
    assert.match(warning.message, /missing\.example\.org does not exist .* registered anyway/);
  });

  it('B6 without a webhook there is nothing to remove, test, rotate or send again', async () => {
    await login();
    for (const [method, path] of [
      ['DELETE', '/webhooks/remove'],
      ['POST', '/webhooks/test'],
      ['POST', '/webhooks/rotate'],
      ['GET', '/webhooks'],
    ] as const)
      assert.deepEqual(codeOf(await call(method, path)), [404, 'webhook_not_found'], path);
    const since = { since: '2026-11-21T00:00:00Z' };
    assert.deepEqual(codeOf(await call('POST', '/webhooks/deliveries/redeliver', since)), [404, 'webhook_not_found']);
    const one = await call('POST', `/webhooks/deliveries/${randomUUID()}/redeliver`);
    assert.deepEqual(codeOf(one), [404, 'delivery_not_found']);
  });

  it('B6 what is completed without a webhook has its one event, whose content nobody can be sent is not kept', async () => {
    const userId = newUser();
    const key = `batch ${randomUUID()}`;
    assert.equal(await completeWork(suite.store(), webhooks, userId, { key }), true);
    assert.equal(await completeWork(suite.store(), webhooks, userId, { key }), false);
    const { db } = suite.store();
    const rows = await db.selectFrom('webhook_events').select(['body']).where('user_id', '=', userId).execute();
    assert.deepEqual(rows, [{ body: null }]);
  });

  it('B7 the secret has 256 bits and no later answer holds it', async () => {
    await login();
    const registered = await call('POST', '/webhooks/register', { url: 'https://example.org/' });
    assert.deepEqual(Object.keys(registered.body), ['url', 'client_secret', 'events', 'warnings']);
    const secret = String(registered.body['client_secret']);
    assert.equal(Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length, 32);
    const rotated = String((await call('POST', '/webhooks/rotate')).body['client_secret']);
    const verify = { body: '{}', signature: `t=1732150080, v1=${'0'.repeat(64)}`, secret, computed: '0'.repeat(64) };
    const later = [
      await call('GET', '/webhooks'),
      await call('POST', '/webhooks/register', { url: 'https://example.org/' }),
      await call('POST', '/webhooks/verify', verify),
      await call('GET', '/webhooks/deliveries'),
      await call('DELETE', '/webhooks/remove'),
    ];
    for (const { text, status } of later) {
      assert.ok(status < 500);
      assert.ok(!text.includes(secret.slice(6)) && !text.includes(rotated.slice(6)), text);
    }
    const logged = JSON.stringify(server.lines);
    assert.ok(server.lines.length > 5);
    assert.ok(!logged.includes(secret.slice(6)) && !logged.includes(rotated.slice(6)));
  });

  it('B8 a body that is too large, no JSON, or of another shape is refused, never an error of the service', async () => {
    await login();
    const good = 'https://example.org/';
    for (const [payload, status] of [
      ['', 422],
      ['{', 400],
      ['null', 422],
      ['[]', 422],
      [`"${good}"`, 422],
      [JSON.stringify({ url: [good] }), 422],
      [JSON.stringify({ url: { href: good } }), 422],
      [JSON.stringify({ url: 7 }), 422],
      [JSON.stringify({ url: null }), 422],
      [JSON.stringify({ url: '' }), 422],
      [JSON.stringify({ url: good, events: [] }), 422],
      [`{"url":"${good}","url":"https://example.net/"}`, 400],
      [`{"url":"${good}","\\u0075rl":"https://example.net/"}`, 400],
      [`{"__proto__":{"url":"${good}"}}`, 422],
      [JSON.stringify({ url: good, padding: 'x'.repeat(16_384) }), 413],
      ['\ud800', 400],
      [`${'['.repeat(8_000)}`, 400],
    ] as const) {
      const answer = await call('POST', '/webhooks/register', payload);
      assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} for ${payload.slice(0, 60)}`);
      assert.equal(answer.status, status, payload.slice(0, 60));
      assert.match(answer.type, /^application\/problem\+json/);
    }
    assert.equal((await call('GET', '/webhooks')).status, 404);
  });

  it('B6 a removal cancels what is pending, and nothing of it goes to an address registered later', async () => {
    await using old = await startReceiver(answers(500));
    await using next = await startReceiver();
    await using site = await suite.open({ retryDelaysS: [0.4, 0.4, 0.4] });
    const userId = `user-${randomUUID()}`;
    await site.webhooks.register(userId, old.url());
    for (let i = 0; i < 5; i++) await completeWork(suite.store(), site.webhooks, userId);
    await old.until(3);
    await site.webhooks.remove(userId);
    await eventually(async () => (site.webhooks.status().sending === 0 ? true : null));
    const sent = old.received.length;
    await site.webhooks.register(userId, next.url());
    await pause(1_200);
    assert.equal(old.received.length, sent);
    assert.equal(next.received.length, 0);
    const states = (await site.webhooks.list(userId, { limit: 10 })).map(({ state }) => state);
    assert.deepEqual([...new Set(states)], ['cancelled']);
    await completeWork(suite.store(), site.webhooks, userId);
    await next.until(1);
    assert.equal(old.received.length, sent);
  });

  it(
    'B6 what is sent again while its webhook is removed does not wait for ever',
    { skip: suite.engine === 'embedded' },
    async () => {
      await using receiver = await startReceiver(answers(500));
      await using site = await suite.open({ retryDelaysS: [0.05, 0.05, 0.05] });
      const userId = `user-${randomUUID()}`;
      await site.webhooks.register(userId, receiver.url());
      await completeWork(suite.store(), site.webhooks, userId);
      const { delivery } = await settled(site.webhooks, userId);
      let again: Promise<unknown> = Promise.resolve();
      await suite
        .store()
        .db.transaction()
        .execute(async (trx) => {
          // As far as a removal is when it has cancelled what was pending.
          await sql`delete from webhooks where user_id = ${userId}`.execute(trx);
          again = site.webhooks.redeliver(userId, delivery.id).catch((error: unknown) => error);
          await pause(200);
        });
      assert.equal(((await again) as { code?: string } | undefined)?.code, 'webhook_not_found');
      assert.equal((await site.webhooks.list(userId, { limit: 1 }))[0]?.state, 'failed');
    },
  );
});

describe('B5 plain http', () => {
  it('needs the switch for development, which production refuses', () => {
    assert.equal(readConfig({ WEBHOOK_ALLOW_LOCAL: 'on' }).webhookAllowLocal, true);
    assert.equal(readConfig({}).webhookAllowLocal, false);
    assert.throws(
      () => readConfig({ WEBHOOK_ALLOW_LOCAL: 'on', NODE_ENV: 'production' }),
      (error) => error instanceof ConfigError && /WEBHOOK_ALLOW_LOCAL.*NODE_ENV=production/.test(error.message),
    );
  });
});

function codeOf({ status, body }: Answer): readonly [number, unknown] {
  return [status, body['code']];
}

/** Requests of a new user. */
async function caller(server: TestServer): Promise<Call> {
  const { authorization } = await server.login();
  return async (method, url, payload) => {
    const response = await server.app.inject({
      method,
      url,
      headers: { authorization, ...(payload !== undefined && { 'content-type': 'application/json' }) },
      ...(payload !== undefined && { payload }),
    });
    const body = response.json<Record<string, unknown>>();
    return { status: response.statusCode, type: String(response.headers['content-type']), body, text: response.body };
  };
}
