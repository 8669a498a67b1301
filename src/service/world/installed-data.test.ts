import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { MADE_UP_HEAD, randomHead } from '../../../test/detection-heads.ts';
import { makePack } from '../../../test/made-up-pack.ts';
import { rasterDataset } from '../../../test/made-up-rasters.ts';
import { readConfig } from '../../config/settings.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { createLog } from '../../log.ts';
import { removeHeads, writeHead } from '../models/installed-models.ts';
import { openInstalledData, sharedInstalledData, type InstalledData } from './installed-data.ts';
import { importRegistry } from '../datasets/registries.ts';
import { packsFolder, removeInstalledPack } from '../datasets/pack-folder.ts';

const { signal } = new AbortController();

describe('installed data', () => {
  let dataDir: string;
  let catalogue: string;
  let data: InstalledData;
  let lines: string[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'installed-'));
    catalogue = join(dataDir, 'catalogue.json');
    await writeFile(catalogue, '[]');
    const config = readConfig({ DATA_DIR: dataDir, SAMPLE_DISTRICT: 'off', CATALOGUE: catalogue, PUBLIC_DATA: 'off' });
    lines = [];
    const stream = new Writable({
      write(line: Buffer, _, done) {
        lines.push(String(line));
        done();
      },
    });
    data = await openInstalledData(config, [], createLog({ level: 'info', json: true, stream }));
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

  it('knows a registry that came since a thread was given what was there', async () => {
    const thread = sharedInstalledData(data.current(), []);
    const mill = pointShape(101.5, 0.5);
    const producer = () => thread.producers.producer?.('Synthetic Mill', mill, 'ID', signal);
    assert.equal(await producer(), null);
    const path = join(dataDir, 'mills.csv');
    await writeFile(path, 'id,mill_name,longitude,latitude,country\nPO1,Synthetic Mill,101.5,0.5,Indonesia\n');
    await importRegistry(
      { dataDir },
      {
        path,
        id: 'mills',
        title: 'Mills',
        version: '1',
        date: null,
        licence: 'CC-BY-4.0',
        attribution: 'made up',
        commodities: ['palm'],
      },
      signal,
    );
    assert.equal(await producer(), null, 'a thread looks for nothing by itself');
    await thread.renewRegistries();
    assert.equal((await producer())?.value?.recordId, 'PO1');
    const businesses = await thread.regional.businesses?.('palm', mill, 2_000, signal);
    assert.deepEqual([businesses?.dataset.id, businesses?.value.count], ['mills', 1]);
    assert.ok(thread.current().datasets.some(({ id }) => id === 'mills'));
    await data.renewRegistries();
    assert.equal((await data.producers.producer?.('Synthetic Mill', mill, 'ID', signal))?.dataset.id, 'mills');
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

  it('opens models that are installed and removed, and keeps those it has when a pack comes', async () => {
    const about = { ...MADE_UP_HEAD, commodity: 'palm' };
    await writeHead({ dataDir }, 'made-up-palm', randomHead(1, 'relu', [4]), about);
    await data.refresh();
    const { detection, forest } = data.current();
    assert.deepEqual(headsOf(data), ['made-up-palm']);
    await importPack('one');
    await data.refresh();
    assert.deepEqual([data.current().detection, data.current().forest], [detection, forest]);
    await writeHead({ dataDir }, 'made-up-palm', randomHead(2, 'relu', [4]), { ...about, version: '8' });
    await data.refresh();
    assert.notEqual(data.current().detection, detection);
    assert.equal(data.current().datasets.find(({ id }) => id === 'made-up-palm')?.version, '8');
    await removeHeads({ dataDir }, 'made-up-palm');
    await data.refresh();
    assert.deepEqual(headsOf(data), []);
    assert.equal(
      data.current().datasets.find(({ id }) => id === 'made-up-palm'),
      undefined,
    );
  });

  it('reads the catalogue of the operator again, and goes on with the one before when it is broken', async () => {
    const options = { commodity: 'soy', threshold: 60 };
    const entry = rasterDataset({ id: 'soy-map', role: 'commodity-map', path: join(dataDir, 'soy.tif'), options });
    const file = (more: object): string => JSON.stringify([{ ...entry, coverage: [0, 0, 1, 1], ...more }]);
    const maps = (): readonly string[] => data.current().detection.share.maps.map(({ dataset }) => dataset.id);
    await writeFile(catalogue, file({}));
    await data.refresh();
    assert.deepEqual(maps(), ['soy-map']);
    for (const [broken, reason] of [
      [file({}).slice(0, 40), /catalogue\.json/],
      [file({ options: { commodity: 'wheat', threshold: 1 } }), /options\.commodity: wanted one of/],
    ] as const) {
      lines = [];
      await writeFile(catalogue, broken);
      await data.refresh();
      await data.refresh();
      assert.deepEqual(maps(), ['soy-map']);
      const told = lines.filter((line) => line.includes('what was known before answers'));
      assert.equal(told.length, 1);
      assert.match(told[0], reason);
    }
    await writeFile(catalogue, '[]');
    await data.refresh();
    assert.deepEqual(maps(), []);
  });

  it('opens once more after a minute what could not be opened', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const told = (): number => lines.filter((line) => line.includes('cannot be opened')).length;
    await writeFile(catalogue, '[{');
    for (const [afterMs, times] of [
      [0, 1],
      [59_000, 1],
      [1_000, 2],
      [1_000, 2],
    ] as const) {
      t.mock.timers.tick(afterMs);
      await data.refresh();
      assert.equal(told(), times);
    }
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

function headsOf(data: InstalledData): readonly string[] {
  const { heads } = data.current().detection.share;
  return heads.filter(({ id }) => id.startsWith('made-up')).map(({ id }) => id);
}
