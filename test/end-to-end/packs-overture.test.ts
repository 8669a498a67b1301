import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { createLog } from '../../src/log.ts';
import { packDatasets } from '../../src/readers/packs/manifest.ts';
import { importOverturePack, type OverturePackRequest } from '../../src/service/datasets/import-overture.ts';
import { openPackData } from '../../src/service/world/packs-data.ts';
import { writeOverture, type OvertureFeature, type OvertureLayout } from '../overture-release.ts';
import { overtureSite } from '../overture-site.ts';

const { signal } = new AbortController();
const RELEASE = '2026-10-21.0';
const BOX = [10, 5, 10.2, 5.2] as const;

const LOG = createLog({ level: 'silent', json: true });
/** A commodity and where it is looked for. */
const PLACES = [
  ['coffee', 10.1, 5.1],
  ['timber', 10.1, 5.1],
  ['cocoa', 10.1, 5.1],
  ['palm', 10.15, 5.16],
  ['rubber', 10.0301, 5.16],
  ['rubber', 10.04, 5.16],
  ['coffee', 10.13, 5.03],
  ['timber', 10.17, 5.03],
] as const;
const EXPECTED_BUSINESSES = [
  ['coffee', 'Tueste Uno'],
  ['timber', 'Madera Sur'],
  ['cocoa', null],
  // Of unknown kind, by its name.
  ['palm', 'Contoh Palm Oil Mill'],
  // A filing at an address counts close by, and no farther.
  ['rubber', 'Rubber Factory Ltd'],
  ['rubber', null],
  ['coffee', 'Beneficio de Café Dos'],
  ['timber', null],
];

describe('importOverturePack', () => {
  let root: string;
  let dataDir: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'overture-'));
    await writeRelease(root, RELEASE);
    await writeRelease(root, '2026-09-17.0');
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(root, 'data-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('takes the newest release of a folder, and of it what touches the box', async () => {
    const { pack, release } = await run({ from: root });
    assert.equal(release, RELEASE);
    const counts = Object.fromEntries(pack.manifest.themes.map(({ theme, features }) => [theme, features]));
    assert.deepEqual(counts, { roads: 42, water: 1, buildings: 400, businesses: 6, ports: 1, industrial: 3 });
    const data = openPackData(
      packDatasets(pack),
      { dataDir, cacheMaxMb: 0, packMemoryMb: 100 },
      createLog({ level: 'silent', json: true }),
    );
    await data.loaded;
    try {
      const at = pointShape(10.1, 5.1);
      const road = await data.sources.nearestRoad(at, 5_000, signal);
      assert.equal(road?.value?.kind, 'track');
      const tomtom = await data.sources.nearestRoad(pointShape(10.107, 5.095), 50, signal);
      assert.equal(tomtom?.value?.kind, 'road');
      const businesses = await data.sources.businesses('coffee', at, 2_000, signal);
      assert.deepEqual([businesses?.value.count, businesses?.value.nearest?.name], [1, 'Tueste Uno']);
      const buildings = await data.sources.buildings(pointShape(10.0501, 5.0501), 100, signal);
      assert.ok(buildings?.value.industrial === true && buildings.value.largestM2 > 100);
      const works = await data.sources.buildings(pointShape(10.1205, 5.0205), 100, signal);
      assert.deepEqual(
        [works?.dataset.id, works?.value.industrialSite],
        ['test-industrial', 'Beneficio de Café Dos, works'],
      );
      assert.equal((await data.sources.nearestPort(at, 50_000, signal))?.value?.kind, 'quay');
      assert.equal((await data.sources.nearestWater(at, 5_000, signal))?.value?.kind, 'river');
    } finally {
      await data.close();
    }
  });

  it('finds the same businesses with the categories of before September 2026, with the taxonomy, and with both', async () => {
    const layouts = { both: [], old: ['taxonomy', 'basic_category'], new: ['categories'] };
    const answers: Record<string, unknown> = {};
    for (const [name, without] of Object.entries(layouts)) {
      const folder = join(root, `layout-${name}`);
      await writeRelease(folder, RELEASE, { place: { without } });
      answers[name] = await businessesOf(folder);
    }
    assert.deepEqual(answers['old'], answers['new']);
    assert.deepEqual(answers['both'], answers['new']);
    assert.deepEqual(answers['new'], EXPECTED_BUSINESSES);
  });

  for (const layout of [{ edges: 'DOUBLE' }, { geometry: 'native' }] as const)
    it(`reads ${Object.values(layout)[0]} ${Object.keys(layout)[0]} as it reads those of before`, async () => {
      const folder = join(root, `layout-${Object.values(layout)[0]}`);
      await writeRelease(folder, RELEASE, { all: layout });
      assert.deepEqual(await businessesOf(folder), EXPECTED_BUSINESSES);
      const { pack } = await run({ from: folder });
      assert.equal(pack.manifest.themes.find(({ theme }) => theme === 'buildings')?.features, 400);
    });

  it('stops where a column is missing or geometry has a form that is not known, and says which', async () => {
    const cases = [
      [
        { segment: { without: ['class'] } },
        /type=segment.*: wanted the columns class as Overture has them; the file has id, geometry/,
      ],
      [
        { place: { without: ['categories', 'taxonomy', 'basic_category'] } },
        /type=place.*: wanted the columns taxonomy or basic_category or categories/,
      ],
      [{ place: { without: ['sources', 'confidence'] } }, /wanted the columns sources, confidence/],
      [{ water: { geometry: 'text' } }, /row w1: wanted a geometry as WKB or as Parquet's GEOMETRY type, got string/],
    ] as const;
    for (const [i, [over, says]] of cases.entries()) {
      const folder = join(root, `broken-${i}`);
      await writeRelease(folder, RELEASE, over);
      await assert.rejects(run({ from: folder }), says);
      assert.deepEqual(await readdir(join(dataDir, 'regional-packs')).catch(() => []), []);
    }
  });

  it('reads an address by ranges, leaving out groups of rows that cannot touch the box', async () => {
    await using site = await overtureSite(root);
    const { pack } = await run({ from: site.url });
    assert.equal(pack.manifest.themes.find(({ theme }) => theme === 'buildings')?.features, 400);
    const building = site.files.find(({ path }) => path.includes('type=building') && path.includes(RELEASE));
    assert.ok(building !== undefined && building.fetched < building.size / 2, JSON.stringify(building));
    assert.ok(site.ranges > 0 && site.whole === 0, `${site.whole} files were fetched whole`);
  });

  it('goes on where it was when it is run again after it was stopped', async () => {
    await using site = await overtureSite(root);
    const stop = new AbortController();
    const stopping = run(
      { from: site.url, onProgress: (done, total) => done > total / 3 && stop.abort(new Error('enough')) },
      stop.signal,
    );
    await assert.rejects(stopping, /enough/);
    assert.deepEqual(await readdir(join(dataDir, 'regional-packs')), []);
    const before = site.fetched;
    await run({ from: site.url });
    const again = site.fetched - before;
    assert.ok(again < before, `fetched ${before} bytes, then ${again} more`);
    const third = site.fetched;
    await run({ from: site.url });
    // Every file is asked for its size and version with one byte.
    assert.ok(site.fetched - third <= 6, `a third run fetched ${site.fetched - third} bytes`);
  });

  it('says what is missing', async () => {
    await assert.rejects(run({ from: join(root, 'nowhere') }), /there is no release/);
    await assert.rejects(
      run({ from: root, release: '2020-01-01.0' }),
      /release 2020-01-01\.0 has no files of theme=transportation/,
    );
    await using site = await overtureSite(root, { listing: '<html>Hello</html>' });
    await assert.rejects(run({ from: site.url }), /wanted a listing as S3 gives it/);
  });

  /** What the checks find of each commodity at the places of the release. */
  async function businessesOf(from: string): Promise<unknown> {
    const { pack } = await run({ from });
    const data = openPackData(packDatasets(pack), { dataDir, cacheMaxMb: 0, packMemoryMb: 0 }, LOG);
    try {
      const found = PLACES.map(async ([commodity, lon, lat]) => {
        const answer = await data.sources.businesses(commodity, pointShape(lon, lat), 2_000, signal);
        return [commodity, answer?.value.nearest?.name ?? null];
      });
      return await Promise.all(found);
    } finally {
      await data.close();
    }
  }

  function run(request: Partial<OverturePackRequest>, stop: AbortSignal = signal) {
    const whole = {
      id: 'test',
      box: BOX,
      release: null,
      from: root,
      onPlan: () => {},
      onProgress: () => {},
      ...request,
    };
    return importOverturePack({ dataDir, cacheMaxMb: 100 }, whole, stop);
  }
});

/** Writes a release; `over` changes the layout of single types. */
async function writeRelease(
  root: string,
  release: string,
  over: Readonly<Record<string, OvertureLayout>> = {},
): Promise<void> {
  const layoutOf = (type: string, rowGroup = 100): OvertureLayout => ({ rowGroup, ...over['all'], ...over[type] });
  const roads: OvertureFeature[] = Array.from({ length: 40 }, (_, i) => ({
    id: `r${i}`,
    line: [10 + i * 0.005, 5, 10 + i * 0.005, 5.2],
    subtype: 'road',
    class: i % 2 === 0 ? 'track' : 'footway',
  }));
  const far: OvertureFeature[] = Array.from({ length: 200 }, (_, i) => ({
    id: `f${i}`,
    line: [40 + i, 5, 41 + i, 5],
    subtype: 'road',
    class: 'primary',
  }));
  const edge: OvertureFeature = { id: 'edge', line: [9.9, 5.15, 10.001, 5.15], subtype: 'road', class: 'residential' };
  const tomtom: OvertureFeature = { id: 'tt', line: [10.1, 5.0952, 10.11, 5.0952], subtype: 'road', class: 'unknown' };
  const rail: OvertureFeature = { id: 'rail', line: [10, 5.1, 10.2, 5.1], subtype: 'rail', class: 'standard_gauge' };
  await writeOverture(
    root,
    release,
    'theme=transportation/type=segment',
    [...roads, tomtom, edge, rail, ...far],
    layoutOf('segment', 50),
  );
  const buildings = Array.from({ length: 20_000 }, (_, i): OvertureFeature => {
    const [x, y] =
      i < 400
        ? [10.05 + (i % 20) * 0.0003, 5.05 + Math.floor(i / 20) * 0.0003]
        : [60 + (i % 50) * 0.01, 20 + i * 0.0005];
    return {
      id: `b${i}`,
      ring: [x, y, x + 2e-4, y, x + 2e-4, y + 2e-4, x, y + 2e-4, x, y],
      subtype: 'industrial',
      class: 'warehouse',
    };
  });
  await writeOverture(root, release, 'theme=buildings/type=building', buildings, layoutOf('building', 1_000));
  const roastery = ['food_and_drink', 'non_alcoholic_beverage_venue', 'coffee_shop', 'coffee_roastery'];
  const places: readonly OvertureFeature[] = [
    {
      id: 'p1',
      point: [10.1, 5.101],
      name: 'Tueste Uno',
      category: 'coffee_roastery',
      hierarchy: roastery,
      confidence: 0.9,
    },
    {
      id: 'p2',
      point: [10.1, 5.101],
      name: 'Closed',
      category: 'coffee_roastery',
      hierarchy: roastery,
      status: 'permanently_closed',
    },
    {
      id: 'p3',
      point: [10.1, 5.101],
      name: 'Perhaps',
      category: 'coffee_roastery',
      hierarchy: roastery,
      confidence: 0.2,
    },
    { id: 'p4', point: [50, 5], name: 'Far', category: 'coffee_roastery', hierarchy: roastery },
    {
      id: 'p5',
      point: [10.101, 5.1],
      name: 'Madera Sur',
      category: 'saw_mill',
      hierarchy: ['services_and_business', 'b2b_service', 'manufacturer', 'mill', 'sawmill'],
      basicCategory: 'manufacturer',
      status: null,
    },
    { id: 'p6', point: [10.16, 5.16], name: 'Contoh Palm Oil Mill' },
    {
      id: 'p7',
      point: [10.03, 5.16],
      name: 'Rubber Factory Ltd',
      category: 'b2b_rubber_and_plastics',
      hierarchy: ['services_and_business', 'b2b_service', 'manufacturer', 'rubber_and_plastics_manufacturer'],
      datasets: ['BrightQuery'],
    },
  ];
  await writeOverture(root, release, 'theme=places/type=place', places, layoutOf('place'));
  await writeOverture(
    root,
    release,
    'theme=base/type=water',
    [
      { id: 'w1', line: [10, 5.11, 10.2, 5.11], subtype: 'river', class: 'river', name: 'Contoh' },
      { id: 'w2', point: [10.1, 5.1], subtype: 'physical', class: 'cape' },
    ],
    layoutOf('water'),
  );
  await writeOverture(
    root,
    release,
    'theme=base/type=infrastructure',
    [
      { id: 'i1', line: [10.15, 5.15, 10.151, 5.15], subtype: 'pier', class: 'quay' },
      { id: 'i2', point: [10.1, 5.1], subtype: 'tower', class: 'communication_tower' },
      { id: 'i3', line: [10.1, 5.1, 10.1001, 5.1], subtype: 'pier', class: 'pier' },
    ],
    layoutOf('infrastructure'),
  );
  const land = (id: string, kind: string, x: number, y: number, name?: string): OvertureFeature => ({
    id,
    ring: [x, y, x + 1e-3, y, x + 1e-3, y + 1e-3, x, y + 1e-3, x, y],
    subtype: 'developed',
    class: kind,
    ...(name === undefined ? {} : { name }),
  });
  await writeOverture(
    root,
    release,
    'theme=base/type=land_use',
    [
      land('l1', 'works', 10.12, 5.02, 'Beneficio de Café Dos'),
      land('l2', 'industrial', 10.15, 5.02),
      land('l3', 'logging', 10.18, 5.02),
      land('l4', 'farmland', 10.05, 5.15),
    ],
    layoutOf('land_use'),
  );
}
