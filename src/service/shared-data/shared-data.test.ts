import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startTestBucket, type TestBucket } from '../../../test/test-bucket.ts';
import { readConfig, type Config } from '../../config/settings.ts';
import { importRegistry } from '../datasets/registries.ts';
import { thingsOf } from './installed-things.ts';
import { pruneFiles } from './shared-things.ts';
import { watchChanges } from './share-changes.ts';
import { checkShared, openSharedData, type SharedData } from './sync-data.ts';

const SIGNAL = new AbortController().signal;

describe('shared data', () => {
  let bucket: TestBucket;
  let folder: string;
  let round = 0;
  const opened: SharedData[] = [];
  before(async () => {
    bucket = await startTestBucket();
    folder = await mkdtemp(join(tmpdir(), 'firstmile-shared-'));
  });
  beforeEach(() => {
    round++;
    bucket.fault = () => null;
  });
  after(async () => {
    for (const shared of opened) await shared.close();
    await bucket?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** A data folder of its own, and the bucket's part that belongs to the test. */
  async function host(name: string): Promise<{ config: Config; shared: SharedData; path: string }> {
    const path = join(folder, `${round}-${name}`);
    await mkdir(path, { recursive: true });
    const env = { ...bucket.env, OBJECT_STORE_URL: `${bucket.url}/${round}`, DATA_DIR: path };
    const config = readConfig({ ...env, DATABASE_URL: 'postgres://unused' });
    const shared = openSharedData(config)!;
    opened.push(shared);
    return { config, shared, path };
  }

  async function makePack(path: string, id: string, text: string): Promise<void> {
    const pack = join(path, 'regional-packs', id);
    await rm(pack, { recursive: true, force: true });
    await mkdir(pack, { recursive: true });
    await writeFile(join(pack, 'roads.fgb'), text);
    await writeFile(join(pack, 'same.fgb'), 'never changes');
    await writeFile(join(pack, 'pack.json'), `{"id":"${id}","of":"${text}"}`);
  }

  const textOf = (path: string, id: string) => readFile(join(path, 'regional-packs', id, 'roads.fgb'), 'utf8');
  const push = async ({ config, shared }: { config: Config; shared: SharedData }, id: string) =>
    shared.push([(await thingsOf(config)).get(id)!], () => {}, SIGNAL);

  it('is what one host has, in the empty folder of another, byte for byte, until it is removed', async () => {
    const [one, other] = [await host('one'), await host('other')];
    await makePack(one.path, 'uganda', 'first');
    const list = join(folder, 'mills.csv');
    await writeFile(list, 'name,country,lat,lon\nKilang Satu,MY,4.58,102.61\n');
    await importRegistry(
      one.config,
      {
        path: list,
        id: 'mills',
        title: 'Mills',
        version: null,
        date: null,
        licence: 'x',
        attribution: 'x',
        commodities: [],
      },
      SIGNAL,
    );
    await mkdir(join(one.path, 'stores/aef/c/0'), { recursive: true });
    await writeFile(join(one.path, 'stores/aef/c/0/1'), 'labels');
    await writeFile(join(one.path, 'stores/aef/zarr.json'), '{}');
    await one.shared.push([...(await thingsOf(one.config)).values()], () => {}, SIGNAL);
    const { pulled } = await other.shared.pull(SIGNAL);
    assert.deepEqual(pulled, ['packs/uganda', 'registries/mills', 'stores/aef']);
    for (const file of ['regional-packs/uganda/same.fgb', 'registries/mills.registry', 'stores/aef/c/0/1'])
      assert.ok((await readFile(join(one.path, file))).equals(await readFile(join(other.path, file))), file);
    assert.deepEqual(await other.shared.pull(SIGNAL), { pulled: [], removed: [], unshared: [] });

    await makePack(one.path, 'uganda', 'second');
    await push(one, 'packs/uganda');
    bucket.seen.length = 0;
    assert.deepEqual((await other.shared.pull(SIGNAL)).pulled, ['packs/uganda']);
    assert.equal(await textOf(other.path, 'uganda'), 'second');
    assert.equal(
      bucket.seen.filter((line) => line.includes('/data-files/')).length,
      2,
      'what is the same is not fetched',
    );

    await one.shared.withdraw(['packs/uganda']);
    assert.deepEqual((await other.shared.pull(SIGNAL)).removed, ['packs/uganda']);
    assert.deepEqual(await readdir(join(other.path, 'regional-packs')), []);
    assert.equal(await pruneFiles(one.shared.objects), 5);
    assert.equal((await (await host('third')).shared.pull(SIGNAL)).pulled.length, 2);
  });

  it('comes back where somebody emptied the folder', async () => {
    const one = await host('one');
    await makePack(one.path, 'uganda', 'text');
    await push(one, 'packs/uganda');
    await rm(join(one.path, 'regional-packs'), { recursive: true });
    assert.deepEqual((await one.shared.pull(SIGNAL)).pulled, ['packs/uganda']);
    assert.equal(await textOf(one.path, 'uganda'), 'text');
  });

  it('leaves what was there when a file cannot be fetched or is damaged', async () => {
    const [one, other] = [await host('one'), await host('other')];
    await makePack(one.path, 'uganda', 'first');
    await push(one, 'packs/uganda');
    await other.shared.pull(SIGNAL);
    await makePack(one.path, 'uganda', 'second');
    await push(one, 'packs/uganda');
    bucket.fault = (line) => (line.includes('/data-files/') ? { status: 403, code: 'AccessDenied' } : null);
    await assert.rejects(other.shared.pull(SIGNAL));
    assert.equal(await textOf(other.path, 'uganda'), 'first');
    bucket.fault = () => null;
    const files = await Array.fromAsync(one.shared.objects.list('data-files/'));
    for (const { key, size } of files)
      await one.shared.objects.put(
        key,
        (async function* () {
          yield Buffer.alloc(size, 'x');
        })(),
      );
    await assert.rejects(other.shared.pull(SIGNAL), /is damaged; share the data again/);
    assert.equal(await textOf(other.path, 'uganda'), 'first');
    assert.deepEqual(await readdir(join(other.path, 'shared/drafts')), []);
  });

  it('never writes outside of the data folder, whatever a bucket holds', async () => {
    const one = await host('one');
    const put = (key: string, value: unknown) =>
      one.shared.objects.put(
        key,
        (async function* () {
          yield Buffer.from(JSON.stringify(value));
        })(),
      );
    const document = (path: string) => ({
      format: 'firstmile-data',
      formatVersion: 1,
      files: [{ path, size: 1, sha256: 'x' }],
    });
    for (const path of ['../../evil', '/evil', 'a/../../evil', '.hidden']) {
      await put('data/packs/evil.json', document(path));
      await assert.rejects(one.shared.pull(SIGNAL), /a layout that this release does not know/, path);
    }
    await one.shared.objects.delete('data/packs/evil.json');
    await put('data/secrets/key.json', document('a'));
    await assert.rejects(one.shared.pull(SIGNAL), /wanted the name of a pack/);
  });

  it('stops a start with what the others do not have, and says what to do', async () => {
    const [one, other] = [await host('one'), await host('other')];
    await makePack(one.path, 'uganda', 'mine');
    await assert.rejects(
      checkShared(one.config, one.shared, SIGNAL),
      /packs\/uganda in the data folder of this host.*firstmile data push/,
    );
    await push(one, 'packs/uganda');
    await checkShared(one.config, one.shared, SIGNAL);
    await makePack(other.path, 'uganda', 'theirs');
    await assert.rejects(checkShared(other.config, other.shared, SIGNAL), /packs\/uganda .*pull --force/);
    assert.equal(await textOf(other.path, 'uganda'), 'theirs', 'nothing is overwritten');
    assert.deepEqual((await other.shared.pull(SIGNAL, { force: true })).pulled, ['packs/uganda']);
    assert.equal(await textOf(other.path, 'uganda'), 'mine');
    const same = await host('same');
    await cp(join(one.path, 'regional-packs'), join(same.path, 'regional-packs'), { recursive: true });
    await checkShared(same.config, same.shared, SIGNAL);

    const alone = { ...one.config, objectStoreUrl: null };
    await assert.rejects(
      checkShared(alone, null, SIGNAL),
      /do not see packs\/uganda; set OBJECT_STORE_URL .* DATA_DIR_SHARED=on/,
    );
    await checkShared({ ...alone, dataDirShared: true }, null, SIGNAL);
    await checkShared({ ...alone, databaseUrl: null }, null, SIGNAL);
    await assert.rejects(
      checkShared({ ...one.config, databaseUrl: null }, one.shared, SIGNAL),
      /together with DATABASE_URL/,
    );
  });

  it('is what the first host has fetched by itself, for all of them', async () => {
    const [one, other] = [await host('one'), await host('other')];
    const list = async ({ config, path }: { config: Config; path: string }, mill: string) => {
      const file = join(path, 'list.csv');
      await writeFile(file, `name,country,lat,lon\n${mill},MY,4.58,102.61\n`);
      const about = { id: 'universal-mill-list', title: 'Mills', version: null, date: null, licence: 'x' };
      await importRegistry(config, { path: file, ...about, attribution: 'x', commodities: [] }, SIGNAL);
    };
    const registry = ({ path }: { path: string }) => readFile(join(path, 'registries/universal-mill-list.registry'));
    // The file at the address changed between the two.
    await list(one, 'Kilang Lama');
    await list(other, 'Kilang Baru');
    const before = await registry(one);
    assert.ok(!before.equals(await registry(other)));
    assert.deepEqual(await one.shared.pull(SIGNAL), { pulled: [], removed: [], unshared: [] });
    assert.deepEqual((await other.shared.pull(SIGNAL)).pulled, ['registries/universal-mill-list']);
    assert.ok(before.equals(await registry(other)));
    assert.deepEqual((await (await host('third')).shared.pull(SIGNAL)).pulled, ['registries/universal-mill-list']);
  });

  it('follows the commands that change a data folder', async () => {
    const [one, other] = [await host('one'), await host('other')];
    let said = '';
    const err = { write: (text: string) => ((said += text), true) } as NodeJS.WritableStream;
    {
      await using changes = await watchChanges(one.config, SIGNAL);
      await makePack(one.path, 'uganda', 'text');
      await changes?.share(err);
    }
    assert.match(said, /^packs\/uganda is in .*every process has it within seconds/);
    {
      await using changes = await watchChanges(other.config, SIGNAL);
      assert.equal(await textOf(other.path, 'uganda'), 'text', 'a command sees what is shared');
      await rm(join(other.path, 'regional-packs/uganda'), { recursive: true });
      await changes?.share(err);
    }
    assert.match(said, /packs\/uganda is no longer in/);
    assert.deepEqual((await one.shared.pull(SIGNAL)).removed, ['packs/uganda']);
  });
});
