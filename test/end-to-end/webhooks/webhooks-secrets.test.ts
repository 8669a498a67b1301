import assert from 'node:assert/strict';
import { createTracesCredentialStore } from '../../../src/db/traces/credentials.ts';
import { createSigningKeyStore } from '../../../src/db/signatures/signing-keys.ts';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { ConfigError } from '../../../src/config/settings.ts';
import { openSecretKeys } from '../../../src/service/webhooks/keys.ts';
import { resealStep, type ResealReport } from '../../../src/service/webhooks/reseal.ts';
import { openWebhookStore } from '../../../src/db/webhooks/open-webhook-store.ts';
import { createKeyRing, createSecret, type SealingKey } from '../../../src/webhooks/key-ring.ts';
import { startReceiver, type ReceivedWebhook } from './webhooks-receiver.ts';
import { completeWork, newUser, settled } from './webhooks-site.ts';
import { describeOnEngines } from './webhooks-suite.ts';

const key = (id: string, fill: number): SealingKey => ({ id, key: Buffer.alloc(32, fill) });
const text = ({ id, key: bytes }: SealingKey): string => `${id}:${Buffer.from(bytes).toString('base64')}`;
const [FIRST, SECOND] = [key('first', 1), key('second', 2)];

describe('the key file', () => {
  const settings = (dataDir: string) => ({ secretsKey: null, databaseUrl: null, dataDir });

  it('is made once, for its owner alone, and renewed with the key before next to it', (t) => {
    const dataDir = folder(t);
    const path = join(dataDir, 'secrets.key');
    const keys = openSecretKeys(settings(dataDir));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const before = readFileSync(path, 'utf8');
    const [first] = keys.ring!.ids;
    const sealed = keys.ring!.seal('whsec_secret', { userId: 'u', webhookId: 'w' });
    assert.deepEqual(openSecretKeys(settings(dataDir)).ring!.ids, [first]);
    assert.equal(readFileSync(path, 'utf8'), before);

    keys.renew!();
    const [second] = keys.ring!.ids;
    assert.deepEqual(keys.ring!.ids, [second, first]);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(openSecretKeys(settings(dataDir)).ring!.open(sealed, { userId: 'u', webhookId: 'w' }), 'whsec_secret');
    keys.renew!();
    assert.equal(keys.ring!.ids.length, 2);
    assert.ok(!keys.ring!.ids.includes(first as string));
  });

  it('that is damaged stops the start with a sentence that holds no key', (t) => {
    const dataDir = folder(t);
    openSecretKeys(settings(dataDir));
    const path = join(dataDir, 'secrets.key');
    const good = readFileSync(path, 'utf8');
    for (const bad of ['', good.slice(0, 30), good.repeat(2), 'x'.repeat(60)]) {
      writeFileSync(path, bad);
      assert.throws(
        () => openSecretKeys(settings(dataDir)),
        (error) =>
          error instanceof ConfigError && error.message.includes(path) && !error.message.includes(good.slice(12, 24)),
      );
    }
  });

  it('is not made next to a database server, where other machines could not read it', (t) => {
    const dataDir = folder(t);
    const keys = openSecretKeys({ ...settings(dataDir), databaseUrl: 'postgres://localhost/x' });
    assert.deepEqual([keys.ring, keys.renew], [null, null]);
    assert.throws(() => statSync(join(dataDir, 'secrets.key')));
  });
});

describeOnEngines('secrets', (suite) => {
  const otherSecrets = () => ({
    credentials: createTracesCredentialStore(suite.store()),
    signingKeys: createSigningKeyStore(suite.store()),
  });

  it('are sealed again page by page; a rotation that was stopped is gone on with, and nothing is lost', async () => {
    const store = suite.store();
    const webhooks = await openWebhookStore(store, { retentionDays: 1, retryDelaysS: [10] });
    const count = 1_200;
    const owners = Array.from({ length: count }, (_, i) => ({ userId: `many-${i}`, webhookId: randomUUID() }));
    const secrets = owners.map(() => createSecret());
    const oldRing = createKeyRing([FIRST]);
    const rows = owners.map(({ userId, webhookId }, i) => ({
      id: webhookId,
      user_id: userId,
      url: 'https://example.org/',
      host: 'example.org',
      secret: oldRing.seal(secrets[i] as string, owners[i] as (typeof owners)[number]),
      previous_secret: i % 3 === 0 ? oldRing.seal('whsec_before', owners[i] as (typeof owners)[number]) : null,
      previous_until: i % 3 === 0 ? new Date(Date.now() + 3_600_000) : null,
    }));
    for (let i = 0; i < count; i += 400)
      await store.db
        .insertInto('webhooks')
        .values(rows.slice(i, i + 400))
        .execute();
    const ring = createKeyRing([SECOND, FIRST]);
    const keys = { ring, source: 'SECRETS_KEY', renew: null };
    const step = (after: string): Promise<ResealReport> =>
      resealStep(webhooks, otherSecrets(), keys, {
        after,
        renew: false,
        removeUnreadable: false,
      });

    const first = await step('');
    assert.ok(first.changed > 400 && first.next !== null);
    // Stopped here; begun again from the start, it finds the rest.
    let [changed, seen] = [0, 0];
    for (let after: string | null = ''; after !== null;) {
      const page = await step(after);
      changed += page.changed;
      seen += page.seen;
      after = page.next;
    }
    assert.deepEqual([first.changed + changed, seen], [count + count / 3, count + count / 3]);
    assert.equal(await webhooks.countSealedOtherwise(SECOND.id), 0);
    const onlyNew = createKeyRing([SECOND]);
    const stored = await store.db.selectFrom('webhooks').select(['user_id', 'id', 'secret']).execute();
    for (const { user_id: userId, id: webhookId, secret } of stored)
      assert.equal(onlyNew.open(secret, { userId, webhookId }), secrets[Number(userId.slice(5))]);
    await sql`delete from webhooks`.execute(store.db);
  });

  it('that no key opens are counted, and given up only when that is requested', async () => {
    const webhooks = await openWebhookStore(suite.store(), { retentionDays: 1, retryDelaysS: [10] });
    const add = async (userId: string, ring: ReturnType<typeof createKeyRing>): Promise<string> => {
      const id = randomUUID();
      const secret = ring.seal(createSecret(), { userId, webhookId: id });
      await webhooks.add({ id, userId, url: 'https://example.org/', host: 'example.org', secret });
      return id;
    };
    await add('kept', createKeyRing([SECOND]));
    const lost = await add('lost', createKeyRing([FIRST]));
    const keys = { ring: createKeyRing([SECOND]), source: 'SECRETS_KEY', renew: null };
    const step = { after: '', renew: false, removeUnreadable: false };
    assert.deepEqual((await resealStep(webhooks, otherSecrets(), keys, step)).unreadable, [lost]);
    assert.notEqual(await webhooks.find('lost'), null);
    await assert.rejects(
      suite.open({ env: { SECRETS_KEY: text(SECOND) } }),
      /wanted the key first too.*--remove-unreadable/,
    );
    assert.deepEqual(
      (
        await resealStep(webhooks, otherSecrets(), keys, {
          ...step,
          removeUnreadable: true,
        })
      ).unreadable,
      [lost],
    );
    assert.deepEqual([await webhooks.find('lost'), (await webhooks.find('kept')) !== null], [null, true]);
    await using site = await suite.open({ env: { SECRETS_KEY: text(SECOND) } });
    await site.webhooks.remove('kept');
  });

  it('during a rotation a test reaches a receiver with either secret, and says which', async () => {
    await using site = await suite.open();
    for (const holds of ['previous', 'current'] as const) {
      const userId = newUser();
      let secret = '';
      await using receiver = await startReceiver((request, response) => {
        response.writeHead(signedWith(request, secret) ? 200 : 401).end();
      });
      const before = await site.webhooks.register(userId, receiver.url());
      const after = await site.webhooks.rotate(userId, 3_600);
      secret = (holds === 'previous' ? before : after).clientSecret;
      const result = await site.webhooks.test(userId);
      assert.deepEqual([result.outcome?.status, result.secret], [200, holds]);
      assert.equal(result.refusedBefore?.status ?? null, holds === 'previous' ? null : 401);
      const { delivery, attempts } = await settled(site.webhooks, userId);
      assert.equal(delivery.id, result.deliveryId);
      assert.equal(delivery.state, 'delivered');
      assert.deepEqual(
        attempts.map(({ number, status }) => [number, status]),
        holds === 'previous'
          ? [[1, 200]]
          : [
              [1, 401],
              [2, 200],
            ],
      );
      assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1);
      // From then on the accepted secret goes first.
      const again = await site.webhooks.test(userId);
      assert.deepEqual([again.secret, again.refusedBefore], [holds, null]);
    }
  });

  it('a test that neither secret verifies has two attempts and has failed', async () => {
    await using site = await suite.open();
    await using receiver = await startReceiver((_request, response) => void response.writeHead(401).end());
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    await site.webhooks.rotate(userId, 3_600);
    const result = await site.webhooks.test(userId);
    assert.deepEqual([result.outcome?.status, result.refusedBefore?.status], [401, 401]);
    const { delivery } = await settled(site.webhooks, userId);
    assert.deepEqual([delivery.state, delivery.attempts, receiver.received.length], ['failed', 2, 2]);
  });

  it('a redelivery begins again with the secret that was accepted last', async () => {
    await using site = await suite.open({ retryDelaysS: [3_600, 3_600, 3_600] });
    const userId = newUser();
    let secret = '';
    await using receiver = await startReceiver((request, response) => {
      response.writeHead(signedWith(request, secret) ? 200 : 401).end();
    });
    await site.webhooks.register(userId, receiver.url());
    await completeWork(suite.store(), site.webhooks, userId);
    const { delivery } = await settled(site.webhooks, userId, ['pending']);
    await receiver.until(1);
    secret = (await site.webhooks.rotate(userId, 3_600)).clientSecret;
    assert.equal((await site.webhooks.test(userId)).secret, 'current');
    // An odd number of attempts was made before.
    const sent = receiver.received.length;
    await site.webhooks.redeliver(userId, delivery.id);
    await receiver.until(sent + 1);
    assert.ok(signedWith(receiver.received[sent]!, secret));
  });
});

function signedWith({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const [, t, v1] = /^t=(\d+), v1=(.*)$/.exec(String(headers['x-service-webhook-signature'])) ?? [];
  return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex') === v1;
}

function folder(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'firstmile-keys-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}
