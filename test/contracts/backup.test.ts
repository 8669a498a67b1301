import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { createBackupAdmin } from '../../src/app/operate/backup-control.ts';
import { backUp, checkBackup, restore } from '../../src/app/operate/backup.ts';
import { controlPath, startControl } from '../../src/app/control.ts';
import { readConfig, type Config } from '../../src/config/settings.ts';
import { bucketPlace } from '../../src/config/bucket-place.ts';
import { moveResult, sweepObjects } from '../../src/db/object-store/keep-objects.ts';
import { openS3 } from '../../src/db/object-store/open-s3.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { openTasks } from '../../src/db/tasks/open-tasks.ts';
import { createLog } from '../../src/log.ts';
import { writeArchive } from '../../src/service/backup/archive.ts';
import { DATA_FOLDERS, dataFiles, placeOfPart } from '../../src/service/backup/data-files.ts';
import { packsFolder } from '../../src/service/datasets/pack-folder.ts';
import { registryPath } from '../../src/service/datasets/registries.ts';
import { storesFolder } from '../../src/service/labels/label-store.ts';
import { headPath } from '../../src/service/models/installed-models.ts';
import { thingsOf } from '../../src/service/shared-data/installed-things.ts';
import { openSharedData } from '../../src/service/shared-data/sync-data.ts';
import { startTestBucket, type TestBucket } from '../test-bucket.ts';
import { loadRelease } from '../upgrade/load-release.ts';
import { testEngines, type TestDatabase, type TestEngine } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const FILES = {
  'regional-packs/my-region/manifest.json': '{"id": "my-region"}',
  'regional-packs/my-region/roads.fgb': 'ø bytes \u0000 of roads',
  'registries/mills.registry': 'mills',
  'models/own/palm.json': '{}',
  'stores/aef/zarr.json': '{}',
  'audit-pending.jsonl': '',
};

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-backup-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function configOf({ dataDir, databaseUrl }: Pick<TestDatabase, 'dataDir' | 'databaseUrl'>): Config {
  return readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...(databaseUrl && { DATABASE_URL: databaseUrl }) });
}

function open({ dataDir, databaseUrl }: Config): Promise<Store> {
  return openStore({ dataDir, databaseUrl, poolSize: 4, log });
}

async function writeFiles(dataDir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dataDir, name, '..'), { recursive: true });
    await writeFile(join(dataDir, name), text);
  }
}

/** A checksum of every row of every table, by the name of the table, but for the counts that begin again. */
async function digests({ db }: Store): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not in ('rate_counts', 'migrations')
    order by 1`.execute(db);
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ count: string; digest: string }>`
      select count(*) || ' rows ' || md5(coalesce(string_agg(t::text, ' ' order by t::text collate "C"), '')) as digest
      from ${sql.table(name)} t`.execute(db);
    found[name] = rows[0].digest;
  }
  return found;
}

/** Values that a copy as text may lose: JSON as it was written, its null, times before and after all, any character. */
async function addHardRows({ db }: Store): Promise<void> {
  const hard = 'ø\u0001"\\\n\r\u2028{}[]\\N;--';
  await sql`insert into audit_log (at, actor, credential, source, act, target, detail) values
    ('-infinity', ${hard}, '', '', 'user_added', '', ${'{"b" : 1.50,\n "a":null, "b":[ ]}'}::json),
    ('0044-03-15 12:00:00.123456+00 BC', '', '', '', 'user_added', ${hard.repeat(500)}, 'null'::json)`.execute(db);
  const user = randomUUID();
  await sql`insert into users (id, email, password_hash) values (${user}, ${`${hard}@example.org`}, null)`.execute(db);
  await sql`insert into tokens (user_id, label, scopes, hash, expires_at)
    values (${user}, ${hard}, '[ "validate" ]', ${Buffer.alloc(32, '\u0000\u00fe')}, 'infinity')`.execute(db);
}

describe('a restore into a data folder', () => {
  it('keeps every other process from it until it is done, and one that was broken off from beginning with nothing', async (t) => {
    const [from, to, folder] = await Promise.all([temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]);
    const [source, target] = [from, to].map((dataDir) => configOf({ dataDir, databaseUrl: null }));
    await (await open(source)).close();
    const path = join(folder, 'a.zip');
    await backUp(source, { path, withKey: false, withData: true, withObjects: true, log });

    await mkdir(join(to, 'restore.unfinished'));
    await assert.rejects(open(target), /a restore into this folder was broken off: run firstmile restore again/);
    let started: Promise<string> | null = null;
    const start = (): Promise<string> =>
      open(target).then(
        (store) => store.close().then(() => 'started'),
        (error: Error) => error.message,
      );
    const onProgress = (step: string): void => void (step === 'restore' && (started ??= start()));
    await restore(target, path, { withObjects: true, log, onProgress });
    assert.match(String(await started), /is in use by another firstmile process/);
    assert.equal(await start(), 'started');
  });
});

describe('the place of a file in a backup', () => {
  it('is inside the data folder, whatever the archive says', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', '', 'packs', 'a', '\\', 'c:', 'database', '\u0000')), (parts) => {
        const place = placeOfPart(`files/${parts.join('/')}`);
        if (place === null) return;
        assert.match(place, /^packs\//);
        assert.ok(!place.split('/').includes('..'));
      }),
    );
    assert.equal(placeOfPart('files/packs/a/b.fgb'), join('packs', 'a', 'b.fgb'));
    assert.equal(placeOfPart('files/database/PG_VERSION'), null);
  });
});

for (const engine of testEngines()) {
  describe(`backup and restore on ${engine.name}`, { skip: engine.skip }, () => {
    async function emptyPlace(t: TestContext): Promise<Config> {
      const database = await engine.createEmpty();
      t.after(() => database.drop());
      return configOf(database);
    }

    it('restores every row and file into an empty place, and refuses what is no whole backup', async (t) => {
      const release = await loadRelease(engine);
      t.after(() => release.drop());
      const config = configOf(release);
      const folder = await temporaryFolder(t);
      await writeFiles(config.dataDir, {
        ...FILES,
        'cache/aside': 'x',
        'regional-packs/.draft': 'x',
        'secrets.key': 'key',
      });
      const store = await open(config);
      await addHardRows(store);
      const before = await digests(store);
      await store.close();
      assert.ok(Object.values(before).filter((digest) => !digest.startsWith('0 ')).length > 12, JSON.stringify(before));

      const path = join(folder, 'a.zip');
      const manifest = await backUp(config, { path, withKey: false, withData: true, withObjects: true, log });
      assert.equal(manifest.sealingKey, 'not included');
      await assert.rejects(
        backUp(config, { path, withKey: false, withData: true, withObjects: true, log }),
        /is there already/,
      );

      const target = await emptyPlace(t);
      const restored = await restore(target, path, { withObjects: true, log });
      assert.equal(restored.files, Object.keys(FILES).length);
      const copy = await open(target);
      assert.deepEqual(await digests(copy), before);
      await copy.close();
      for (const [name, text] of Object.entries(FILES))
        assert.equal(await readFile(join(target.dataDir, name), 'utf8'), text, name);
      assert.deepEqual(
        (await readdir(target.dataDir)).filter((name) => /secrets|cache|unfinished/.test(name)),
        [],
      );
      await assert.rejects(restore(target, path, { withObjects: true, log }), /is in use: it has regional-packs/);
      const inUse = { ...target, dataDir: folder };
      if (engine.name === 'postgres')
        await assert.rejects(
          restore(inUse, path, { withObjects: true, log }),
          /the database is in use: its table \w+ has rows/,
        );

      await assertDamageIsFound(path, folder);
      const { parts: _, ...about } = manifest;
      const later = join(folder, 'later.zip');
      await writeArchive(later, [], { ...about, database: { ...about.database, version: 999 } }, () => {});
      await assert.rejects(
        restore(await emptyPlace(t), later, { withObjects: true, log }),
        /database version 999, and this release knows/,
      );
    });

    it('is of one moment while others write, and leaves nothing behind', async (t) => {
      const database = await engine.create();
      t.after(() => database.drop());
      const config = configOf(database);
      const store = await open(config);
      const control =
        engine.name === 'embedded'
          ? await startControl(controlPath(config.dataDir), createBackupAdmin(store, config))
          : null;
      // Every user has one token, because both are written at once.
      const ended = new AbortController();
      const writing = (async () => {
        for (let i = 0; !ended.signal.aborted; i++)
          await store.db.transaction().execute(async (trx) => {
            const id = randomUUID();
            await sql`insert into users (id, email) values (${id}, ${`u${i}@example.org`})`.execute(trx);
            await sql`insert into tokens (user_id, label, scopes, hash) values (${id}, '', '[]', ${createHash('sha256').update(id).digest()})`.execute(
              trx,
            );
          });
      })();
      const path = join(await temporaryFolder(t), 'a.zip');
      const manifest = await backUp(config, { path, withKey: false, withData: false, withObjects: true, log });
      ended.abort();
      await writing;
      await control?.close();
      await store.close();
      const rows = Object.fromEntries(manifest.parts.map((part) => [part.name, part.rows]));
      assert.equal(rows['tables/tokens.jsonl'], rows['tables/users.jsonl']);
      assert.deepEqual(
        (await readdir(config.dataDir).catch(() => [])).filter((name) => name.includes('unfinished')),
        [],
      );
    });
  });
}

const [embeddedEngine, postgres] = testEngines() as [TestEngine, TestEngine];

describe('backup and restore of files in a bucket', { skip: postgres.skip }, () => {
  /** An upload, and the results of a task, in the bucket of a database. */
  async function filled(t: TestContext, bucket: TestBucket) {
    const config = await placeWith(t, postgres, bucket, 'lost');
    const objects = openS3(bucketPlace(config)!);
    const { dataDir, databaseUrl } = config;
    const store = await openStore({ dataDir, databaseUrl, objects, poolSize: 4, log });
    t.after(async () => {
      await store.close();
      await objects.close();
    });
    const upload = randomBytes(700_001);
    const { id: blobId } = await store.blobs.put(Readable.from([upload]));
    const { tasks, queue } = await openTasks(store, { maxQueued: 10, retentionDays: 7 });
    const userId = randomUUID();
    const { id: taskId } = await tasks.submit({ kind: 'write', userId, params: {}, input: null, idempotency: null });
    const run = (await queue.claim(['write']))!;
    const results = randomBytes(300_000);
    await queue.writeOutput(run, 0, results.subarray(0, 262_144));
    await queue.writeOutput(run, 1, results.subarray(262_144));
    await queue.complete(run, { type: 'application/zip', chunks: 2, progress: null });
    assert.equal(await moveResult(store.db, objects), true);
    await writeFiles(dataDir, FILES);
    const holds = async (copy: Store): Promise<void> => {
      assert.ok(Buffer.concat(await Array.fromAsync((await copy.blobs.get(blobId))!.bytes)).equals(upload));
      const { tasks: copied } = await openTasks(copy, { maxQueued: 10, retentionDays: 7 });
      const bytes = (await copied.results(userId, taskId))!;
      assert.ok(Buffer.concat((await Array.fromAsync(bytes)) as Uint8Array[]).equals(results));
    };
    return { config, objects, store, blobId, holds };
  }

  async function placeWith(t: TestContext, engine: typeof postgres, bucket: TestBucket | null, prefix: string) {
    const database = await engine.create();
    t.after(() => database.drop());
    const { dataDir, databaseUrl } = database;
    if (databaseUrl === null) await rm(join(dataDir, 'database'), { recursive: true });
    return readConfig({
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...(bucket && { ...bucket.env, OBJECT_STORE_URL: `${bucket.url}/${prefix}` }),
    });
  }

  const options = { withKey: false, withData: false, withObjects: true, log };

  it('restores them into an empty bucket, and into the rows of a database that has none', async (t) => {
    await using bucket = await startTestBucket();
    const { config, objects, holds } = await filled(t, bucket);
    const path = join(await temporaryFolder(t), 'a.zip');
    const manifest = await backUp(config, { ...options, path });
    assert.deepEqual([manifest.objects, manifest.missingObjects], ['included', []]);

    await assert.rejects(
      restore(await placeWith(t, postgres, bucket, 'lost'), path, { withObjects: true, log }),
      /the bucket .*lost.* is in use/,
    );
    for await (const { key } of objects.list('')) await objects.delete(key);
    const target = await placeWith(t, postgres, bucket, 'found');
    const { objects: restored } = await restore(target, path, { withObjects: true, log });
    assert.equal(restored?.count, 2);
    const found = openS3(bucketPlace(target)!);
    const copy = await openStore({ ...target, objects: found, poolSize: 4, log });
    await holds(copy);
    await copy.close();
    await found.close();

    for (const engine of testEngines()) {
      const alone = await placeWith(t, engine, null, '');
      assert.equal((await restore(alone, path, { withObjects: true, log })).objects?.place, 'the database');
      const without = await open(alone);
      await holds(without);
      await without.close();
    }
  });

  it('leaves them where they are with --without-objects', async (t) => {
    await using bucket = await startTestBucket();
    const { config, objects, holds } = await filled(t, bucket);
    const path = join(await temporaryFolder(t), 'a.zip');
    assert.equal((await backUp(config, { ...options, path, withObjects: false })).objects, 'not included');
    const target = await placeWith(t, postgres, bucket, 'lost');
    assert.equal((await restore(target, path, { withObjects: false, log })).objects, null);
    const copy = await openStore({ ...target, objects, poolSize: 4, log });
    await holds(copy);
    await copy.close();
  });

  it('names those that are missing or damaged and keeps everything else', async (t) => {
    await using bucket = await startTestBucket();
    const { config, objects, blobId } = await filled(t, bucket);
    const key = `blobs/${blobId}`;
    const folder = await temporaryFolder(t);
    await objects.put(key, Readable.from([randomBytes(700_001)]));
    const damaged = await backUp(config, { ...options, path: join(folder, 'damaged.zip') });
    assert.deepEqual(damaged.missingObjects, [key]);
    await objects.delete(key);
    const missing = await backUp(config, { ...options, path: join(folder, 'missing.zip') });
    assert.deepEqual(missing.missingObjects, [key]);
    assert.equal(missing.parts.filter(({ name }) => name.startsWith('objects/')).length, 1);
  });

  it('keeps the processes on the database from removing them while it reads', async (t) => {
    await using bucket = await startTestBucket();
    const { config, objects, store, blobId } = await filled(t, bucket);
    let swept: Promise<number> | null = null;
    bucket.fault = (line) => {
      if (!line.startsWith('GET') || !line.includes(`blobs/${blobId}`)) return null;
      swept ??= store.blobs.delete(blobId).then(() => sweepObjects(store.db, objects));
      // The backup is not over before the sweep is.
      return swept.then(() => null);
    };
    const path = join(await temporaryFolder(t), 'a.zip');
    const manifest = await backUp(config, { ...options, path });
    assert.equal(await swept, 0);
    assert.deepEqual(manifest.missingObjects, []);
    assert.ok(manifest.parts.some(({ name }) => name === `objects/blobs/${blobId}`));
    assert.equal(await sweepObjects(store.db, objects), 1);
  });

  it('shares restored packs through the new bucket, and takes those of hosts that made them', async (t) => {
    await using bucket = await startTestBucket();
    const { config } = await filled(t, bucket);
    await makePack(config.dataDir, 'uganda');
    const shared = openSharedData(config)!;
    await shared.push([...(await thingsOf(config)).values()], () => {}, AbortSignal.timeout(60_000));
    await shared.close();
    const path = join(await temporaryFolder(t), 'a.zip');
    const elsewhere = { ...config, dataDir: await temporaryFolder(t) };
    const manifest = await backUp(elsewhere, { ...options, path, withData: true });
    assert.ok(manifest.parts.some(({ name }) => name === 'files/regional-packs/uganda/roads.fgb'));
    const target = await placeWith(t, postgres, bucket, 'found');
    await restore(target, path, { withObjects: true, log });
    const third = { ...target, dataDir: await temporaryFolder(t) };
    const pulling = openSharedData(third)!;
    assert.deepEqual((await pulling.pull(AbortSignal.timeout(60_000))).pulled, [
      'packs/uganda',
      'registries/mills',
      'stores/aef',
    ]);
    await pulling.close();
  });
});

describe('a backup of a data folder', () => {
  async function filled(t: TestContext) {
    const database = await embeddedEngine.create();
    t.after(() => database.drop());
    await makePack(database.dataDir, 'uganda');
    return { config: configOf(database), path: join(await temporaryFolder(t), 'a.zip') };
  }
  const options = { withKey: false, withData: true, withObjects: true, log };

  it('is none where a pack is replaced before all of it was read', async (t) => {
    const { config, path } = await filled(t);
    let changed: Promise<void> | null = null;
    const onProgress = (step: string): void => {
      if (step === 'copy') changed ??= replacePack();
    };
    const replacePack = async (): Promise<void> => {
      await rm(join(config.dataDir, 'regional-packs/uganda'), { recursive: true });
      await makePack(config.dataDir, 'uganda');
    };
    await assert.rejects(
      backUp(config, { ...options, path, onProgress }),
      /regional-packs.uganda.\S+ was replaced or removed while the backup was made: make it again/,
    );
    await changed;
    assert.deepEqual(await readdir(join(path, '..')), []);
    await backUp(config, { ...options, path });
  });

  it('says how far it is, and how far its restore is', async (t) => {
    const { config, path } = await filled(t);
    const heard: { step: string; bytes: number; total: number | null }[] = [];
    const onProgress = (step: string, bytes: number, total: number | null): void =>
      void heard.push({ step, bytes, total });
    const { parts } = await backUp(config, { ...options, path, onProgress });
    const database = await embeddedEngine.create();
    t.after(() => database.drop());
    await rm(join(database.dataDir, 'database'), { recursive: true });
    await restore(configOf(database), path, { withObjects: true, log, onProgress });
    const steps = heard.map(({ step }) => step).filter((step, i, all) => step !== all[i - 1]);
    assert.deepEqual(steps, ['copy', 'check', 'restore']);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    assert.ok(bytes > 0);
    for (const step of ['copy', 'check', 'restore']) {
      const last = heard.findLast((one) => one.step === step);
      assert.deepEqual(last, { step, bytes, total: step === 'copy' ? null : bytes });
    }
  });
});

describe('the folders of a backup', () => {
  it('hold everything that can be imported, trained or built', async (t) => {
    const dataDir = await temporaryFolder(t);
    await makePack(dataDir, 'uganda');
    const things = [
      packsFolder({ dataDir }),
      registryPath({ dataDir }, 'mills'),
      headPath({ dataDir }, 'palm'),
      storesFolder({ dataDir }),
    ];
    const folders = things.map((path) => relative(dataDir, path).split(sep)[0]);
    assert.deepEqual(folders.toSorted(), [...DATA_FOLDERS].toSorted());
    const parts = await dataFiles(dataDir, { withKey: false, withData: true });
    assert.ok(parts.some(({ name }) => name === 'files/regional-packs/uganda/roads.fgb'));
  });
});

async function makePack(dataDir: string, id: string): Promise<void> {
  const files = { 'pack.json': `{"id":"${id}"}`, 'roads.fgb': 'roads' };
  await writeFiles(join(dataDir, 'regional-packs', id), files);
}

/** Files that were cut off or changed anywhere are refused, or hold what they held. */
async function assertDamageIsFound(path: string, folder: string): Promise<void> {
  const bytes = await readFile(path);
  const sums = (await checkBackup(path)).parts.map(({ sha256 }) => sha256);
  const damaged = join(folder, 'damaged.zip');
  const random = createHash('sha256').update('places').digest();
  for (let i = 0; i < 24; i++) {
    const at = random.readUInt32BE(i) % bytes.length;
    await writeFile(damaged, bytes.subarray(0, at));
    await assert.rejects(checkBackup(damaged), /is no whole backup: it is cut off, damaged or something else/);
    const changed = Buffer.from(bytes);
    changed[at] ^= 0x10;
    await writeFile(damaged, changed);
    const outcome = await checkBackup(damaged).catch((error: Error) => error.message);
    if (typeof outcome === 'string') assert.match(outcome, /damaged\.zip (is no whole backup|holds|was|is a backup)/);
    else
      assert.deepEqual(
        outcome.parts.map(({ sha256 }) => sha256),
        sums,
      );
  }
  await writeFile(damaged, 'not a backup');
  await assert.rejects(checkBackup(damaged), /is no whole backup/);
}
