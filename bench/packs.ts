import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
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
import { median, quantile } from './rounds.ts';
import { memoryFlags } from '../bin/memory-flags.js';

/**
 * All local checks of a facility (nearest road, water and port, buildings within 100 m, businesses within 2 km, built-up share within
 * 500 m) against PostGIS on geography and vectorised shapely, on one thread each, interleaved, medians of the rounds.
 * Usage: packs.ts [size = 1] [peers = yes]; size 1 is 1 M roads and 2 M buildings.
 */
const SIZE = Number(process.argv[2] ?? 1);
const WITH_PEERS = (process.argv[3] ?? 'yes') === 'yes';
const FACILITIES = 10_000;
const POSTGIS_SAMPLE = 100;
const POSTGIS_CHECKED = 500;
const PYTHON_SAMPLE = 2_000;
const ROUNDS = 5;

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
  fromDisk();
  const begun = performance.now();
  const data = openPackData(datasets, config, log);
  const opened = performance.now() - begun;
  await data.loaded;
  say(
    'open',
    `${opened.toFixed(1)} ms; in memory after ${((performance.now() - begun) / 1000).toFixed(1)} s, RSS ${rss()} MB`,
  );
  measure(data, world);
  if (WITH_PEERS) await compare(data, world, cells);
  await data.close();
}

/** The same questions from disk alone, in a process of its own with the flags of the service. */
function fromDisk(): void {
  const args = [...memoryFlags(process.versions.node), join(import.meta.dirname, 'packs-disk.ts'), folder, '1000'];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  say('from disk', child.stdout.trim() || child.stderr);
}

function measure(data: PackData, world: PacksWorld): void {
  const shapes = Array.from({ length: FACILITIES }, (_, i) =>
    pointShape(world.facilities[2 * i], world.facilities[2 * i + 1]),
  );
  const rounds: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    const begun = performance.now();
    for (const shape of shapes) query(data, pointShape(shape.inside[0], shape.inside[1]));
    rounds.push(((performance.now() - begun) * 1000) / FACILITIES);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / FACILITIES);
  }
  const each = shapes.map(({ inside: [lon, lat] }) => {
    const begun = performance.now();
    query(data, pointShape(lon, lat));
    return (performance.now() - begun) * 1000;
  });
  const micros = median(rounds.slice(1));
  const [p50, p99] = [quantile(each, 0.5), quantile(each, 0.99)];
  say(
    'firstmile',
    `${micros.toFixed(1)} us a facility, ${median(cpu.slice(1)).toFixed(1)} us of processor (${Math.round(1e6 / micros)}/s); p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} us; RSS ${rss()} MB`,
  );
}

/** All checks of a place. */
function query(data: PackData, shape: Shape): PackAnswer {
  return queryAtOnce(data, shape, 'palm', signal);
}

async function compare(data: PackData, world: PacksWorld, cells: Float64Array): Promise<void> {
  const postgis = await loadPostgis(world, cells);
  for (const [name, flat] of Object.entries({ ...world, cells }))
    writeFileSync(join(folder, `${name}.f64`), new Uint8Array(flat.buffer));
  const python = startPeer('packs.py', folder);
  const { missing, name } = await python.send<{ missing: string | null; name: string | null }>('');
  const figures = { ours: pair(), postgis: pair(), plain: pair(), python: pair(), pythonPlain: pair() };
  const place = (i: number): readonly [number, number] => [world.facilities[2 * i], world.facilities[2 * i + 1]];
  // Laid out before, as the peers' points are.
  const shapes = Array.from({ length: FACILITIES }, (_, i) => pointShape(...place(i)));
  const differing: string[] = [];
  for (let i = 0; i < POSTGIS_CHECKED; i++) differing.push(...(await differencesAt(data, postgis, place(i))));
  for (let round = 0; round < ROUNDS; round++) {
    const first = POSTGIS_CHECKED + round * POSTGIS_SAMPLE;
    for (const [name, question] of [
      ['postgis', postgis.query],
      ['plain', postgis.queryPlain],
    ] as const) {
      for (let i = 0; i < POSTGIS_SAMPLE; i++) await question(...place(first + i));
      const before = postgis.processor();
      const begun = performance.now();
      for (let i = 0; i < POSTGIS_SAMPLE; i++) await question(...place(first + i));
      note(figures[name], performance.now() - begun, (postgis.processor() - before) * 1000, POSTGIS_SAMPLE);
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
        note(figures[name], seconds * 1000, processor * 1000, PYTHON_SAMPLE);
    }
    for (const shape of shapes) query(data, shape);
    const before = process.cpuUsage();
    const begun = performance.now();
    for (const shape of shapes) query(data, shape);
    const { user, system } = process.cpuUsage(before);
    note(figures.ours, performance.now() - begun, (user + system) / 1000, FACILITIES);
  }
  python.stop();
  await postgis.close();
  const own = { wall: median(figures.ours.wall), processor: median(figures.ours.processor) };
  const line = ({ wall, processor }: Timed): string => {
    const [w, p] = [median(wall), median(processor)];
    return `${w.toFixed(0)} us a facility, ${p.toFixed(0)} of processor: ${(w / own.wall).toFixed(1)} and ${(p / own.processor).toFixed(1)} times ours`;
  };
  say(
    'load',
    loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
  );
  say('firstmile', line(figures.ours));
  say('postgis', `with cells prepared ${line(figures.postgis)}`);
  say('postgis', `from the footprints ${line(figures.plain)}`);
  say('shapely', missing ?? `${name} and cKDTree, with cells prepared ${line(figures.python)}`);
  say('shapely', missing ?? `from the footprints ${line(figures.pythonPlain)}`);
  say(
    'decisions',
    `${POSTGIS_CHECKED} facilities, ${differing.length} different${differing.map((line) => `\n  ${line}`).join('')}`,
  );
}

/** Microseconds a facility of every round, by the clock and of the processor; the latter says more while others work. */
interface Timed {
  readonly wall: number[];
  readonly processor: number[];
}

function pair(): Timed {
  return { wall: [], processor: [] };
}

function note({ wall, processor }: Timed, wallMs: number, processorMs: number, facilities: number): void {
  wall.push((wallMs * 1000) / facilities);
  processor.push((processorMs * 1000) / facilities);
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
