import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { importOsmPack } from '../../src/service/datasets/import-osm.ts';
import { packFeatures } from '../../src/service/auto-data/pack-features.ts';
import { OVERTURE_TYPES } from '../../src/readers/overture/overture-types.ts';
import type { ThemeFeature } from '../../src/readers/themes/themes.ts';
import { testEngines } from '../contracts/engines.ts';
import { writeOverture, type OvertureFeature } from '../overture-release.ts';
import { overtureSite, writeOvertureCatalogue } from '../overture-site.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

const { signal } = new AbortController();
const RELEASE = '2026-09-23.1';
const EXTRACT = 'osm/duitama_co.osm.pbf';

interface Result {
  readonly properties: {
    readonly confidence_score: number;
    readonly evidence: readonly {
      readonly indicator: string;
      readonly status: string;
      readonly dataset: string | null;
      readonly dataset_version: string | null;
      readonly detail: string;
    }[];
  };
}

describe('a first start on a machine with network', needsSharedData(EXTRACT), async () => {
  let root: string;
  /** A works of the extract. */
  let works: readonly [number, number];
  /** A mill of the sample list. Around it the release has what a mill has, made up. */
  let mill: readonly [number, number];
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'auto-service-'));
    const path = join(SHARED_DATA, EXTRACT);
    const { pack } = await importOsmPack(
      { dataDir: join(root, 'source') },
      { path, id: 'duitama_co', coverage: null, onProgress: () => {} },
      signal,
    );
    const features: ThemeFeature[] = [];
    for await (const feature of packFeatures([pack], signal)) features.push(feature);
    works = placeIn(features.find(({ theme, values }) => theme === 'industrial' && values[1] === 'works'));
    const list = readFileSync(join(SHARED_DATA, 'facilities/palm_mills_sample.csv'), 'utf8').split('\n');
    const [, lat, lon] = /ROMPIN PALM OIL MILL.*?"(-?[\d.]+), (-?[\d.]+)"/.exec(list.join('\n')) ?? [];
    mill = [Number(lon), Number(lat)];
    await writeRelease(join(root, 'world'), features, mill);
    await writeOvertureCatalogue(join(root, 'world'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('assesses a works in Duitama and a mill of the sample list, cold and warm, and names what it read', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 100 } });
    await using service = await started({ OVERTURE_URL: site.url, OVERTURE_INDEX_URL: site.catalogue });
    for (const [place, commodity] of [
      [works, 'cattle'],
      [mill, 'palm'],
    ] as const) {
      const [cold, coldMs] = await rate(service, place, commodity);
      const [warm, warmMs] = await rate(service, place, commodity);
      const statuses = Object.fromEntries(cold.properties.evidence.map(({ indicator, status }) => [indicator, status]));
      assert.deepEqual(statuses, {
        country: 'present',
        latitude: 'present',
        // Needs a detection head and a registry, which are not map data.
        commodity_presence: 'unknown',
        producer_confirmation: 'unknown',
        poi_presence: commodity === 'palm' ? 'present' : statuses['poi_presence'],
        building_presence: 'present',
        road_access: 'present',
        water_access: 'present',
        port_proximity: commodity === 'palm' ? statuses['port_proximity'] : 'absent',
        high_density: 'absent',
      });
      const roads = cold.properties.evidence.find(({ indicator }) => indicator === 'road_access');
      assert.deepEqual([roads?.dataset, roads?.dataset_version], ['overture-auto-roads', RELEASE]);
      assert.deepEqual(warm, cold);
      assert.ok(coldMs < 15_000 && warmMs < 1_000, `${Math.round(coldMs)} ms, then ${Math.round(warmMs)} ms`);
    }
    assert.ok(site.requests.length <= 40, `${site.requests.length} requests for two cells`);
    const { datasets } = (await (await service.fetch('/datasets')).json()) as {
      datasets: {
        id: string;
        version: string;
        fetched_cells: number | null;
        contract: { state: string } | null;
      }[];
    };
    const fetched = datasets.filter(({ fetched_cells: cells }) => cells !== null);
    assert.deepEqual(fetched.map(({ id, version, fetched_cells: cells }) => `${id} ${version} ${cells}`).sort(), [
      `overture-auto-buildings ${RELEASE} 2`,
      `overture-auto-businesses ${RELEASE} 2`,
      `overture-auto-industrial ${RELEASE} 2`,
      `overture-auto-ports ${RELEASE} 2`,
      `overture-auto-roads ${RELEASE} 2`,
      `overture-auto-water ${RELEASE} 2`,
    ]);
    assert.deepEqual([...new Set(fetched.map(({ contract }) => contract?.state))], ['held'], 'fetching it was a check');
    const env = { DATA_DIR: service.dataDir };
    assert.match((await runCommand(['data', 'list'], env)).out, /overture-auto, 2 cells\s+2026-09-23/);
    assert.equal((await runCommand(['data', 'remove', 'overture-auto'], env)).code, 0);
    assert.doesNotMatch((await runCommand(['data', 'list'], env)).out, /overture-auto/);
  });

  it('fetches for a command, which ends when its work is done', async () => {
    await using site = await overtureSite(join(root, 'world'));
    const file = join(root, 'one.geojson');
    await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features: [featureAt(mill)] }));
    const addresses = { OVERTURE_URL: site.url, OVERTURE_INDEX_URL: site.catalogue };
    const env = { DATA_DIR: join(root, 'command'), AUTO_DATA: 'on', PUBLIC_DATA: 'off', ...addresses };
    const { code, out, err } = await runCommand(['validate', file, '-o', '-', '-q'], env);
    assert.equal(code, 0, err);
    assert.match(out, /overture-auto-roads/);
  });

  it('answers other requests while a cell is fetched', async () => {
    await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 100 } });
    await using service = await started({ OVERTURE_URL: site.url, OVERTURE_INDEX_URL: site.catalogue });
    const over = new AbortController();
    const rated = rate(service, works, 'cattle').finally(() => over.abort());
    let slowest = 0;
    while (!over.signal.aborted) {
      const begun = performance.now();
      await (await service.fetch('/livez')).text();
      slowest = Math.max(slowest, performance.now() - begun);
    }
    await rated;
    assert.ok(slowest < 1_000, `a small request took ${Math.round(slowest)} ms`);
  });

  for (const engine of await testEngines())
    it(`fetches what a batch needs before it is rated (${engine.name})`, { skip: engine.skip }, async () => {
      await using site = await overtureSite(join(root, 'world'), { faults: { delayMs: 600 } });
      const database = await engine.create();
      try {
        const env = {
          OVERTURE_URL: site.url,
          OVERTURE_INDEX_URL: site.catalogue,
          // No check could wait for a cell.
          CHECK_TIMEOUT_MS: '2000',
          ...(database.databaseUrl === null ? {} : { DATABASE_URL: database.databaseUrl }),
        };
        await using service = await started(env, database.dataDir);
        const features = Array.from({ length: 40 }, (_, i) =>
          featureAt(i % 2 === 0 ? [works[0] + i * 1e-5, works[1]] : [mill[0], mill[1] + i * 1e-5]),
        );
        const accepted = await service.fetch('/validate_facilities?async_mode=true', {
          method: 'POST',
          body: JSON.stringify({ type: 'FeatureCollection', features }),
          headers: { 'content-type': 'application/geo+json' },
        });
        assert.equal(accepted.status, 202);
        const { task_id: id } = (await accepted.json()) as { task_id: string };
        const phases = new Set<string | null>();
        for (;;) {
          const task = (await (await service.fetch(`/tasks/${id}`)).json()) as { status: string; phase: string | null };
          phases.add(task.phase);
          assert.notEqual(task.status, 'failed');
          if (task.status === 'completed') break;
        }
        const results = (await (await service.fetch(`/tasks/${id}/results`)).json()) as { features: Result[] };
        const roads = results.features.map(({ properties }) =>
          properties.evidence.find(({ indicator }) => indicator === 'road_access'),
        );
        assert.deepEqual([...new Set(roads.map((road) => road?.dataset))], ['overture-auto-roads']);
        assert.ok(
          [...phases].some((phase) => phase?.startsWith('fetching map data') === true),
          [...phases].join('; '),
        );
      } finally {
        await database.drop();
        await rm(database.dataDir, { recursive: true, force: true });
      }
    });
});

function started(env: Readonly<Record<string, string>>, dataDir?: string): Promise<RunningProcess> {
  return runService({
    ...(dataDir === undefined ? {} : { dataDir }),
    env: { AUTO_DATA: 'on', PUBLIC_DATA: 'off', ...env },
  });
}

function featureAt(coordinates: readonly [number, number]) {
  return { type: 'Feature', geometry: { type: 'Point', coordinates }, properties: {} };
}

async function rate(
  service: RunningProcess,
  place: readonly [number, number],
  commodity: string,
): Promise<[Result, number]> {
  const begun = performance.now();
  const form = new FormData();
  const features = [featureAt(place)];
  form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'places.geojson');
  form.set('commodity_type', commodity);
  form.set('check_water_access', 'true');
  form.set('check_port_proximity', 'true');
  const response = await service.fetch('/validate_facilities', { method: 'POST', body: form });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return [(JSON.parse(text) as { features: [Result] }).features[0], performance.now() - begun];
}

function placeIn(feature: ThemeFeature | undefined): [number, number] {
  assert.ok(feature !== undefined);
  const { line = [], ring = line, point = ring } = coordinatesOf(feature);
  return [point[0] ?? NaN, point[1] ?? NaN];
}

/** The first part of a geometry, as the made-up release has them. */
function coordinatesOf({ geometry }: ThemeFeature): Pick<OvertureFeature, 'point' | 'line' | 'ring'> {
  switch (geometry.type) {
    case 'point':
      return { point: [geometry.lon, geometry.lat] };
    case 'lineString':
      return { line: [...geometry.line] };
    case 'multiLineString':
      return { line: [...geometry.lines[0]] };
    case 'polygon':
      return { ring: [...geometry.rings[0]] };
    case 'multiPolygon':
      return { ring: [...geometry.polygons[0][0]] };
  }
}

const TYPES: Readonly<Partial<Record<ThemeFeature['theme'], string>>> = {
  roads: 'segment',
  water: 'water',
  buildings: 'building',
  businesses: 'place',
  industrial: 'land_use',
};

/** An extract of OpenStreetMap as a release of Overture, and a mill in the forest. */
async function writeRelease(
  root: string,
  features: readonly ThemeFeature[],
  [lon, lat]: readonly [number, number],
): Promise<void> {
  const rows: Record<string, OvertureFeature[]> = {
    segment: [
      { id: 'mill-road', line: [lon - 0.01, lat + 0.001, lon + 0.01, lat + 0.001], subtype: 'road', class: 'unknown' },
    ],
    water: [
      { id: 'mill-river', line: [lon - 0.05, lat + 0.01, lon + 0.05, lat + 0.01], subtype: 'river', class: 'river' },
    ],
    building: [
      {
        id: 'mill-hall',
        ring: [lon, lat, lon + 6e-4, lat, lon + 6e-4, lat + 6e-4, lon, lat + 6e-4, lon, lat],
        subtype: 'industrial',
        class: 'factory',
      },
    ],
    place: [{ id: 'mill', point: [lon, lat], name: 'Rompin Palm Oil Mill' }],
    infrastructure: [{ id: 'quay', line: [103.4, 3.5, 103.401, 3.5], subtype: 'pier', class: 'quay' }],
    land_use: [],
  };
  for (const feature of features) {
    const type = TYPES[feature.theme];
    if (type === undefined) continue;
    const [id, kind, name] = feature.values.map((value) => (value === null ? undefined : String(value)));
    rows[type]?.push({
      id: id ?? '',
      ...coordinatesOf(feature),
      subtype: type === 'segment' ? 'road' : 'other',
      ...(kind === undefined ? {} : { class: kind, basicCategory: kind }),
      ...(name === undefined ? {} : { name }),
    });
  }
  for (const { type, folder } of OVERTURE_TYPES)
    await writeOverture(root, RELEASE, folder, rows[type] ?? [], {
      rowGroup: 20_000,
      edges: 'DOUBLE',
      without: ['categories'],
    });
}
