import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { createLog } from '../../src/log.ts';
import { createMapFeatures } from '../../src/service/world/map-features.ts';
import { openPackData, type PackData } from '../../src/service/world/packs-data.ts';
import { installedDatasets } from '../../src/service/datasets/pack-folder.ts';
import { osmFile, type OsmNode, type OsmWay } from '../osm-file.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { ROOT, shareSampleDistrict } from './run-service.ts';

const { signal } = new AbortController();
let folder: string;
let dataDir: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packs-'));
  dataDir = join(folder, 'data');
  await shareSampleDistrict(dataDir);
  await writeFile(join(folder, 'Mill Belt.osm.pbf'), osmFile(village()));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('firstmile data', () => {
  it('imports, lists, verifies and removes a pack', async () => {
    const imported = await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'));
    assert.equal(imported.code, 0, imported.err);
    assert.match(imported.err, /buildings +800/);
    assert.match(imported.err, /relations in \d+\.\d s\.\nPack mill-belt, version/);
    const listed = await run('data', 'list');
    assert.match(listed.out, /^mill-belt +\d{4}-\d\d-\d\d +[-\d.]+(,[-\d.]+){3} +\d+(\.\d)? [kM]B$/m);
    assert.match(listed.out, /^ +roads \d+ \(mapped on 30 %\), .*buildings 800 \(mapped on 100 %\)/m);
    assert.ok(listed.out.split('\n').every((line) => line.length <= 100));
    const machine = JSON.parse((await run('data', 'list', '--json')).out) as Record<string, unknown>[];
    const roads = machine.find(({ id }) => id === 'mill-belt-roads');
    assert.deepEqual(
      [
        roads?.['pack'],
        roads?.['licence'],
        roads?.['attribution'],
        typeof roads?.['features'],
        typeof roads?.['bytes'],
      ],
      ['mill-belt', 'ODbL-1.0', '© OpenStreetMap contributors', 'number', 'number'],
    );
    const verified = await run('data', 'verify');
    assert.deepEqual([verified.code, /mill-belt \S+: \d+ features, sound/.test(verified.out)], [0, true]);
    const path = join(dataDir, 'regional-packs', 'mill-belt', 'buildings.fgb');
    const bytes = await readFile(path);
    bytes[bytes.length - 500] ^= 1;
    await writeFile(path, bytes);
    const broken = await run('data', 'verify', 'mill-belt');
    assert.equal(broken.code, 1);
    assert.match(broken.err, /buildings\.fgb: wanted the hash/);
    const again = await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'), '--quiet');
    assert.deepEqual([again.code, (await run('data', 'verify')).code], [0, 0]);
    assert.equal((await run('data', 'remove', 'mill-belt')).code, 0);
    const missing = await run('data', 'remove', '../..');
    assert.equal(missing.code, 1);
    assert.match(missing.err, /there is no pack/);
    assert.deepEqual(await readdir(join(dataDir, 'regional-packs')), []);
  });

  it(
    'leaves nothing half made when an import fails, is stopped or is killed',
    needsSharedData('osm/duitama_co.osm.pbf'),
    async () => {
      const file = join(SHARED_DATA, 'osm/duitama_co.osm.pbf');
      const half = join(folder, 'half.osm.pbf');
      await writeFile(half, (await readFile(file)).subarray(0, 900_000));
      const failed = await run('data', 'import', 'osm', half);
      assert.equal(failed.code, 1);
      assert.match(failed.err, /ends early/);
      assert.deepEqual(await readdir(join(dataDir, 'regional-packs')), []);
      for (const stop of ['SIGINT', 'SIGKILL'] as const) {
        const child = spawn(process.execPath, [join(ROOT, 'bin/firstmile.js'), 'data', 'import', 'osm', file], {
          env: { ...process.env, DATA_DIR: dataDir, AUTO_DATA: 'off' },
          stdio: 'ignore',
        });
        await begun();
        child.kill(stop);
        await once(child, 'exit');
        const left = await readdir(join(dataDir, 'regional-packs'));
        assert.ok(
          left.every((name) => name.startsWith('.making-')),
          left.join(),
        );
        if (stop === 'SIGINT') assert.deepEqual(left, []);
      }
      await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'), '--quiet');
      assert.deepEqual(await readdir(join(dataDir, 'regional-packs')), ['mill-belt']);
    },
  );
});

describe('an import that cannot begin', () => {
  const refused = [
    { words: ['osm', ROOT], says: `FILE: wanted a file, got the folder ${ROOT}` },
    { words: ['osm', join(ROOT, 'nowhere.osm.pbf')], says: 'FILE: there is no file' },
    { words: ['overture'], says: '--bbox is missing: west,south,east,north in degrees' },
  ];
  for (const { words, says } of refused)
    it(`says "${says.slice(0, 30)}"`, async () => {
      const { code, err } = await run('data', 'import', ...words);
      assert.deepEqual([code, err.includes(says)], [2, true], err);
    });
});

describe('a pack', () => {
  it('is named when a file of it cannot be read, and its path is not', async () => {
    await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'), '--quiet', '--id', 'torn');
    const path = join(dataDir, 'regional-packs', 'torn', 'roads.fgb');
    const { datasets } = await installedDatasets({ dataDir });
    const torn = datasets.filter(({ id }) => id.startsWith('torn-'));
    const log = createLog({ level: 'silent', json: true });
    await writeFile(path, (await readFile(path)).subarray(0, 400));
    const data = openPackData(torn, { dataDir, cacheMaxMb: 0, packMemoryMb: 0 }, log);
    try {
      await assert.rejects(async () => data.sources.nearestRoad(pointShape(10.05, 5.05), 1_000, signal), {
        name: 'Problem',
        message: 'The dataset torn-roads cannot be read',
      });
      assert.notEqual(await data.sources.buildings(pointShape(10.051, 5.0515), 100, signal), null);
    } finally {
      data.close();
      await run('data', 'remove', 'torn');
    }
  });

  for (const packMemoryMb of [100, 0])
    it(`answers nothing from a file with a flipped bit, ${packMemoryMb === 0 ? 'on disk' : 'in memory'}`, async () => {
      await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'), '--quiet', '--id', 'flipped');
      const path = join(dataDir, 'regional-packs', 'flipped', 'roads.fgb');
      const bytes = await readFile(path);
      bytes[bytes.length - 60] ^= 16;
      await writeFile(path, bytes);
      const { datasets } = await installedDatasets({ dataDir });
      const flipped = datasets.filter(({ id }) => id.startsWith('flipped-'));
      const log = createLog({ level: 'silent', json: true });
      const data = openPackData(flipped, { dataDir, cacheMaxMb: 0, packMemoryMb }, log);
      try {
        await data.loaded;
        await assert.rejects(async () => data.sources.nearestRoad(pointShape(10.05, 5.05), 1_000, signal), {
          message: 'The dataset flipped-roads cannot be read',
        });
        assert.notEqual(await data.sources.buildings(pointShape(10.051, 5.0515), 100, signal), null);
        const drawn = await createMapFeatures(() => data.layers).inBox(
          [10, 5, 10.1, 5.1],
          ['roads', 'buildings'],
          5_000,
          signal,
        );
        assert.deepEqual(
          drawn.failed.map(({ theme, dataset }) => [theme, dataset]),
          [['roads', 'flipped-roads']],
        );
        assert.ok(drawn.features.some(({ properties }) => properties.theme === 'buildings'));
        const { code, err } = await run('data', 'verify', 'flipped');
        assert.equal(code, 1);
        assert.match(err, /roads\.fgb/);
      } finally {
        await data.close();
        await run('data', 'remove', 'flipped');
      }
    });

  for (const packMemoryMb of [100, 0]) {
    describe(packMemoryMb === 0 ? 'on disk' : 'in memory', () => {
      let data: PackData;
      before(async () => {
        await run('data', 'import', 'osm', join(folder, 'Mill Belt.osm.pbf'), '--quiet');
        const { datasets } = await installedDatasets({ dataDir });
        data = openPackData(
          datasets,
          { dataDir, cacheMaxMb: 0, packMemoryMb },
          createLog({ level: 'silent', json: true }),
        );
        await data.loaded;
      });
      after(() => data.close());

      it('answers inside its ground with distances, kinds and names', async () => {
        const middle = pointShape(10.05, 5.05);
        const road = await data.sources.nearestRoad(middle, 1_000, signal);
        assert.equal(road?.value?.kind, 'track');
        assert.ok(Math.abs((road?.value?.distanceM ?? 0) - 221.1) < 0.5, String(road?.value?.distanceM));
        assert.equal(road?.dataset.id, 'mill-belt-roads');
        const businesses = await data.sources.businesses('coffee', middle, 2_000, signal);
        assert.deepEqual([businesses?.value.count, businesses?.value.nearest?.name], [1, 'Trilladora El Sol']);
        const none = await data.sources.businesses('timber', middle, 2_000, signal);
        assert.equal(none?.value.count, 0);
        const buildings = await data.sources.buildings(pointShape(10.051, 5.0515), 100, signal);
        assert.ok((buildings?.value.count ?? 0) > 0);
        assert.equal(buildings?.value.industrial, false);
      });

      it('says nothing outside its ground, nor of a circle that reaches beyond it where it finds nothing', async () => {
        assert.equal(await data.sources.nearestRoad(pointShape(30, 5), 1_000, signal), null);
        const edge = pointShape(10.0995, 5.03);
        assert.equal(await data.sources.nearestPort(edge, 50_000, signal), null);
        assert.notEqual(await data.sources.buildings(pointShape(10.05, 5.02), 100, signal), null);
      });

      it('finds dense ground by the share that is built up', async () => {
        const dense = await data.sources.density(pointShape(10.0505, 5.0505), signal);
        assert.equal(dense?.value.dense, false);
        assert.match(dense?.value.detail ?? '', /^\d+ % of the ground within 500 m is built up/);
      });
    });
  }
});

/** Houses around 10.05 E, 5.05 N, a track north of them and a mill, over 0.1 degree. */
function village() {
  const nodes: OsmNode[] = [];
  const ways: OsmWay[] = [];
  const add = (points: readonly (readonly [number, number])[], tags: Record<string, string>, closed = true): void => {
    const first = nodes.length + 1;
    for (const [i, [lon, lat]] of points.entries()) nodes.push({ id: first + i, lon, lat });
    const refs = points.map((_, i) => first + i);
    ways.push({ id: ways.length + 1, nodes: closed ? [...refs, first] : refs, tags });
  };
  for (let i = 0; i < 400; i++) {
    const [x, y] = [10.05 + (i % 20) * 0.0002, 5.0512 + Math.floor(i / 20) * 0.0002];
    add(
      [
        [x, y],
        [x + 1e-4, y],
        [x + 1e-4, y + 1e-4],
        [x, y + 1e-4],
      ],
      { building: 'yes' },
    );
  }
  add(
    [
      [10, 5.052],
      [10.1, 5.052],
    ],
    { highway: 'track' },
    false,
  );
  add(
    [
      [10, 5.0501],
      [10.1, 5.0501],
    ],
    { highway: 'footway' },
    false,
  );
  for (let i = 0; i < 100; i++)
    add(
      [
        [10 + (i % 10) * 0.011, 5 + Math.floor(i / 10) * 0.011],
        [10.001, 5.001],
      ],
      { highway: 'path' },
      false,
    );
  // Farms and a shop in every square kilometre, so that houses and businesses are mapped everywhere.
  for (let i = 0; i < 100; i++) {
    const [x, y] = [10.003 + (i % 10) * 0.01, 5.003 + Math.floor(i / 10) * 0.01];
    for (let house = 0; house < 4; house++)
      add(
        [
          [x + house * 3e-4, y],
          [x + house * 3e-4 + 1e-4, y],
          [x + house * 3e-4 + 1e-4, y + 1e-4],
          [x + house * 3e-4, y + 1e-4],
        ],
        { building: 'farm' },
      );
    nodes.push({ id: nodes.length + 1, lon: x, lat: y, tags: { shop: 'convenience', name: `Tienda ${i}` } });
  }
  for (let i = 0; i < 400; i++) {
    const [lon, lat] = [10.0005 + (i % 20) * 0.0052, 5.0005 + Math.floor(i / 20) * 0.0052];
    nodes.push(
      { id: nodes.length + 1, lon, lat, tags: { amenity: 'bench' } },
      { id: nodes.length + 2, lon, lat, tags: { amenity: 'bench' } },
      { id: nodes.length + 3, lon, lat, tags: { amenity: 'bench' } },
    );
  }
  nodes.push({
    id: nodes.length + 1,
    lon: 10.055,
    lat: 5.05,
    tags: { craft: 'coffee_roaster', name: 'Trilladora El Sol' },
  });
  return { nodes, ways, bbox: [10, 5, 10.1, 5.1] as const };
}

/** Resolves once a draft is there. */
async function begun(): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const names = await readdir(join(dataDir, 'regional-packs')).catch(() => []);
    if (names.some((name) => name.startsWith('.making-'))) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail('no import began');
}

function run(...args: string[]) {
  return runCommand(args, { DATA_DIR: dataDir });
}
