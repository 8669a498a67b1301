import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { ConfigError, readConfig, type Config } from '../../src/config/settings.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { createLog, type Log } from '../../src/log.ts';
import { joinInstallation } from '../../src/service/installation/join-installation.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const [, postgres] = testEngines();

describe('processes on one database', { skip: postgres?.skip ?? true }, () => {
  let root: string;
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'firstmile-installation-'));
    database = await postgres.create();
    store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
  });
  after(async () => {
    await store?.close();
    await database?.drop();
    await rm(root, { recursive: true, force: true });
  });

  async function configOf(name: string, entries: readonly object[], more: object = {}): Promise<Config> {
    const dataDir = join(root, name);
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(dataDir, 'catalogue.json'), JSON.stringify(entries));
    const env = { AUTO_DATA: 'off', CATALOGUE: join(dataDir, 'catalogue.json'), DATA_DIR: dataDir, ...more };
    return readConfig({ DATABASE_URL: 'postgres://unused', ...env });
  }
  const joinAs = (config: Config, hostName: string, own: Log = log) =>
    joinInstallation(store, config, 'serve', own, { hostName, beatMs: 20 });

  it('start with the same catalogue, and not with another one while a process with the first is at work', async () => {
    const first = await joinAs(await configOf('a', []), 'host-a');
    const second = await joinAs(await configOf('b', []), 'host-b');
    const other = await configOf('c', [{ id: 'mine' }]);
    await assert.rejects(joinAs(other, 'host-c'), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /CATALOGUE: not the same as that of serve on host-a \(process \d+\)/);
      assert.match(error.message, /host-b[^]*ACCEPT_OTHER_SETTINGS=on/);
      return true;
    });
    const accepted = await joinAs({ ...other, acceptOtherSettings: true }, 'host-c');
    await accepted?.leave();
    await first?.leave();
    await second?.leave();
    const alone = await joinAs(other, 'host-c');
    await alone?.leave();
  });

  it('wait for one that was killed until it counts as gone, also next to one that is at work', async () => {
    const first = await joinAs(await configOf('a', []), 'host-a');
    const killed = `insert into processes (id, name, settings, seen_at)
      values (gen_random_uuid(), 'serve on host-k (process 1)', '{"values":{"CATALOGUE":"x"},"sealing":null,"ownFolder":null}',
        clock_timestamp() - interval '13 seconds')`;
    await sql.raw(killed).execute(store.db);
    const second = await joinAs(await configOf('b', []), 'host-b');
    await second?.leave();
    await first?.leave();
  });

  it('say so when the catalogue of one is replaced while they run', async () => {
    const config = await configOf('a', []);
    const first = await joinAs(config, 'host-a');
    const warned = Promise.withResolvers<unknown>();
    const listening = { ...log, warn: (fields: unknown) => warned.resolve(fields), debug: () => {} } as unknown as Log;
    const second = await joinAs(await configOf('b', []), 'host-b', listening);
    await writeFile(config.catalogue!, JSON.stringify([{ id: 'new' }]));
    assert.match(JSON.stringify(await warned.promise), /CATALOGUE: not the same as that of serve on host-a/);
    await first?.leave();
    await second?.leave();
  });

  it('of which two with different settings start at once: one does', async () => {
    const configs = await Promise.all([configOf('a', []), configOf('b', [{ id: 'other' }])]);
    const outcomes = await Promise.allSettled(configs.map((config, i) => joinAs(config, `host-${i}`)));
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value?.leave();
  });
});
