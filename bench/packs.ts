import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtUpCell, cellArea } from '../src/geo/features/built-up-grid.ts';
import { geodesicDistanceM } from '../src/geo/ellipsoid.ts';
import { pointShape, type Shape } from '../src/geo/shapes/shape.ts';
import { polygonArea } from '../src/geo/rings/polygon-area.ts';
import { createLog } from '../src/log.ts';
import { installedDatasets } from '../src/service/datasets/pack-folder.ts';
import { openPackData, type PackData } from '../src/service/world/packs-data.ts';
import { queryAtOnce, differences, type PackAnswer } from './packs-query.ts';
import { ewkb, openPostgis, type PostgisPeer } from './packs-postgis.ts';
import { packsWorld, RIVER_VERTICES, ROAD_VERTICES, type PacksWorld } from './packs-world.ts';
import { closed, writeWorld } from './packs-write.ts';
import { startPeer } from './python-peer.ts';
import { type BenchRow, type PeerRatio, saveResult } from './results.ts';
import { costOf, Costs, quantile, ROUNDS } from './rounds.ts';
import { memoryFlags } from '../bin/memory-flags.js';

/**
 * All local checks of a facility (nearest road, water and port, buildings within 100 m, businesses within 2 km, built-up share within
 * 500 m) against PostGIS on geography and vectorised shapely, on one thread each, interleaved, medians of the rounds. Opening and what
 * runs from disk alone have one run.
 * Usage: packs.ts [size = 1] [peers = yes]; size 1 is 1 M roads and 2 M buildings.
 */
const SIZE = Number(process.argv[2] ?? 1);
const WITH_PEERS = (process.argv[3] ?? 'yes') === 'yes';
const FACILITIES = 10_000;
const POSTGIS_SAMPLE = 100;
const POSTGIS_CHECKED = 500;
const PYTHON_SAMPLE = 2_000;

const { signal } = new AbortController();
const log = createLog({ level: 'silent', json: true });
const folder = mkdtempSync(join(tmpdir(), 'bench-packs-'));
const config = { dataDir: folder, cacheMaxMb: 0, packMemoryMb: 8_000 };
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const world = packsWorld(SIZE, FACILITIES);
  const cells = cellsOf(world);
  const begunWriting = performance.now();
  await writeWorld(world, folder);
  say('write', `${((performance.now() - begunWriting) / 1000).toFixed(1)} s, RSS ${rss()} MB with the world in it`);
  const { datasets } = await installedDatasets(config);
  writeFileSync(join(folder, 'facilities.f64'), new Uint8Array(world.facilities.buffer));
  const disk = fromDisk();
  const begun = performance.now();
  const data = openPackData(datasets, config, log);
  const opened = performance.now() - begun;
  await data.loaded;
  const loaded = `${((performance.now() - begun) / 1000).toFixed(1)} s, RSS ${rss()} MB`;
  const each = latencies(data, world);
  if (WITH_PEERS)
    saveResult('packs', [
      ...(await compare(data, world, cells, each)),
      {
        what: 'opening the packs without reading them, one run',
        ours: `${opened.toFixed(1)} ms; in memory after ${loaded} with the world in it`,
        goal: '50 ms',
      },
      { what: 'from disk alone, 1,000 facilities, one run', ours: disk, goal: '100 MB' },
    ]);
  await data.close();
}

/** The same questions from disk alone, in a process of its own with the flags of the service. */
function fromDisk(): string {
  const args = [...memoryFlags(process.versions.node), join(import.meta.dirname, 'packs-disk.ts'), folder, '1000'];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(child.stderr);
  say('from disk', child.stdout.trim());
  return child.stdout.trim();
}

/** Microseconds of every facility, once all have been looked up. */
function latencies(data: PackData, world: PacksWorld): number[] {
  const shapes = shapesOf(world);
  for (const shape of shapes) query(data, shape);
  return shapes.map((shape) => {
    const begun = performance.now();
    query(data, shape);
    return (performance.now() - begun) * 1000;
  });
}

/** Laid out before, as the peers' points are. */
function shapesOf({ facilities }: PacksWorld): Shape[] {
  return Array.from({ length: FACILITIES }, (_, i) => pointShape(facilities[2 * i], facilities[2 * i + 1]));
}

/** All checks of a place. */
function query(data: PackData, shape: Shape): PackAnswer {
  return queryAtOnce(data, shape, 'palm', signal);
}

async function compare(
  data: PackData,
  world: PacksWorld,
  cells: Float64Array,
  each: readonly number[],
): Promise<BenchRow[]> {
  const postgis = await loadPostgis(world, cells);
  for (const [name, flat] of Object.entries({ ...world, cells }))
    writeFileSync(join(folder, `${name}.f64`), new Uint8Array(flat.buffer));
  const python = startPeer('packs.py', folder);
  const { missing, name } = await python.send<{ missing: string | null; name: string | null }>('');
  const costs = new Costs();
  const place = (i: number): readonly [number, number] => [world.facilities[2 * i], world.facilities[2 * i + 1]];
  const shapes = shapesOf(world);
  const differing: string[] = [];
  for (let i = 0; i < POSTGIS_CHECKED; i++) differing.push(...(await differencesAt(data, postgis, place(i))));
  const note = (name: string, ms: number, cpuMs: number, facilities: number): void =>
    costs.add(name, { ms: ms / facilities, cpuMs: cpuMs / facilities });
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const first = POSTGIS_CHECKED + round * POSTGIS_SAMPLE;
    for (const [name, question] of [
      ['postgis', postgis.query],
      ['plain', postgis.queryPlain],
    ] as const) {
      for (let i = 0; i < POSTGIS_SAMPLE; i++) await question(...place(first + i));
      const before = postgis.processor();
      const begun = performance.now();
      for (let i = 0; i < POSTGIS_SAMPLE; i++) await question(...place(first + i));
      note(name, performance.now() - begun, (postgis.processor() - before) * 1000, POSTGIS_SAMPLE);
    }
    // Everybody is queried twice, and the second time counts.
    if (missing === null) {
      await python.send({ count: PYTHON_SAMPLE });
      const answer = await python.send<Record<'cells' | 'footprints', Record<'seconds' | 'processor', number>>>({
        count: PYTHON_SAMPLE,
      });
      for (const [name, { seconds, processor }] of [
        ['python', answer.cells],
        ['pythonPlain', answer.footprints],
      ] as const)
        note(name, seconds * 1000, processor * 1000, PYTHON_SAMPLE);
    }
    for (const shape of shapes) query(data, shape);
    const [{ ms, cpuMs }] = await costOf(() => {
      for (const shape of shapes) query(data, shape);
    });
    note('ours', ms, cpuMs, FACILITIES);
  }
  python.stop();
  await postgis.close();
  const own = costs.median('ours');
  const peer = (name: string, what: string): PeerRatio => ({ name: what, ...costs.ratio(name, 'ours') });
  for (const line of differing.slice(0, 10)) say('differs', line);
  const rows: BenchRow[] = [
    {
      what:
        `nearest road, water and port, buildings within 100 m, businesses within 2 km, built-up share within 500 m, among ` +
        `${count(SIZE * 1e6)} roads, ${count(SIZE * 2e6)} buildings, ${count(SIZE * 2e5)} businesses: one facility`,
      ours:
        `${(own.ms * 1000).toFixed(1)} µs, ${(own.cpuMs * 1000).toFixed(1)} of processor; ` +
        `p50 ${quantile(each, 0.5).toFixed(0)}, p99 ${quantile(each, 0.99).toFixed(0)} µs`,
      peers: [
        peer('plain', 'PostGIS on geography, footprints within 500 m summed up; processor of the server alone'),
        peer('postgis', 'the same with a table of our built-up cells'),
        ...(missing === null
          ? [
              { ...peer('pythonPlain', `${name} and cKDTree, footprints within 500 m summed up`), strongest: true },
              { ...peer('python', 'the same with our built-up cells given to it'), strongest: true },
            ]
          : []),
      ],
      goal: '75 times PostGIS, 6 times the strongest peer',
    },
    {
      what: `decisions that differ from \`ST_DWithin(geography)\`, ${POSTGIS_CHECKED} facilities`,
      ours: String(differing.length),
      goal: '0',
    },
  ];
  console.dir(rows, { depth: null });
  return rows;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

async function loadPostgis(world: PacksWorld, cells: Float64Array) {
  const postgis = await openPostgis();
  const rows = function* (
    kind: 'point' | 'line' | 'polygon',
    flat: Float64Array,
    size: number,
    value: (i: number, part: Float64Array) => number,
  ) {
    for (let i = 0; i < flat.length; i += size) {
      const part =
        kind === 'polygon' ? closed(flat.subarray(i, i + size)) : flat.subarray(i, i + (kind === 'point' ? 2 : size));
      yield [ewkb(kind, part), value(i, part)] as const;
    }
  };
  await postgis.load(
    'roads',
    rows('line', world.roads, ROAD_VERTICES * 2, () => 0),
  );
  await postgis.load(
    'rivers',
    rows('line', world.rivers, RIVER_VERTICES * 2, () => 0),
  );
  await postgis.load(
    'buildings',
    rows('polygon', world.buildings, 8, (_, part) => Math.round(polygonArea([part]).area * 100) / 100),
  );
  await postgis.load(
    'businesses',
    rows('point', world.businesses, 2, () => 0),
  );
  await postgis.load(
    'ports',
    rows('point', world.ports, 2, () => 0),
  );
  await postgis.load(
    'cells',
    rows('point', cells, 3, (i) => cells[i + 2]),
  );
  return postgis;
}

/** Every decision at a place on which the two disagree. */
async function differencesAt(data: PackData, postgis: PostgisPeer, at: readonly [number, number]): Promise<string[]> {
  const own = query(data, pointShape(...at));
  const theirs = await postgis.query(...at);
  const isDense = theirs.taken / groundWithin(...at, 500) > 0.5;
  return [
    ...differences(own, theirs, at),
    ...(own.dense === isDense ? [] : [`dense at ${at.join(', ')}: ${own.dense}, PostGIS ${isDense}`]),
  ];
}

/** Ground of the cells whose middle lies within so many metres, by the geodesic. */
function groundWithin(lon: number, lat: number, radiusM: number): number {
  let ground = 0;
  const seen = new Set<number>();
  for (let y = lat - 0.006; y < lat + 0.006; y += 0.00012)
    for (let x = lon - 0.006; x < lon + 0.006; x += 0.00012) {
      const cell = builtUpCell(x, y);
      if (seen.has(cell)) continue;
      seen.add(cell);
      if (geodesicDistanceM(lon, lat, ...middleOf(cell)) <= radiusM) ground += cellArea(cell);
    }
  return ground;
}

/** Longitude, latitude and square metres taken of every cell with buildings. */
function cellsOf({ buildings }: PacksWorld): Float64Array {
  const taken = new Map<number, number>();
  for (let i = 0; i < buildings.length; i += 8) {
    const xs = [0, 2, 4, 6].map((k) => buildings[i + k]);
    const ys = [1, 3, 5, 7].map((k) => buildings[i + k]);
    const middle = (values: readonly number[]): number =>
      Math.round((Math.min(...values) + Math.max(...values)) * 5e6) / 1e7;
    const cell = builtUpCell(middle(xs), middle(ys));
    taken.set(
      cell,
      (taken.get(cell) ?? 0) + Math.round(polygonArea([closed(buildings.subarray(i, i + 8))]).area * 100) / 100,
    );
  }
  const flat = new Float64Array(taken.size * 3);
  let at = 0;
  for (const [cell, area] of taken) {
    flat.set([...middleOf(cell), Math.max(area, cellArea(cell))], at);
    at += 3;
  }
  return flat;
}

function middleOf(cell: number): [number, number] {
  const row = Math.floor(cell / 2 ** 21);
  const band = (Math.floor(row / 400) + 0.5) * 0.1 - 90;
  return [
    ((cell % 2 ** 21) + 0.5) / Math.round(4000 * Math.cos((band * Math.PI) / 180)) - 180,
    (row + 0.5) / 4000 - 90,
  ];
}

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

function say(what: string, text: string): void {
  process.stdout.write(`${what.padEnd(10)} ${text}\n`);
}
