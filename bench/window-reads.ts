/**
 * Reading a window of 512 x 512 pixels with 64 bands from a GeoTIFF, compared with geotiff.js 3, alone and with two decoding threads, and
 * with rasterio (GDAL) with two, as ours has; interleaved in one run, medians of 7, with nothing kept (cold) and with everything kept
 * (warm) from one round to the next.
 *
 *     node bench/window-reads.ts [FOLDER] [NAME]      FOLDER keeps the files (1.7 GB); NAME chooses rows, "http" for example
 *
 * The files are made from the sample raster, continued by mirroring to 3072 x 3072 pixels: real codes, synthetic layouts.
 * Memory for what is decoded and for the window is taken while the clock runs, ours too, unless a round is warm.
 * Every reader is a process of its own, so that none clears up after another. Ours does what a lookup does: it copies the
 * rows of the window out of its blocks into one piece of memory, pixel by pixel; the peers give one array a band.
 * Needs Debian's python3-rasterio.
 */
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeInflating } from './inflating.ts';
import { realRaster } from './mirrored-raster.ts';
import { startPeer, type PythonPeer } from './python-peer.ts';
import { type BenchRow, type PeerRatio, saveResult } from './results.ts';
import { Costs, type Cost, ms, ROUNDS } from './rounds.ts';

/** Side of the window, in pixels. */
const SIZE = 512;
/** That decode. */
const THREADS = 2;
/** A peer that does not answer is given up; the pool of geotiff.js hangs at times. */
const PATIENCE_MS = 60_000;

export interface Row {
  readonly name: string;
  readonly file: string;
  readonly x: number;
  readonly y: number;
  /** Null: a local file; else milliseconds before each answer of the server on loopback. */
  readonly delayMs: number | null;
  /**
   * What a round finds. `dropped`: the file is not in the operating system's cache. `cold`: it is, but every reader opens
   * it again and has nothing decoded. `warm`: readers keep the file open and what they decoded of it. `restarted`: ours
   * has the blocks in its cache on disk and nothing in memory; the others keep nothing on disk.
   */
  readonly state: 'dropped' | 'cold' | 'warm' | 'restarted';
  readonly goal?: string;
}

const BAND = { file: 'zstd-band-1024.tif', x: 1280, y: 1280, delayMs: null, state: 'cold' } as const;
const PIXEL = { ...BAND, file: 'zstd-pixel-256.tif' } as const;
/** Bands apart in blocks of 1,024 are the public layout. */
const [BANDS_APART, PIXELS] = ['bands apart, blocks of 1,024', 'pixels interleaved, blocks of 256'];
const COLD_GOAL = '15 times geotiff.js, 0.9 times rasterio';

const ROWS: readonly Row[] = [
  { ...PIXEL, name: PIXELS, goal: COLD_GOAL },
  { ...PIXEL, name: `${PIXELS}, not on their edges`, x: 1290, y: 1311 },
  { ...BAND, name: `${BANDS_APART}, one of them`, goal: '5 times geotiff.js, 0.9 times rasterio' },
  { ...BAND, name: `${BANDS_APART}, four of them`, x: 1792, y: 1792 },
  { ...BAND, name: 'bands apart, blocks of 1,024, deflate', file: 'deflate-band-1024.tif' },
  { ...BAND, name: `${BANDS_APART}, not in the cache of the operating system`, state: 'dropped' },
  { ...PIXEL, name: `${PIXELS}, not in the cache of the operating system`, state: 'dropped' },
  { ...BAND, name: `${BANDS_APART}, decoded before`, state: 'warm' },
  { ...PIXEL, name: `${PIXELS}, decoded before`, state: 'warm' },
  { ...BAND, name: `${BANDS_APART}, HTTP on this machine`, delayMs: 0 },
  { ...PIXEL, name: `${PIXELS}, HTTP on this machine`, delayMs: 0 },
  { ...BAND, name: `${BANDS_APART}, HTTP with 30 ms a request`, delayMs: 30, goal: '5 times rasterio on the clock' },
  { ...PIXEL, name: `${PIXELS}, HTTP with 30 ms a request`, delayMs: 30 },
  {
    ...BAND,
    name: `${BANDS_APART}, HTTP with 30 ms a request, after a restart: ours has blocks on disk`,
    delayMs: 30,
    state: 'restarted',
  },
];

export interface Reading extends Cost {
  /** Bytes that ours inflated; the peers do not say. */
  readonly inflated?: number;
  /** Sum of all codes of the window, by which the readers are checked. */
  readonly sum: number;
}

/** What a script receives. */
export interface Question {
  readonly row: Row;
  readonly place: string;
}

/** Reads the window of a row; `place` is a path or an address. */
type Reader = (row: Row, place: string) => Promise<Reading>;

const [, , given, wanted = ''] = process.argv;
const rows: BenchRow[] = [];
const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-window-reads-'));
makeFiles();
/** Milliseconds of processor to inflate a megabyte of each file. */
const inflateMs = new Map<string, number>();
for (const { file } of ROWS)
  if (!inflateMs.has(file))
    inflateMs.set(file, await timeInflating(join(folder, file), file.startsWith('zstd') ? 'zstd' : 'deflate'));
const server = fork(join(import.meta.dirname, 'window-reads-server.ts'), [folder]);
const [port] = (await once(server, 'message')) as [number];
const python = startPeer('window_reads.py');
const scripts = [
  await startReader('window-reads-ours.ts', THREADS),
  await startReader('window-reads-geotiff.ts', 0),
  await startReader('window-reads-geotiff.ts', THREADS),
];
const PEERS = {
  alone: { name: 'geotiff.js, one thread' },
  pool: { name: 'geotiff.js, two threads' },
  rasterio: { name: 'rasterio, two threads', strongest: true },
} as const;
const readers: Readonly<Record<'ours' | keyof typeof PEERS, Reader>> = {
  ours: scripts[0].read,
  rasterio: readWithRasterio(python, THREADS),
  alone: scripts[1].read,
  pool: scripts[2].read,
};
try {
  for (const row of ROWS.filter(({ name }) => name.includes(wanted))) {
    const place = row.delayMs === null ? join(folder, row.file) : `http://127.0.0.1:${port}/${row.delayMs}`;
    report(row, await measure(row, place));
  }
  if (wanted === '') saveResult('window-reads', rows);
} finally {
  python.stop();
  await Promise.all([server, ...scripts.map(({ child }) => child)].map(stop));
  if (given === undefined) rmSync(folder, { recursive: true });
}

function makeFiles(): void {
  mkdirSync(folder, { recursive: true });
  const { codes, width, height } = realRaster();
  const path = join(folder, 'codes.i8');
  writeFileSync(path, codes);
  const script = join(import.meta.dirname, 'peers/window_reads.py');
  execFileSync('/usr/bin/python3', [script, 'make', folder, path, String(width), String(height)]);
}

interface Measured {
  readonly costs: Costs;
  readonly inflated: number;
}

/** One warm-up and `ROUNDS` rounds, each of which runs every reader. */
async function measure(row: Row, place: string): Promise<Measured> {
  const costs = new Costs();
  let inflated = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const sums = new Set<number>();
    for (const [name, read] of Object.entries(readers)) {
      if (row.state === 'dropped') await python.send({ drop: place });
      const reading = await Promise.race([read(row, addressOf(row, place)), sleep(PATIENCE_MS, null, { ref: false })]);
      if (reading === null) console.log(`  ${name} gave no answer within ${PATIENCE_MS} ms`);
      else {
        sums.add(reading.sum);
        costs.add(name, reading);
        inflated = reading.inflated ?? inflated;
      }
    }
    if (sums.size > 1) throw new Error(`${row.name}: the readers read different codes, sums ${[...sums].join(', ')}`);
  }
  return { costs, inflated };
}

/** Over HTTP a name that is new each time keeps every cache from answering in a cold round; the server ignores it. */
function addressOf({ delayMs, state, file }: Row, place: string): string {
  if (delayMs === null) return place;
  return `${place}/${state === 'cold' ? Math.random() : 'same'}/${file}`;
}

function report(row: Row, { costs, inflated }: Measured): void {
  const own = costs.median('ours');
  const peers = Object.entries(PEERS).map(([key, peer]): PeerRatio => ({ ...peer, ...costs.ratio(key, 'ours') }));
  const inflating = (inflated / 1e6) * (inflateMs.get(row.file) ?? Number.NaN);
  const limit =
    inflated === 0
      ? {}
      : {
          limit: `inflating the ${(inflated / 1e6).toFixed(0)} MB of rows that are wanted of the blocks, in Node: ${ms(inflating)} ms of processor; ours is ${(own.cpuMs / inflating).toFixed(1)} times that, rasterio ${(costs.median('rasterio').cpuMs / inflating).toFixed(1)} times`,
        };
  rows.push({
    what: `window of ${SIZE} x ${SIZE} x 64, ${row.name}`,
    ours: `${ms(own.ms)} ms, ${ms(own.cpuMs)} of processor`,
    peers,
    ...(row.goal !== undefined && { goal: row.goal }),
    ...limit,
  });
  console.log(JSON.stringify(rows.at(-1)));
}

function readWithRasterio(peer: PythonPeer, threads: number): Reader {
  return ({ x, y, delayMs, state }, place) => {
    const path = delayMs === null ? place : `/vsicurl/${place}`;
    return peer.send<Record<'ms' | 'cpuMs' | 'sum', number>>({
      path,
      x,
      y,
      size: SIZE,
      threads,
      keep: state === 'warm',
    });
  };
}

interface ReaderProcess {
  readonly child: ChildProcess;
  readonly read: Reader;
}

/** Starts a script next to this one that answers each row with a reading. */
async function startReader(script: string, threads: number): Promise<ReaderProcess> {
  const child = fork(join(import.meta.dirname, script), [String(threads), String(SIZE)]);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended`)));
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    child,
    async read(row, place) {
      const answer = once(child, 'message') as Promise<[Reading]>;
      child.send({ row, place } satisfies Question);
      return (await Promise.race([answer, ended]))[0];
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
}
