import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createProbe } from '../../src/geo/features/create-probe.ts';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { createLog } from '../../src/log.ts';
import { fileSource } from '../../src/readers/io/file-source.ts';
import type { Values } from '../../src/readers/formats/flatgeobuf/decode-feature.ts';
import { openFlatGeobuf } from '../../src/readers/formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../../src/readers/formats/flatgeobuf/page-memory.ts';
import { visitWithin } from '../../src/readers/formats/flatgeobuf/search-file.ts';
import { type InstalledPack, packDatasets } from '../../src/readers/packs/manifest.ts';
import { importOsmPack } from '../../src/service/datasets/import-osm.ts';
import { openPackData, type PackData } from '../../src/service/world/packs-data.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';

interface OraclePlace {
  readonly lon: number;
  readonly lat: number;
  /** Metres; null beyond 3 km. */
  readonly road: number | null;
  /** Metres; null beyond 5 km. */
  readonly water: number | null;
  /** Number, square metres together and of the largest, within 100 m. */
  readonly buildings: number;
  readonly area: number;
  readonly largest: number;
  /** Nodes with a shop, an office, a craft or an amenity within 2 km. */
  readonly shops: number;
}

interface OracleExtract {
  readonly counts: { readonly buildings: number; readonly works: number; readonly drivable: number };
  readonly places: readonly OraclePlace[];
}

/** Answers of PostGIS 3.3 over what osmium 1.14 reads of the same extracts; see `test/oracles/packs`. */
const ORACLE = JSON.parse(
  readFileSync(new URL('../oracles/packs/packs-oracle.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, OracleExtract>>;
const { signal } = new AbortController();
const log = createLog({ level: 'silent', json: true });

for (const [name, extract] of Object.entries(ORACLE)) {
  const file = `osm/${name}.osm.pbf`;
  describe(`the pack of ${name}`, needsSharedData(file), () => {
    let dataDir: string;
    let pack: InstalledPack;
    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'packs-oracle-'));
      const request = { path: join(SHARED_DATA, file), id: name, coverage: WHOLE, onProgress: () => {} };
      ({ pack } = await importOsmPack({ dataDir }, request, signal));
    });
    after(() => rm(dataDir, { recursive: true, force: true }));

    it('has as many buildings, works and drivable roads as osmium finds', async () => {
      const { counts } = extract;
      assert.equal(pack.manifest.themes.find(({ theme }) => theme === 'buildings')?.features, counts.buildings);
      assert.equal(await countClass(pack, 'industrial', 'works'), counts.works);
      assert.equal(await countClass(pack, 'roads', DRIVABLE), counts.drivable);
    });

    for (const packMemoryMb of [1_000, 0]) {
      it(`says what PostGIS says around ${extract.places.length} places, ${packMemoryMb === 0 ? 'from disk' : 'from memory'}`, async () => {
        const config = { dataDir, cacheMaxMb: 0, packMemoryMb };
        const data = openPackData(packDatasets(pack), config, log);
        await data.loaded;
        try {
          for (const place of extract.places) await compare(data, place);
        } finally {
          await data.close();
        }
      });
    }

    it('counts places of work as PostGIS does', async () => {
      await using source = fileSource(join(pack.folder, 'businesses.fgb'));
      const file = await openFlatGeobuf(source, createPageMemory(16_384, 4e6), signal);
      const accept = ([id, kinds]: Values): boolean =>
        String(id).startsWith('node/') && /(^| )(shop|office|craft|amenity)=/.test(String(kinds));
      for (const { lon, lat, shops } of extract.places) {
        let count = 0;
        const search = { columns: ['source_id', 'kinds'], accept };
        await visitWithin(file, createProbe(pointShape(lon, lat)), 2_000, search, signal, () => count++);
        assert.ok(near(count, shops, 0), `${count} at ${lon}, ${lat}; wanted ${shops}`);
      }
    });
  });
}

/** The oracle knows all of the extract, its ragged edge too. */
const WHOLE = [[Float64Array.of(-180, -90, 180, -90, 180, 90, -180, 90, -180, -90)]];
const DRIVABLE =
  /^((motorway|trunk|primary|secondary|tertiary)(_link)?|unclassified|residential|living_street|service|track|road)$/;

async function compare({ sources }: PackData, place: OraclePlace): Promise<void> {
  const shape = pointShape(place.lon, place.lat);
  const at = `at ${place.lon}, ${place.lat}`;
  const road = await sources.nearestRoad(shape, 3_000, signal);
  assert.ok(nearM(road?.value?.distanceM, place.road), `road ${road?.value?.distanceM} m ${at}; wanted ${place.road}`);
  const water = await sources.nearestWater(shape, 5_000, signal);
  assert.ok(
    nearM(water?.value?.distanceM, place.water),
    `water ${water?.value?.distanceM} m ${at}; wanted ${place.water}`,
  );
  const { count = 0, largestM2 = 0, togetherM2 = 0 } = (await sources.buildings(shape, 100, signal))?.value ?? {};
  assert.equal(count, place.buildings, `buildings ${at}`);
  assert.ok(near(togetherM2, place.area, 1), `${togetherM2} m2 ${at}; wanted ${place.area}`);
  assert.ok(near(largestM2, place.largest, 1), `the largest ${largestM2} m2 ${at}; wanted ${place.largest}`);
}

/** PostGIS finds the nearest point of a line on a sphere, up to 0.2 % off where a long line is near. */
function nearM(got: number | undefined, wanted: number | null): boolean {
  return wanted === null ? got === undefined : got !== undefined && Math.abs(got - wanted) <= 0.1 + wanted * 2e-3;
}

function near(got: number, wanted: number, slack: number): boolean {
  return Math.abs(got - wanted) <= Math.max(slack, wanted * 1e-4);
}

async function countClass({ folder }: InstalledPack, theme: string, wanted: string | RegExp): Promise<number> {
  await using source = fileSource(join(folder, `${theme}.fgb`));
  const file = await openFlatGeobuf(source, createPageMemory(16_384, 4e6), signal);
  let count = 0;
  const accept = ([kind]: Values): boolean =>
    typeof wanted === 'string' ? kind === wanted : wanted.test(String(kind));
  await visitWithin(file, createProbe(pointShape(0, 0)), 2.1e7, { columns: ['class'], accept }, signal, () => count++);
  return count;
}
