import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { classOf } from '../../src/facilities/checks/building.ts';
import { pointShape } from '../../src/geo/shapes/shape.ts';
import { createLog } from '../../src/log.ts';
import { packDatasets } from '../../src/readers/packs/manifest.ts';
import { openPackData, type PackData } from '../../src/service/world/packs-data.ts';
import { importOsmPack } from '../../src/service/datasets/import-osm.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';

/** What lies around a place; metres, square metres and numbers. */
interface Looked {
  readonly lon: number;
  readonly lat: number;
  /** Null beyond 1,500 m. */
  readonly road: number | null;
  /** Of buildings within 100 m. */
  readonly largest: number;
  readonly together: number;
  readonly industrial: boolean;
  /** Null beyond 1,500 m. */
  readonly water: number | null;
  /** Null beyond 3,000 m. */
  readonly port: number | null;
  /** Share of the circle of 500 m that footprints cover. */
  readonly builtUp: number;
  /** Within 1,500 m. */
  readonly buildings: number;
  /** To the nearest thing that might be of the chain; null beyond 3,000 m. */
  readonly cattle: number | null;
  readonly timber: number | null;
}

/** Looked up by GDAL and shapely in the extracts themselves; see `test/oracles/packs/absences.py`. */
const ORACLE = JSON.parse(readFileSync(new URL('../oracles/packs/absences.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly Looked[]>
>;
const { signal } = new AbortController();
const log = createLog({ level: 'silent', json: true });
/** Metres that UTM and the geodesic may differ by, as a share. */
const SLACK = 2e-3;
/** The detail rounds to whole percents, and cells at the edge of the circle count by their middle: a share of ground. */
const SHARE_SLACK = 0.02;
/** A pack keeps a business as one point inside its area, and the oracle measures to the outline: metres across the slaughterhouse of Duitama. */
const AREA_M = 125;

describe('every absent of the packs of two real extracts', needsSharedData('osm/duitama_co.osm.pbf'), () => {
  const packs: Record<string, PackData> = {};
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'packs-absences-'));
    for (const id of Object.keys(ORACLE)) {
      const path = join(SHARED_DATA, `osm/${id}.osm.pbf`);
      const { pack } = await importOsmPack({ dataDir }, { path, id, coverage: null, onProgress: () => {} }, signal);
      packs[id] = openPackData(packDatasets(pack), { dataDir, cacheMaxMb: 0, packMemoryMb: 500 }, log);
      await packs[id].loaded;
    }
  });
  after(async () => {
    for (const data of Object.values(packs)) await data.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is true of 300 and more, and nearly all are said of places with ten buildings and more within 1,500 m', async () => {
    const absent = { road: 0, water: 0, port: 0, density: 0, buildings: 0, cattle: 0, timber: 0 };
    const wrong: string[] = [];
    let lonely = 0;
    const check = (what: keyof typeof absent, place: Looked, isTrue: boolean): void => {
      absent[what]++;
      if (place.buildings < 10) lonely++;
      if (!isTrue) wrong.push(`${what} ${JSON.stringify(place)}`);
    };
    for (const [id, places] of Object.entries(ORACLE))
      for (const place of places) {
        const shape = pointShape(place.lon, place.lat);
        const { sources } = packs[id];
        const road = await sources.nearestRoad(shape, 1_000, signal);
        if (road !== null && road.value === null)
          check('road', place, place.road === null || place.road > 1_000 * (1 - SLACK));
        // The extracts are too small for the circles of the checks: the same answer in a smaller one.
        const water = await sources.nearestWater(shape, 1_000, signal);
        if (water !== null && water.value === null)
          check('water', place, place.water === null || place.water > 1_000 * (1 - SLACK));
        const port = await sources.nearestPort(shape, 2_000, signal);
        if (port !== null && port.value === null)
          check('port', place, place.port === null || place.port > 2_000 * (1 - SLACK));
        const density = await sources.density(shape, signal);
        // Built-up ground is counted in cells, gardens and streets between houses included: footprints alone are never more.
        if (density !== null && !density.value.dense) {
          const share = Number(/^(\d+) %/.exec(density.value.detail)?.[1]) / 100;
          check('density', place, place.builtUp <= share + SHARE_SLACK && share <= 0.5);
        }
        const buildings = await sources.buildings(shape, 100, signal);
        if (buildings !== null && classOf(buildings.value) === 'none') check('buildings', place, !isSizeable(place));
        for (const commodity of ['cattle', 'timber'] as const) {
          const found = await sources.businesses(commodity, shape, 2_000, signal);
          const nearest = place[commodity];
          if (found?.value.count === 0) check(commodity, place, nearest === null || nearest > 2_000 - AREA_M);
        }
      }
    assert.deepEqual(wrong, []);
    assert.ok(lonely <= total(absent) * 0.02, `${lonely} of ${JSON.stringify(absent)}`);
    assert.ok(total(absent) >= 300, JSON.stringify(absent));
    assert.ok(absent.water >= 30 && absent.port >= 30 && absent.density >= 30, JSON.stringify(absent));
    assert.ok(absent.buildings >= 30 && absent.cattle >= 30 && absent.timber >= 30, JSON.stringify(absent));
  });
});

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Whether the buildings around a place are enough for a facility, by the extract itself. */
function isSizeable({ largest, together, industrial }: Looked): boolean {
  return industrial || largest > 200 * (1 + SLACK) + 1 || together > 500 * (1 + SLACK) + 1;
}
