import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { createBackupAdmin } from '../../src/app/operate/backup-control.ts';
import { backUp, checkBackup, restore } from '../../src/app/operate/backup.ts';
import { controlPath, startControl } from '../../src/app/control.ts';
import { readConfig, type Config } from '../../src/config/settings.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { createLog } from '../../src/log.ts';
import { writeArchive } from '../../src/service/backup/archive.ts';
import { placeOfPart } from '../../src/service/backup/data-files.ts';
import { loadRelease } from '../upgrade/load-release.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const FILES = {
  'packs/my-region/manifest.json': '{"id": "my-region"}',
  'packs/my-region/roads.fgb': 'ø bytes \u0000 of roads',
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

for (const engine of await testEngines()) {
  describe(`backup and restore on ${engine.name}`, { skip: engine.skip }, () => {
    async function emptyPlace(t: TestContext): Promise<Config> {
      const database = await engine.create();
      t.after(() => database.drop());
      if (database.databaseUrl === null) await rm(join(database.dataDir, 'database'), { recursive: true });
      return configOf(database);
    }

    it('restores every row and file into an empty place, and refuses what is no whole backup', async (t) => {
      const release = await loadRelease(engine);
      t.after(() => release.drop());
      const config = configOf(release);
      const folder = await temporaryFolder(t);
      await writeFiles(config.dataDir, { ...FILES, 'cache/aside': 'x', 'packs/.draft': 'x', 'secrets.key': 'key' });
      const store = await open(config);
      await addHardRows(store);
      const before = await digests(store);
      await store.close();
      assert.ok(Object.values(before).filter((digest) => !digest.startsWith('0 ')).length > 12, JSON.stringify(before));

      const path = join(folder, 'a.zip');
      const manifest = await backUp(config, { path, withKey: false, withData: true, log });
      assert.equal(manifest.sealingKey, 'not included');
      await assert.rejects(backUp(config, { path, withKey: false, withData: true, log }), /is there already/);

      const target = await emptyPlace(t);
      const restored = await restore(target, path, log);
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
      await assert.rejects(restore(target, path, log), /is in use: it has packs/);
      const inUse = { ...target, dataDir: folder };
      if (engine.name === 'postgres')
        await assert.rejects(restore(inUse, path, log), /the database is in use: its table \w+ has rows/);

      await assertDamageIsFound(path, folder);
      const { parts: _, ...about } = manifest;
      const later = join(folder, 'later.zip');
      await writeArchive(later, [], { ...about, database: { ...about.database, version: 999 } });
      await assert.rejects(restore(await emptyPlace(t), later, log), /database version 999, and this release knows/);
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
      const manifest = await backUp(config, { path, withKey: false, withData: false, log });
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
