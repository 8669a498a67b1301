import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { makePack } from '../../test/made-up-pack.ts';
import { readConfig } from '../config.ts';
import { pointShape } from '../geo/point-shape.ts';
import { createLog } from '../log.ts';
import { openInstalledData, type InstalledData } from './installed-data.ts';
import { packsFolder, removeInstalledPack } from './packs.ts';

const { signal } = new AbortController();

describe('installed data', () => {
  let dataDir: string;
  let data: InstalledData;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'installed-'));
    const config = readConfig({ DATA_DIR: dataDir, SAMPLE_DISTRICT: 'off' });
    data = await openInstalledData(config, [], createLog({ level: 'silent', json: true }));
  });
  afterEach(async () => {
    await data.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('stays the same object while nothing changes', async () => {
    await importPack('one');
    await data.refresh();
    const before = data.current();
    await Promise.all([data.refresh(), data.refresh()]);
    assert.equal(data.current(), before);
  });

  it('keeps what is loaded of a pack when another comes, and lets go of what was removed', async () => {
    await importPack('one');
    await data.refresh();
    await data.current().regional.loaded;
    const [loaded] = data.current().regional.loadedFiles().values();
    await importPack('two');
    await data.refresh();
    assert.ok([...data.current().regional.loadedFiles().values()].includes(loaded));
    await removeInstalledPack({ dataDir }, 'one');
    await data.refresh();
    await data.current().regional.loaded;
    assert.ok(![...data.current().regional.loadedFiles().values()].includes(loaded));
    assert.equal((await road())?.dataset.id, 'two-roads');
  });

  it('goes on with what it has when what is installed cannot be seen', async () => {
    await importPack('one');
    await data.refresh();
    assert.equal((await road())?.value?.distanceM, 0);
    // A file where a folder should be.
    await writeFile(join(dataDir, 'registries'), '');
    await data.refresh();
    assert.equal((await road())?.value?.distanceM, 0);
  });

  it('leaves a pack out whose manifest is broken, and takes the others', async () => {
    await importPack('one');
    await importPack('two');
    await data.refresh();
    const path = join(packsFolder({ dataDir }), 'one', 'pack.json');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
    await data.refresh();
    assert.equal((await road())?.dataset.id, 'two-roads');
  });

  function road() {
    return data.regional.nearestRoad?.(pointShape(9.5, 51), 1_000, signal) ?? null;
  }

  function importPack(id: string): Promise<void> {
    const line = Float64Array.of(9, 51, 10, 51);
    return makePack(packsFolder({ dataDir }), { id, box: [9, 50, 10, 52] }, async (sink) =>
      sink({ theme: 'roads', geometry: { type: 'lineString', line }, values: ['way/1', 'residential', null] }),
    );
  }
});
