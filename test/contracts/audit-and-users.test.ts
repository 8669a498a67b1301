import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openAuth } from '../../src/auth/open-auth.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { createLog } from '../../src/log.ts';
import { recordCommandAct, takeInActs } from '../../src/app/audit.ts';
import { readConfig } from '../../src/config/settings.ts';
import { createUsersAdmin, type UsersAdmin } from '../../src/app/users-control.ts';
import { startStoreKeeper } from '../../src/app/keep-store.ts';
import { createAuditLog, type KeptAuditLog, withAct } from '../../src/db/audit-log.ts';
import { createCollectionStore } from '../../src/db/collections/create-collections.ts';
import { createEmailBox } from '../../src/db/email/create-email-box.ts';
import { openEmailQueue } from '../../src/db/email/create-email-queue.ts';
import { queueEmail } from '../../src/db/email/queue-email.ts';
import { createWatchStore } from '../../src/db/watches/create-watches.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openWebhookStore } from '../../src/db/webhooks/open-webhook-store.ts';
import { createEvent } from '../../src/webhooks/webhook-event.ts';
import { testServer } from '../memory/test-server.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });

for (const engine of testEngines())
  describe(`on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let audit: KeptAuditLog;
    let users: UsersAdmin;
    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
      audit = createAuditLog(store.db, 30);
      users = createUsersAdmin(store);
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    describe('the audit log', () => {
      it('records who changed what, when and from where, through HTTP, for administrators to read', async () => {
        await using server = testServer({ audit, credentials: store.credentials });
        const admin = await server.login();
        const ask = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
          server.app.inject({
            method,
            url,
            headers: { authorization: admin.authorization },
            remoteAddress: '203.0.113.7',
            ...(payload && { payload }),
          });
        const made = (await ask('POST', '/tokens', { label: 'ci', scopes: ['forest'] })).json<{
          id: string;
          token: string;
        }>();
        await ask('DELETE', `/tokens/${made.id}`);
        const answer = await ask('GET', '/audit?limit=1');
        const { acts, next } = answer.json<{ acts: Record<string, unknown>[]; next: string }>();
        const { id: _, at, credential, ...act } = acts[0]!;
        assert.deepEqual(act, {
          actor: admin.userId,
          source: '203.0.113.7',
          act: 'token_revoked',
          target: made.id,
          detail: {},
        });
        assert.match(String(credential), /^token:/);
        assert.ok(Math.abs(Date.parse(String(at)) - Date.now()) < 3_600_000);
        const second = await ask('GET', `/audit?before=${next}`);
        const older = second.json<{ acts: Record<string, unknown>[]; next: null }>();
        assert.deepEqual(
          older.acts.map((one) => [one['act'], one['detail']]),
          [
            [
              'token_created',
              { label: 'ci', scopes: ['forest'], user: (await store.credentials.userById(admin.userId))?.email },
            ],
          ],
        );
        assert.equal(older.next, null);
        assert.ok(!answer.body.includes(made.token) && !second.body.includes(made.token));
        assert.equal((await ask('GET', `/audit?before=${randomUUID()}`)).statusCode, 422);
        const other = await server.login(['collections']);
        const refused = await server.app.inject({ url: '/audit', headers: { authorization: other.authorization } });
        assert.equal(refused.statusCode, 403);
      });

      it('forgets what is older than its retention', async () => {
        const act = { actor: 'ana', credential: 'command', source: 'test', act: 'model_removed', target: 'm' } as const;
        await audit.recordAct({ ...act, at: new Date(Date.now() - 31 * 86_400_000) });
        await audit.recordAct(act);
        assert.equal((await audit.listActs({ limit: 10, act: 'model_removed' })).length, 1);
      });

      /** A keeper of the store whose rounds the test begins. */
      function keeperByHand() {
        let work = (): unknown => assert.fail('nothing is repeated');
        const keeper = startStoreKeeper({
          store: { ...store, objects: null },
          audit,
          log,
          repeat: (_, repeated) => {
            work = repeated;
            return () => {};
          },
        });
        return { keeper, round: () => work() };
      }

      it('is rid of what is older than its retention without anybody listing it, whichever way it was written', async () => {
        const act = {
          actor: 'ana',
          credential: 'command',
          source: 'test',
          act: 'model_removed',
          target: 'old',
        } as const;
        const at = new Date(Date.now() - 31 * 86_400_000);
        await withAct(store.db, { ...act, at }, async () => true);
        await withAct(store.db, { ...act, target: 'new' }, async () => true);
        const kept = async () => {
          const rows = await store.db
            .selectFrom('audit_log')
            .select('target')
            .where('target', 'in', ['old', 'new'])
            .execute();
          return rows.map(({ target }) => target).toSorted();
        };
        const { keeper, round } = keeperByHand();
        assert.deepEqual(await kept(), ['new', 'old']);
        round();
        for (let tries = 0; (await kept()).length > 1; tries++) {
          assert.ok(tries < 200, 'the old act stays');
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await keeper.stop();
        assert.deepEqual(await kept(), ['new']);
      });

      it('keeps nothing of a file that was never stored to its end, a day later', async () => {
        const { rows } = await sql<{ id: string }>`insert into blobs (size, created_at)
          select null, now() - age from unnest(array[interval '25 hours', interval '23 hours']) as age returning id`.execute(
          store.db,
        );
        const [old, young] = rows.map(({ id }) => id);
        await sql`insert into blob_chunks (blob_id, seq, bytes) values (${old!}::uuid, 0, 'a')`.execute(store.db);
        const left = async () =>
          (await store.db.selectFrom('blobs').select('id').where('id', 'in', [old!, young!]).execute()).map(
            ({ id }) => id,
          );
        const { keeper, round } = keeperByHand();
        await round();
        await keeper.stop();
        assert.deepEqual(await left(), [young]);
        await store.db.deleteFrom('blobs').where('id', '=', young!).execute();
      });

      it('takes in what commands did while no service ran, once, whatever a crash left', async () => {
        const dataDir = join(database.dataDir, 'another-folder');
        await mkdir(dataDir, { recursive: true });
        const config = readConfig({ DATA_DIR: dataDir });
        await writeFile(join(dataDir, 'audit-pending.jsonl.taken'), '{"actor":"cut off');
        await recordCommandAct(config, {
          actor: 'ana@machine',
          credential: 'command',
          source: 'firstmile data import osm',
          act: 'dataset_imported',
          target: 'north.osm.pbf',
        });
        await takeInActs(dataDir, audit);
        await takeInActs(dataDir, audit);
        const [only, ...others] = await audit.listActs({ limit: 10, act: 'dataset_imported' });
        assert.deepEqual(
          [only?.target, only?.source, others.length],
          ['north.osm.pbf', 'firstmile data import osm', 0],
        );
        assert.equal(only?.actor, 'ana@machine');
      });

      it('has an act exactly when its change is made: one that cannot be recorded changes nothing', async () => {
        const by = { actor: 'ana', credential: 'command', source: 'test' };
        const broken = { ...by, act: 'nonsense' as 'user_added', target: null as unknown as string };
        const email = 'atomic@example.org';
        await assert.rejects(store.credentials.addUser(email, null, broken));
        assert.equal(await store.credentials.userByEmail(email), null);
        const user = await store.credentials.addUser(email, null, { ...by, act: 'user_added', target: email });
        await assert.rejects(store.credentials.setPassword(user.id, 'hash', broken));
        assert.equal((await store.credentials.userById(user.id))?.passwordHash, null);
        await store.credentials.setPassword(user.id, 'hash', { ...by, act: 'password_changed', target: email });
        const token = { userId: user.id, label: 'x', scopes: ['forest'] as const, expiresAt: null };
        await assert.rejects(store.credentials.addToken({ ...token, hash: createToken().hash }, broken));
        assert.deepEqual(await store.credentials.listTokens({ userId: user.id }), []);
        const made = await store.credentials.addToken(
          { ...token, hash: createToken().hash },
          { ...by, act: 'token_created' },
        );
        await assert.rejects(store.credentials.revokeToken(made.id, broken));
        assert.equal((await store.credentials.listTokens({ userId: user.id })).length, 1);
        const revoke = { ...by, act: 'token_revoked', target: made.id } as const;
        assert.equal(await store.credentials.revokeToken(made.id, revoke), true);
        assert.equal(await store.credentials.revokeToken(made.id, revoke), false, 'and is recorded once');
        await assert.rejects(users.removeUser({ id: user.id, legacy: { kind: 'keep' }, act: broken }));
        assert.notEqual(await store.credentials.userById(user.id), null);
        await users.removeUser({
          id: user.id,
          legacy: { kind: 'keep' },
          act: { ...by, act: 'user_removed', target: email },
        });
        const acts = (await audit.listActs({ limit: 50 })).filter(({ target }) => [email, made.id].includes(target));
        assert.deepEqual(
          acts.map(({ act }) => act),
          ['user_removed', 'token_revoked', 'token_created', 'password_changed', 'user_added'],
        );
      });
    });

    describe('a user', () => {
      async function withThings(email: string) {
        const { id } = await store.credentials.addUser(email, null);
        const { token, hash } = createToken();
        await store.credentials.addToken({ userId: id, label: 'x', scopes: ['forest'], hash, expiresAt: null });
        const collections = createCollectionStore(store);
        const collection = randomUUID();
        const file = { name: 'a.csv', size: 1, sha256: 'f'.repeat(64) };
        await collections.add(
          {
            id: collection,
            userId: id,
            name: 'lot',
            description: '',
            file,
            reading: {},
            mapping: [],
            idempotency: null,
          },
          async function* () {
            yield new Uint8Array([1]);
          },
        );
        const webhooks = await openWebhookStore(store, { retentionDays: 1, retryDelaysS: [10] });
        await webhooks.add({
          id: randomUUID(),
          userId: id,
          url: 'https://example.org/',
          host: 'example.org',
          secret: 's',
        });
        const event = createEvent('test_event', {}, new Date());
        await store.db.transaction().execute(async (trx) => {
          await webhooks.recordEvent(trx, { userId: id, event, uniqueKey: randomUUID() });
          const content = {
            kind: 'report',
            subject: 's',
            text: 't',
            attachments: [],
            textWithoutAttachments: null,
          } as const;
          await queueEmail(trx, { key: randomUUID(), userId: id, to: email, content, fault: null });
        });
        return { id, token, hash, collection, collections };
      }

      it('is listed with what belongs to it', async () => {
        const { id } = await withThings('lee@example.org');
        const found = (await users.listUsers()).find((user) => user.id === id);
        const { createdAt: _, ...rest } = found!;
        assert.deepEqual(rest, {
          id,
          email: 'lee@example.org',
          hasPassword: false,
          tokens: 1,
          collections: 1,
          webhook: true,
        });
      });

      it('loses tokens, webhook and waiting emails when it is removed, and its collections stay', async () => {
        const { id, hash, collection, collections } = await withThings('may@example.org');
        assert.deepEqual(await users.removeUser({ id, legacy: { kind: 'keep' } }), { collections: 1, tasks: 0 });
        assert.equal(await store.credentials.activeTokenByHash(hash), null);
        assert.equal(await store.credentials.userById(id), null);
        const { rows } = await sql<{ state: string; email: string; hooks: number }>`
          select (select state from webhook_deliveries where user_id = ${id}) as state,
            (select state from emails where user_id = ${id}) as email,
            (select count(*)::int from webhooks where user_id = ${id}) as hooks`.execute(store.db);
        assert.deepEqual(rows[0], { state: 'cancelled', email: 'failed', hooks: 0 });
        assert.equal((await collections.get(id, collection))?.id, collection);
      });

      it('leaves its collections to another user, or takes them along', async () => {
        const heir = await store.credentials.addUser('noa@example.org', null);
        const given = await withThings('oli@example.org');
        await users.removeUser({ id: given.id, legacy: { kind: 'give', to: heir.id } });
        assert.equal((await given.collections.get(heir.id, given.collection))?.userId, heir.id);
        const deleted = await withThings('pia@example.org');
        await users.removeUser({ id: deleted.id, legacy: { kind: 'delete' } });
        assert.equal(await deleted.collections.get(deleted.id, deleted.collection), null);
      });

      it('is removed whole or not at all: while a collection is busy nothing goes, and the same call works afterwards', async () => {
        const { id, collection, collections } = await withThings('vic@example.org');
        const other = randomUUID();
        await sql`insert into collections (id, user_id, name, description, status, file_name, file_size, file_sha256, file_blob,
            reading, mapping)
          select ${other}::uuid, user_id, name, description, 'processing', file_name, file_size, file_sha256, file_blob, reading,
            mapping from collections where id = ${collection}::uuid`.execute(store.db);
        const remove = () => users.removeUser({ id, legacy: { kind: 'delete' } });
        await assert.rejects(
          remove(),
          (error: Error) => error.message.includes(other) && /call again/.test(error.message),
        );
        assert.notEqual(await store.credentials.userById(id), null);
        assert.equal((await collections.list(id, { limit: 10 })).length, 2);
        await sql`update collections set status = 'staged' where id = ${other}::uuid`.execute(store.db);
        assert.deepEqual(await remove(), { collections: 2, tasks: 0 });
        assert.equal(await store.credentials.userById(id), null);
        const { rows } = await sql<{
          left: number;
        }>`select (select count(*)::int from collections where user_id = ${id})
          + (select count(*)::int from blobs where size is null) as left`.execute(store.db);
        assert.equal(rows[0]?.left, 0);
      });

      it('keeps no file that arrives while it is removed, whatever becomes of its other collections', async () => {
        for (const kind of ['keep', 'delete'] as const) {
          const { id, collections } = await withThings(`kim-${kind}@example.org`);
          async function* arriving(): AsyncGenerator<Uint8Array, void> {
            yield Buffer.from('a,b\n');
            await users.removeUser({ id, legacy: { kind } });
            yield Buffer.from('1,2\n');
          }
          const before = await counted();
          const file = { name: 'late.csv', size: 8, sha256: 'ab'.repeat(32) };
          const staged = { name: 'late', description: '', file, reading: {}, mapping: [], idempotency: null };
          const add = (isLocalUser: boolean, bytes: () => AsyncIterable<Uint8Array>) =>
            collections.add({ id: randomUUID(), userId: id, isLocalUser, ...staged }, bytes);
          await assert.rejects(add(true, arriving), { code: 'invalid_token' });
          const less = kind === 'delete' ? 1 : 0;
          assert.deepEqual(await counted(), { blobs: before.blobs - less, collections: before.collections - less });
        }
        async function counted(): Promise<{ blobs: number; collections: number }> {
          const { rows } = await sql<{ blobs: number; collections: number }>`
            select (select count(*)::int from blobs) as blobs, (select count(*)::int from collections) as collections`.execute(
            store.db,
          );
          return rows[0]!;
        }
      });

      it(
        'is removed with a file that was being kept for it at that moment',
        { skip: engine.name === 'embedded' },
        async () => {
          const { id, collections } = await withThings('lou@example.org');
          let removed: Promise<unknown> | null = null;
          await store.db.transaction().execute(async (trx) => {
            // What keeping a file holds until its collection is written.
            await sql`select from users where id = ${id}::uuid for key share`.execute(trx);
            removed = users.removeUser({ id, legacy: { kind: 'delete' } });
            await new Promise((resolve) => setTimeout(resolve, 200));
            await sql`insert into collections select (json_populate_record(c, json_build_object('id', ${randomUUID()}::text))).*
            from collections c where user_id = ${id}`.execute(trx);
          });
          await removed;
          assert.deepEqual(await collections.list(id, { limit: 10 }), []);
          assert.equal(await store.credentials.userById(id), null);
        },
      );

      it('gets no email after it was removed, not even one whose attempt failed while it went out', async () => {
        const queue = await openEmailQueue(store, randomUUID());
        const box = createEmailBox(store.db);
        const sending = async (email: string) => {
          const { id } = await withThings(email);
          const claimed = (await queue.claim(100, 'example.org')).find(({ to }) => to === email)!;
          await users.removeUser({ id, legacy: { kind: 'keep' } });
          return claimed;
        };
        const endOf = async (run: { readonly id: string }) => {
          const { email, attempts } = (await box.showEmail(run.id))!;
          return [email.state, email.detail, email.nextAttemptAt, email.finishedAt !== null, attempts.length];
        };
        const removed = ['failed', 'The user was removed.', null, true];
        const failed = await sending('wim@example.org');
        assert.equal(await queue.record(failed, { result: 'again', detail: '451 later', againAfterS: 60 }), true);
        assert.deepEqual(await endOf(failed), [...removed, 1]);
        const stopped = await sending('xia@example.org');
        assert.equal(await queue.giveBack(stopped), true);
        assert.deepEqual(await endOf(stopped), [...removed, 0]);
        const lost = await sending('yan@example.org');
        const sent = await sending('zoe@example.org');
        await sql`update emails set lease_until = now() - interval '1 second' where id = ${lost.id}`.execute(store.db);
        assert.equal(await queue.reapExpired(), 1);
        assert.deepEqual(await endOf(lost), [...removed, 1]);
        assert.equal(await queue.record(sent, { result: 'sent', detail: '250 ok', againAfterS: null }), true);
        assert.deepEqual(await endOf(sent), ['sent', '250 ok', null, true, 1]);
      });

      it('has no delivery that goes out later, not even one whose attempt failed while it was removed', async () => {
        const { id } = await withThings('abe@example.org');
        const { queue } = await openWebhookStore(store, { retentionDays: 1, retryDelaysS: [10] });
        const [delivery] = await queue.claim([{ userId: id, count: 1 }]);
        await users.removeUser({ id, legacy: { kind: 'keep' } });
        const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
        const outcome = {
          durationMs: 5,
          status: 503,
          reason: 'status' as const,
          detail: null,
          address: null,
          timings,
          excerpt: null,
        };
        await queue.record([
          { delivery: delivery!, outcome, final: false, startedAt: delivery!.claimedAt, accepted: null } as never,
        ]);
        const { rows } = await sql`select state, next_attempt_at, attempts from webhook_deliveries
          where id = ${delivery!.id}::uuid`.execute(store.db);
        assert.deepEqual(rows, [{ state: 'cancelled', next_attempt_at: null, attempts: 1 }]);
      });

      it('takes the address that a watch reports to with it, which is no address of the next owner', async () => {
        const heir = await store.credentials.addUser('tia@example.org', null);
        const { id, collection } = await withThings('ugo@example.org');
        const watches = createWatchStore(store);
        await watches.add({ collectionId: collection, email: 'ugo@elsewhere.example', known: [] });
        await sql`insert into collection_watch_runs (id, collection_id, number, state, datasets)
          values (${randomUUID()}, ${collection}, 1, 'measuring', '[]')`.execute(store.db);
        const reported = async () => {
          const run = (await watches.open()).find(({ collectionId }) => collectionId === collection);
          return run && { userId: run.userId, email: run.email };
        };
        assert.deepEqual(await reported(), { userId: id, email: 'ugo@elsewhere.example' });
        await users.giveOwned({ from: id, to: heir.id });
        assert.deepEqual(await reported(), { userId: heir.id, email: null });
      });

      it('is not removed while a task of it is unfinished', async () => {
        const { id } = await withThings('quin@example.org');
        await sql`insert into tasks (id, kind, user_id, status, params, retention_s)
          values (${randomUUID()}, 'collection_batch', ${id}, 'processing', 'null', 1)`.execute(store.db);
        await assert.rejects(users.removeUser({ id, legacy: { kind: 'keep' } }), { code: 'conflict' });
        assert.notEqual(await store.credentials.userById(id), null);
      });

      it('gives nothing away while a task of it is unfinished', async () => {
        const { id, collection, collections } = await withThings('sol@example.org');
        await sql`insert into tasks (id, kind, user_id, status, params, retention_s)
          values (${randomUUID()}, 'collection_batch', ${id}, 'processing', 'null', 1)`.execute(store.db);
        await assert.rejects(users.giveOwned({ from: id, to: 'another' }), { code: 'conflict' });
        assert.equal((await collections.get(id, collection))?.id, collection);
      });

      it('whose password was right has a JWT that ends with the user', async () => {
        await using server = testServer({ credentials: store.credentials });
        const { id } = await withThings('rui@example.org');
        const { token } = await openAuth(readConfig({}), store.credentials).issueAccessToken(id);
        const ask = () => server.app.inject({ url: '/tasks', headers: { authorization: `Bearer ${token}` } });
        assert.equal((await ask()).statusCode, 200);
        await users.removeUser({ id, legacy: { kind: 'keep' } });
        for (let tries = 0; (await ask()).statusCode !== 401; tries++) {
          assert.ok(tries < 100);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    });
  });
