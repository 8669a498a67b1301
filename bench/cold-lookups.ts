/**
 * A live lookup of a place that nobody looked at before, from a file and over HTTP, and one whose cells an earlier process left
 * in the cache on disk: from opening the file to the polygon, compared with rasterio, numpy, scipy, scikit-image and shapely
 * (`peers/tier2.py`, growing by the engine's steps), interleaved in one run, medians of 7.
 *
 *     node bench/cold-lookups.ts FOLDER [BEFORE] [NAME]    FOLDER keeps the files (1.4 GB); BEFORE is a checkout of an earlier commit, or
 *                                                          "none"; NAME chooses rows, "30 ms" for example
 *
 * The files are made from the sample raster, continued by mirroring to 4096 x 4096 pixels: real codes (every other copy with its
 * signs turned), a synthetic layout; they are in the operating system's cache. Memory is that of a thread of the service, and goes
 * on from one lookup to the next as it does there; what is in it never helps, because each lookup sees the file under another
 * name. The phase of the blocks is known, as it is after the first lookup in a zone. Nothing is written to disk but where a row
 * says so. Each version runs in a process of its own, which has looked up some places of both files before, as a service has that
 * is not fresh from its start. The peer opens the file again, with the options with which GDAL reads such
 * files fastest.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import type { LookupAnswer, LookupTask } from './cold-lookups-service.ts';
import { timeInflating } from './inflating.ts';
import { realRaster } from './mirrored-raster.ts';
import { type PeerAnswer, startPeer } from './python-peer.ts';
import { explained } from './read-profile.ts';
import { type BenchProfile, type BenchRow, saveResult } from './results.ts';
import { type Cost, Costs, ms, ROUNDS } from './rounds.ts';

const SIDE = 4096;
/** Pixels that the peer's window may reach to each side, as ours may. */
const REACH = 512;
/** Lookups in each file before the first round. */
const WARM_LOOKUPS = 40;
/** Lookups of a profile: most of them run optimised. */
const PROFILED = 150;
const HERE = join(import.meta.dirname, '..');
/** Lookups a round. */
const POINTS = 3;
/** Where the blocks lie is not known before the header has come. */
const ROUND_TRIPS = 2;
const PYTHON = 'rasterio, numpy (int16), scipy, scikit-image and shapely, growing by the same steps';
const LAYOUTS = {
  pixel: { name: 'pixel-interleaved, blocks of 256', block: 256 },
  band: { name: 'band-interleaved, blocks of 1,024 (the public layout)', block: 1024 },
} as const;

interface Row {
  readonly layout: keyof typeof LAYOUTS;
  /** Null: a local file; else milliseconds before each answer of the server on loopback. */
  readonly delayMs: number | null;
  /** Whether the cells are in the cache on disk. */
  readonly onDisk: boolean;
  readonly goal?: string;
}

const ROWS: readonly Row[] = [
  { layout: 'pixel', delayMs: null, onDisk: false, goal: '5 times' },
  { layout: 'band', delayMs: null, onDisk: false, goal: '2 times' },
  { layout: 'pixel', delayMs: 0, onDisk: false, goal: '5 times' },
  { layout: 'band', delayMs: 0, onDisk: false, goal: '2 times' },
  { layout: 'pixel', delayMs: 30, onDisk: false, goal: '8 times on the clock' },
  { layout: 'band', delayMs: 30, onDisk: false, goal: '8 times on the clock' },
  { layout: 'pixel', delayMs: null, onDisk: true, goal: '15 times' },
  { layout: 'pixel', delayMs: 0, onDisk: true, goal: '15 times' },
  { layout: 'band', delayMs: 30, onDisk: true, goal: '15 times' },
];

const [, , folder, before = 'none', wanted = ''] = process.argv;
if (folder === undefined) throw new Error('wanted a folder for the files');
mkdirSync(folder, { recursive: true });
const raster = realRaster();
const [, , WEST, , , NORTH] = raster.transform;
Object.assign(process.env, {
  GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR',
  GDAL_INGESTED_BYTES_AT_OPEN: '65536',
  GDAL_HTTP_MERGE_CONSECUTIVE_RANGES: 'YES',
  CPL_VSIL_CURL_NON_CACHED: '/vsicurl/',
});
for (const layout of ['pixel', 'band'] as const) makeFile(layout);
const links = mkdtempSync(join(tmpdir(), 'bench-cold-'));
const server = fork(join(import.meta.dirname, 'window-reads-server.ts'), [folder]);
const [port] = (await once(server, 'message')) as [number];
const peer = startPeer('tier2.py');
const rows: BenchRow[] = [];
let lookups = 0;
/** Milliseconds of processor to inflate a megabyte of each layout. */
const inflateMs = {
  pixel: await timeInflating(join(folder, fileOf('pixel')), 'zstd'),
  band: await timeInflating(join(folder, fileOf('band')), 'zstd'),
};
const services = {
  now: await openService(HERE),
  ...(before !== 'none' && { before: await openService(before) }),
};
try {
  for (const layout of ['pixel', 'band'] as const)
    for (const service of Object.values(services)) await warm(service, layout);
  for (const row of ROWS.filter((one) => nameOf(one).includes(wanted))) rows.push(await compare(row));
  if (wanted === '') saveResult('cold-lookups', rows, ROUNDS, await profiles());
} finally {
  peer.stop();
  for (const service of Object.values(services)) await service.stop();
  server.disconnect();
  rmSync(links, { recursive: true });
}
process.exit();

function fileOf(layout: Row['layout']): string {
  return `${layout}-${LAYOUTS[layout].block}-${SIDE}-turned.tif`;
}

function makeFile(layout: Row['layout']): void {
  const file = join(folder, fileOf(layout));
  if (existsSync(file)) return;
  const codes = join(folder, 'codes.i8');
  writeFileSync(codes, raster.codes);
  const script = join(import.meta.dirname, 'peers/tier2-cog.py');
  const args = [codes, raster.width, raster.height, SIDE, WEST, NORTH, layout, LAYOUTS[layout].block, file].map(String);
  execFileSync('/usr/bin/python3', [script, ...args]);
}

function nameOf({ layout, delayMs, onDisk }: Row): string {
  const from =
    delayMs === null ? 'a file' : delayMs === 0 ? 'HTTP on this machine' : `HTTP with ${delayMs} ms a request`;
  return `${LAYOUTS[layout].name}, from ${from}${onDisk ? ', its cells in the cache on disk' : ''}`;
}

/** Another name for the file each time, where nobody has looked. */
function placeOf({ layout, delayMs }: Row): string {
  const name = fileOf(layout);
  lookups += 1;
  if (delayMs !== null) return `http://127.0.0.1:${port}/${delayMs}/${lookups}/${name}`;
  const link = join(links, `${lookups}.tif`);
  symlinkSync(join(folder, name), link);
  return link;
}

async function compare(row: Row): Promise<BenchRow> {
  const costs = new Costs();
  const inflated: number[] = [];
  const random = seededRandom(31);
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    readThrough(join(folder, fileOf(row.layout)));
    for (let point = 0; point < POINTS; point++) {
      const [x, y] = placeIn(random);
      const areas = new Set<number>();
      const inTurn = Object.entries(services);
      // Whoever comes second finds the bytes warm.
      for (const [name, service] of (round + point) % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const task = { place: placeOf(row), ...degreesOf(x, y), onDisk: row.onDisk && name === 'now' };
        if (task.onDisk) await service.lookUp(task);
        const answer = await service.lookUp(task);
        costs.add(name, answer);
        areas.add(answer.area);
        if (name === 'now' && round > 0) inflated.push(answer.inflated);
      }
      if (areas.size > 1) throw new Error(`the two find different segments at ${x}, ${y}`);
      const place = placeOf(row);
      const tiff = row.delayMs === null ? place : `/vsicurl/${place}`;
      const task = { tiff, x, y, h: DEFAULT_DEPTH, size: 2 * REACH, grow: true };
      costs.add('Python', await peer.send<PeerAnswer>({ ...task, threads: row.delayMs === 30 ? 2 : 1 }));
    }
  }
  const [now, python] = [costs.median('now', POINTS), costs.median('Python', POINTS)];
  const result = {
    what: `${row.onDisk ? 'lookup' : 'first lookup'} to polygon, ${nameOf(row)}`,
    ours: `${ms(now.cpuMs)} ms of processor, ${ms(now.ms)} on the clock`,
    peers: [
      ...(before === 'none' ? [] : [{ name: 'this service before', ...costs.ratio('before', 'now') }]),
      { name: PYTHON, strongest: true, ...costs.ratio('Python', 'now') },
    ],
    ...(row.goal !== undefined && { goal: `${row.goal} the strongest peer` }),
    ...limitOf(row, inflated, now, python),
  };
  console.log(`${result.what}: ${result.ours}; ${result.limit ?? ''}; ${JSON.stringify(result.peers)}`);
  return result;
}

/** Of first lookups in files, all threads together. */
async function profiles(): Promise<BenchProfile[]> {
  const all: BenchProfile[] = [];
  for (const layout of ['pixel', 'band'] as const)
    for (const [when, tree] of Object.entries({ ...(before !== 'none' && { before }), now: HERE })) {
      const entries = await explained(async (env) => {
        const service = await openService(tree, env);
        await warm(service, layout, PROFILED);
        await service.stop();
      }, 'all');
      all.push({ what: `first lookups, ${LAYOUTS[layout].name}, from a file, all threads, ${when}`, entries });
    }
  return all;
}

async function warm(service: Service, layout: Row['layout'], count = WARM_LOOKUPS): Promise<void> {
  const random = seededRandom(7);
  readThrough(join(folder, fileOf(layout)));
  for (let lookup = 0; lookup < count; lookup++) {
    const place = placeOf({ layout, delayMs: null, onDisk: false });
    await service.lookUp({ place, ...degreesOf(...placeIn(random)), onDisk: false });
  }
}

/** A pixel from which a window may reach as far as it ever does. */
function placeIn(random: () => number): [x: number, y: number] {
  const next = (): number => REACH + 2 * Math.floor((random() * (SIDE - 2 * REACH)) / 2);
  return [next(), next()];
}

/** Into the cache of the operating system, which may have given it up meanwhile. */
function readThrough(path: string): void {
  const file = openSync(path, 'r');
  const piece = Buffer.alloc(1 << 20);
  while (readSync(file, piece) > 0);
  closeSync(file);
}

/**
 * What cannot be saved: the blocks that a window crosses are inflated, down to the last row that is wanted of them, and where an answer
 * takes its time, the header and the blocks are two requests one after the other. All that the peer takes is so many times that.
 */
function limitOf(
  { layout, onDisk, delayMs }: Row,
  inflated: readonly number[],
  now: Cost,
  python: Cost,
): Pick<BenchRow, 'limit'> {
  if (onDisk) return {};
  const bytes = inflated.reduce((sum, one) => sum + one, 0) / inflated.length;
  const inflating = (bytes / 1e6) * inflateMs[layout];
  const times = (cost: number, least: number): string => (cost / least).toFixed(1);
  const what = `inflating the rows that are wanted of the blocks that a window crosses, ${(bytes / 1e6).toFixed(0)} MB in the mean`;
  const processor = `${ms(inflating)} ms of processor; ours is ${times(now.cpuMs, inflating)} times that, the peer's ${times(python.cpuMs, inflating)} times`;
  if (!delayMs) return { limit: `${what}: ${processor}` };
  const waiting = ROUND_TRIPS * delayMs;
  const clock = `${waiting} ms on the clock; ours is ${times(now.ms, waiting)} times that, the peer's ${times(python.ms, waiting)} times`;
  return { limit: `the header and then the blocks, both requests at their earliest: ${clock}; ${what}: ${processor}` };
}

function degreesOf(x: number, y: number): Pick<LookupTask, 'lon' | 'lat'> {
  const degrees = new Float64Array(2);
  latticeProjection(raster.crs).toLonLat(WEST + 10 * (x + 0.5), NORTH - 10 * (y + 0.5), degrees, 0);
  return { lon: degrees[0], lat: degrees[1] };
}

interface Service {
  readonly lookUp: (task: LookupTask) => Promise<LookupAnswer>;
  readonly stop: () => Promise<void>;
}

/** The readers of a checkout in a process of their own. */
async function openService(tree: string, env: Readonly<Record<string, string>> = {}): Promise<Service> {
  const service = fork(join(import.meta.dirname, 'cold-lookups-service.ts'), [tree, links], {
    env: { ...process.env, ...env },
  });
  const ended = once(service, 'exit').then(() => {
    throw new Error('the process that looks up ended');
  });
  ended.catch(() => {});
  const next = (): Promise<unknown[]> => Promise.race([once(service, 'message'), ended]);
  await next();
  return {
    async lookUp(task) {
      service.send(task);
      return (await next())[0] as LookupAnswer;
    },
    async stop() {
      const exit = once(service, 'exit');
      service.disconnect();
      await exit;
    },
  };
}
