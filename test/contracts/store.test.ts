import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { Problem } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { FolderInUseError } from '../../src/db/embedded/lock-folder.ts';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/migrations.ts';
import { openPostgres } from '../../src/db/postgres/open-postgres.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { runs } from '../property-runs.ts';
import { createEmptyPostgres, testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const open = ({ dataDir, databaseUrl }: TestDatabase): Promise<Store> =>
  openStore({ dataDir, databaseUrl, poolSize: 10, log });

for (const engine of testEngines()) {
  describe(`the store on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;

    before(async () => {
      database = await engine.create();
      store = await open(database);
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    const newUser = () => store.credentials.addUser(`user-${randomBytes(8).toString('hex')}@example.org`, null);
    const newToken = async (expiresAt: Date | null = null) => {
      const hash = randomBytes(32);
      const { id: userId } = await newUser();
      const record = await store.credentials.addToken({
        userId,
        label: 'test',
        scopes: ['validate', 'admin'],
        hash,
        expiresAt,
      });
      return { hash, record, userId };
    };

    it('answers a ping and says which engine it is', async () => {
      await store.ping();
      assert.equal(store.engine, engine.name);
    });

    it('finds a user by email in any case and refuses the same email twice', async () => {
      const { credentials } = store;
      const user = await credentials.addUser('Ada.Lovelace@Example.org', 'hash');
      assert.deepEqual(await credentials.userByEmail('ADA.lovelace@example.ORG'), user);
      assert.deepEqual(await credentials.userById(user.id), user);
      assert.ok(user.createdAt instanceof Date);
      await assert.rejects(credentials.addUser('ada.lovelace@example.org', null), {
        name: 'Problem',
        code: 'conflict',
      });
      await credentials.setPassword(user.id, 'another');
      assert.equal((await credentials.userById(user.id))?.passwordHash, 'another');
    });

    it('knows no user under an id that is not one', async () => {
      assert.equal(await store.credentials.userById('x'), null);
      assert.equal(await store.credentials.userById("'; drop table users; --"), null);
      assert.equal(await store.credentials.userByEmail('nobody@example.org'), null);
      assert.equal(await store.credentials.revokeToken('x'), false);
    });

    it('gives back an active token with its hash', async () => {
      const { hash, record } = await newToken();
      const found = await store.credentials.activeTokenByHash(hash);
      assert.deepEqual(found?.record, record);
      assert.deepEqual(new Uint8Array(found.hash), new Uint8Array(hash));
      assert.deepEqual(record.scopes, ['validate', 'admin']);
      assert.equal(await store.credentials.activeTokenByHash(randomBytes(32)), null);
    });

    it('gives back neither an expired nor a revoked token', async () => {
      const expired = await newToken(new Date(Date.now() - 60_000));
      assert.equal(await store.credentials.activeTokenByHash(expired.hash), null);
      const valid = await newToken(new Date(Date.now() + 60_000));
      assert.equal(await store.credentials.revokeToken(valid.record.id), true);
      assert.equal(await store.credentials.revokeToken(valid.record.id), false);
      assert.equal(await store.credentials.activeTokenByHash(valid.hash), null);
    });

    it('lists tokens by user, revoked ones on demand, with the time of their last use', async () => {
      const { record, userId } = await newToken();
      await store.credentials.touchToken(record.id);
      const [listed] = await store.credentials.listTokens({ userId });
      assert.equal(listed?.id, record.id);
      assert.ok(listed.lastUsedAt instanceof Date);
      await store.credentials.revokeToken(record.id);
      assert.deepEqual(await store.credentials.listTokens({ userId }), []);
      assert.equal((await store.credentials.listTokens({ userId, includeRevoked: true })).length, 1);
    });

    it('counts users', async () => {
      const count = await store.credentials.countUsers();
      await newUser();
      assert.equal(await store.credentials.countUsers(), count + 1);
    });

    it('keeps the first value of a secret that 20 callers make at once', async () => {
      const values = await Promise.all(
        Array.from({ length: 20 }, () => store.credentials.namedSecret('raced', () => randomBytes(32))),
      );
      assert.equal(new Set(values.map((value) => Buffer.from(value).toString('hex'))).size, 1);
    });

    it('rolls back what a failed transaction wrote and goes on working', async () => {
      const count = await store.credentials.countUsers();
      await assert.rejects(
        store.db.transaction().execute(async (trx) => {
          await sql`insert into users (email) values ('gone@example.org')`.execute(trx);
          await sql`select 1 / 0`.execute(trx);
        }),
      );
      assert.equal(await store.credentials.countUsers(), count);
    });

    it('keeps concurrent statements out of a transaction', async () => {
      const { promise: release, resolve } = Promise.withResolvers<void>();
      const inside = store.db.transaction().execute(async (trx) => {
        await sql`insert into users (email) values ('inside@example.org')`.execute(trx);
        await release;
        throw new Error('rolled back on purpose');
      });
      const outside = newUser();
      setTimeout(resolve, 50);
      await assert.rejects(inside, /on purpose/);
      assert.notEqual(await store.credentials.userById((await outside).id), null);
      assert.equal(await store.credentials.userByEmail('inside@example.org'), null);
    });

    it('returns the bytes of any blob as they were, however they arrived', async () => {
      const pieces = fc.array(fc.uint8Array({ maxLength: 300_000, size: 'max' }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(pieces, async (parts) => {
          const { id, size } = await store.blobs.put(each(parts));
          const found = await store.blobs.get(id);
          assert.ok(found !== null);
          const bytes = Buffer.concat(await Array.fromAsync(found.bytes));
          assert.ok(bytes.equals(Buffer.concat(parts)));
          assert.equal(size, bytes.length);
          assert.equal(found.size, size);
          assert.equal(await store.blobs.delete(id), true);
          assert.equal(await store.blobs.get(id), null);
        }),
        { numRuns: 15 },
      );
    });

    it('leaves nothing of a blob whose source failed', async () => {
      const failing = async function* (): AsyncIterable<Uint8Array> {
        yield new Uint8Array(300_000);
        throw new Error('the sender went away');
      };
      await assert.rejects(store.blobs.put(failing()), /went away/);
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from blob_chunks`.execute(store.db);
      assert.equal(rows[0]?.count, 0);
    });

    it('migrates nothing twice and refuses a database that is newer than the code', async () => {
      assert.deepEqual(await migrate(store.db), []);
      await assert.rejects(
        migrate(store.db, MIGRATIONS.slice(0, 1)),
        /at version \d+ and this firstmile knows versions up to 1/,
      );
    });

    it('leaves the database as it was when a migration fails', async () => {
      const broken = { version: 1_000, name: 'broken', up: async () => Promise.reject(new Error('no')) };
      const half = {
        version: 999,
        name: 'half',
        up: async (db: Parameters<(typeof MIGRATIONS)[number]['up']>[0]) =>
          void (await sql`create table half (i int)`.execute(db)),
      };
      await assert.rejects(migrate(store.db, [...MIGRATIONS, half, broken]), /no/);
      const { rows } = await sql<{ there: boolean }>`select to_regclass('half') is not null as there`.execute(store.db);
      assert.equal(rows[0]?.there, false);
    });
  });
}

const [, postgres] = testEngines();

describe('the store on a PostgreSQL server', { skip: postgres?.skip ?? true }, () => {
  let database: TestDatabase;
  before(async () => {
    database = await createEmptyPostgres();
  });
  after(() => database.drop());

  const PROCESSES = runs(10, 4);
  it(`lets ${PROCESSES} processes start on an empty database together, all of which see one secret`, async () => {
    const script = fileURLToPath(new URL('./store-process.fixture.ts', import.meta.url));
    const start = () => promisify(execFile)(process.execPath, [script, database.databaseUrl as string]);
    const outputs = await Promise.all(Array.from({ length: PROCESSES }, start));
    assert.equal(new Set(outputs.map(({ stdout }) => stdout)).size, 1);
    assert.match(outputs[0]?.stdout ?? '', /^[0-9a-f]{64}$/);
  });

  it('says that the database is unavailable when its sessions are cut, and recovers by itself', async () => {
    const store = await open(database);
    try {
      await store.ping();
      const admin = await open(database);
      const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      const busy = assert.rejects(sql`select pg_sleep(20)`.execute(store.db), isUnavailable);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await cut.execute(admin.db);
      await busy;
      await store.ping();
      assert.equal(await store.credentials.countUsers(), 0);
      await admin.close();
    } finally {
      await store.close();
    }
  });

  it('names the database that has tables of another program, and what to do', async () => {
    const foreign = await createEmptyPostgres();
    try {
      const pool = await openPostgres({ url: foreign.databaseUrl as string, poolSize: 1, log });
      const client = await pool.connect();
      await client.query('create table users (id int)');
      client.release();
      await pool.end();
      await assert.rejects(
        open(foreign),
        /the tables of the database \w+ on .*users.*give this one a database of its own/,
      );
    } finally {
      await foreign.drop();
    }
  });

  it('names host and database but never the password when the server cannot be reached', async () => {
    const url = 'postgres://someone:very-secret@127.0.0.1:1/nowhere';
    await assert.rejects(openStore({ dataDir: '/nonexistent', databaseUrl: url, poolSize: 2, log }), (error: Error) => {
      assert.match(error.message, /database nowhere on 127\.0\.0\.1:1 \(DATABASE_URL\) cannot be reached/);
      assert.doesNotMatch(error.message, /very-secret/);
      return true;
    });
  });
});

describe('the embedded store', () => {
  it('refuses a folder that is open already and names what to do; a closed one opens again', async () => {
    const [embedded] = testEngines();
    const database = await (embedded as NonNullable<typeof embedded>).create();
    const first = await open(database);
    try {
      await assert.rejects(open(database), (error: Error) => {
        assert.ok(error instanceof FolderInUseError);
        assert.ok(error.message.includes(database.dataDir));
        assert.match(error.message, /DATA_DIR.*DATABASE_URL/);
        return true;
      });
      await first.credentials.addUser('kept@example.org', null);
      await first.close();
      const second = await open(database);
      assert.notEqual(await second.credentials.userByEmail('kept@example.org'), null);
      await second.close();
    } finally {
      await first.close();
      await database.drop();
    }
  });
});

async function* each(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts;
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === 'dependency_unavailable';
}
