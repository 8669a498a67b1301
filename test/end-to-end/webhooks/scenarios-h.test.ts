import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '../../../src/log.ts';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Store } from '../../../src/db/open-store.ts';
import { startReceiver, type ReceivedWebhook } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, settled, TEST_KEY } from './webhooks-site.ts';
import { describeOnEngines, sized } from './webhooks-suite.ts';

const NEW_KEY = `t2:${Buffer.alloc(32, 9).toString('base64')}`;
/** Retries without a wait, so that the second secret gets its turn at once. */
const RETRIES = [0.01, 0.01, 0.01];

describeOnEngines('H. secrets and their rotation', (suite) => {
  const events = sized(30, 1_000);
  it(`H1 during a rotation a receiver with either secret accepts all of ${events} events, also by the standard header`, async () => {
    for (const holds of ['old', 'new'] as const) {
      await using site = await suite.open({ retryDelaysS: RETRIES });
      const userId = newUser();
      let secret = '';
      await using receiver = await startReceiver(
        (request, response) => void response.writeHead(verifies(request, secret) ? 200 : 401).end(),
      );
      const before = await site.webhooks.register(userId, receiver.url());
      const after = await site.webhooks.rotate(userId, 3_600);
      assert.notEqual(before.clientSecret, after.clientSecret);
      secret = (holds === 'old' ? before : after).clientSecret;
      for (let i = 0; i < events; i++) await completeWork(suite.store(), site.webhooks, userId);
      await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null), 60_000);
      const log = await site.webhooks.list(userId, { limit: events, state: 'delivered' });
      assert.equal(log.length, events);
      // The secret that was accepted goes first from then on: only the first events can need a second attempt.
      assert.equal(log[0]?.attempts, 1);
      if (holds === 'old') assert.equal(receiver.received.length, events);
      for (const request of receiver.received)
        for (const { clientSecret } of [before, after]) assert.ok(standardVerifies(request, clientSecret));
    }
  });

  it('H2 a secret that is revoked now signs nothing more, and an overlap ends', async () => {
    let now = new Date('2026-11-21T10:00:00.000Z');
    await using receiver = await startReceiver();
    await using site = await suite.open({ clock: () => now });
    const userId = newUser();
    const first = (await site.webhooks.register(userId, receiver.url())).clientSecret;
    const second = (await site.webhooks.rotate(userId, 0)).clientSecret;
    const third = (await site.webhooks.rotate(userId, 60)).clientSecret;
    const next = async () => {
      const count = receiver.received.length;
      await completeWork(suite.store(), site.webhooks, userId);
      return (await receiver.until(count + 1))[count]!;
    };
    const during = await next();
    assert.deepEqual(
      [first, second, third].map((secret) => standardVerifies(during, secret)),
      [false, true, true],
    );
    assert.ok(verifies(during, second) && !verifies(during, first));
    now = new Date(now.getTime() + 60_001);
    const after = await next();
    assert.deepEqual(
      [first, second, third].map((secret) => standardVerifies(after, secret)),
      [false, false, true],
    );
    assert.ok(verifies(after, third));
    assert.deepEqual(await site.webhooks.secrets(userId), [third]);
  });

  it('H3 the key that seals is changed while events flow, and none fails', async () => {
    await using receiver = await startReceiver();
    const users = Array.from({ length: 5 }, () => newUser());
    const secrets = new Map<string, string>();
    {
      await using site = await suite.open({ env: { SECRETS_KEY: TEST_KEY } });
      for (const userId of users)
        secrets.set(userId, (await site.webhooks.register(userId, receiver.url())).clientSecret);
    }
    {
      await using site = await suite.open({ env: { SECRETS_KEY: `${NEW_KEY},${TEST_KEY}` } });
      const flow = completeEach(suite.store(), site.webhooks, users);
      const step = { after: '', renew: false, removeUnreadable: false };
      const [{ changed, unreadable, next }] = await Promise.all([site.webhooks.resealSecrets(step), flow]);
      assert.ok(changed >= users.length, String(changed));
      assert.deepEqual([unreadable, next], [[], null]);
      await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null));
    }
    // The old key is not needed any more.
    await using site = await suite.open({ env: { SECRETS_KEY: NEW_KEY } });
    await completeEach(suite.store(), site.webhooks, users);
    await eventually(async () => ((await site.webhooks.count()).pending === 0 ? true : null));
    for (const userId of users) assert.deepEqual(await site.webhooks.secrets(userId), [secrets.get(userId)]);
    assert.equal(receiver.received.length, 2 * 4 * users.length);
    assert.ok(receiver.received.every((request) => [...secrets.values()].some((secret) => verifies(request, secret))));
  });

  it('H4 no table holds a secret in a form that could be read', async () => {
    await using receiver = await startReceiver();
    await using site = await suite.open({ env: { SECRETS_KEY: `${NEW_KEY},${TEST_KEY}` } });
    const userId = newUser();
    const first = (await site.webhooks.register(userId, receiver.url())).clientSecret;
    const second = (await site.webhooks.rotate(userId, 3_600)).clientSecret;
    await completeWork(suite.store(), site.webhooks, userId);
    await settled(site.webhooks, userId, ['delivered']);
    const dump = await dumpOf(suite.store());
    assert.ok(dump.includes(userId), 'the dump holds the rows');
    for (const secret of [first, second]) {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      for (const form of [
        secret,
        secret.slice(6),
        key.toString('hex'),
        key.toString('base64url'),
        key.toString('latin1'),
      ])
        assert.ok(!dump.includes(form));
    }
  });

  it('H5 a sealed secret moved to another user opens nothing: nothing is sent', async () => {
    await using receiver = await startReceiver();
    const lines: string[] = [];
    const stream = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLog({ level: 'info', json: true, stream });
    await using site = await suite.open({ env: { SECRETS_KEY: NEW_KEY }, retryDelaysS: [], log });
    const [ana, eve] = [newUser('ana'), newUser('eve')];
    for (const userId of [ana, eve]) await site.webhooks.register(userId, receiver.url());
    await sql`update webhooks set secret = (select secret from webhooks where user_id = ${ana})
      where user_id = ${eve}`.execute(suite.store().db);
    await completeWork(suite.store(), site.webhooks, eve);
    const { delivery, attempts } = await settled(site.webhooks, eve, ['failed']);
    assert.equal(attempts[0]?.reason, 'secret_unreadable');
    assert.equal(receiver.received.length, 0);
    // The operator reads of it, by the delivery and not by the address.
    const told = lines.map((line) => JSON.parse(line) as { delivery: string; msg: string });
    assert.deepEqual(
      told.map(({ msg }) => msg),
      ['the secret of a webhook cannot be opened', 'a webhook attempt failed'],
    );
    assert.ok(told.every((line) => line.delivery === delivery.id));
    assert.ok(!lines.join('').includes('receivers.test'));
  });
});

/** Four events for each user, one after the other, so that something is always on its way. */
async function completeEach(store: Store, webhooks: WebhookService, users: readonly string[]): Promise<void> {
  for (let i = 0; i < 4; i++) for (const userId of users) await completeWork(store, webhooks, userId);
}

/** Written again from the documentation: `t=<seconds>, v1=<hex>` over `<t>.<body>`. */
function verifies({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const [, t, v1] = /^t=(\d{10}), v1=([0-9a-f]{64})$/.exec(String(headers['x-service-webhook-signature'])) ?? [];
  return v1 === createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
}

/** By the Standard Webhooks specification: one signature of each secret in force. */
function standardVerifies({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(wanted);
}

/** Every row of every table of ours as text. */
async function dumpOf({ db }: Store): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t`.execute(db);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}
