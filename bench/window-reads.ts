/**
 * Reading a window of 512 x 512 pixels with 64 bands from a GeoTIFF, compared with geotiff.js 3 and rasterio (GDAL), interleaved
 * in one run, medians of 7, with nothing kept (cold) and with everything kept (warm) from one round to the next.
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
import { realRaster } from './mirrored-raster.ts';
import { startPeer, type PythonPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { median, ms, ROUNDS } from './rounds.ts';

/** Side of the window, in pixels. */
const SIZE = 512;
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
}

const BAND = { file: 'zstd-band-1024.tif', x: 1280, y: 1280, delayMs: null, state: 'cold' } as const;
const PIXEL = { ...BAND, file: 'zstd-pixel-256.tif' } as const;

const ROWS: readonly Row[] = [
  { ...BAND, name: 'zstd band 1024, one tile' },
  { ...BAND, name: 'zstd band 1024, four tiles', x: 1792, y: 1792 },
  { ...PIXEL, name: 'zstd pixel 256' },
  { ...PIXEL, name: 'zstd pixel 256, unaligned', x: 1290, y: 1311 },
  { ...BAND, name: 'zstd pixel 1024, one tile', file: 'zstd-pixel-1024.tif' },
  { ...BAND, name: 'deflate band 1024, one tile', file: 'deflate-band-1024.tif' },
  { ...BAND, name: 'zstd band 1024, off the disk', state: 'dropped' },
  { ...PIXEL, name: 'zstd pixel 256, off the disk', state: 'dropped' },
  { ...BAND, name: 'zstd band 1024, warm', state: 'warm' },
  { ...PIXEL, name: 'zstd pixel 256, warm', state: 'warm' },
  { ...BAND, name: 'http zstd band 1024', delayMs: 0 },
  { ...PIXEL, name: 'http zstd pixel 256', delayMs: 0 },
  { ...BAND, name: 'http + 30 ms zstd band 1024', delayMs: 30 },
  { ...PIXEL, name: 'http + 30 ms zstd pixel 256', delayMs: 30 },
  { ...BAND, name: 'http + 30 ms zstd band 1024, restarted', delayMs: 30, state: 'restarted' },
  { ...BAND, name: 'http + 30 ms zstd band 1024, warm', delayMs: 30, state: 'warm' },
];

export interface Reading {
  readonly ms: number;
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
const server = fork(join(import.meta.dirname, 'window-reads-server.ts'), [folder]);
const [port] = (await once(server, 'message')) as [number];
const python = startPeer('window_reads.py');
const scripts = {
  'ours 1': await startReader('window-reads-ours.ts', 1),
  'ours 2': await startReader('window-reads-ours.ts', 2),
  'geotiff.js': await startReader('window-reads-geotiff.ts', 0),
  'geotiff.js pool 2': await startReader('window-reads-geotiff.ts', 2),
};
const readers: Readonly<Record<string, Reader>> = {
  'ours 1': scripts['ours 1'].read,
  'ours 2': scripts['ours 2'].read,
  'rasterio 1': readWithRasterio(python, 1),
  'rasterio 2': readWithRasterio(python, 2),
  'geotiff.js': scripts['geotiff.js'].read,
  'geotiff.js pool 2': scripts['geotiff.js pool 2'].read,
};
try {
  console.log(`ms, median of ${ROUNDS}; the number after a name is that of its decoding threads\n`);
  for (const row of ROWS.filter(({ name }) => name.includes(wanted))) {
    const place = row.delayMs === null ? join(folder, row.file) : `http://127.0.0.1:${port}/${row.delayMs}`;
    report(row, await measure(row, place));
  }
  if (wanted === '') saveResult('window-reads', rows);
} finally {
  python.stop();
  await Promise.all([server, ...Object.values(scripts).map(({ child }) => child)].map(stop));
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

/** One warm-up and `ROUNDS` rounds, each of which runs every reader. */
async function measure(row: Row, place: string): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(Object.keys(readers).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    const sums = new Set<number>();
    for (const [name, read] of Object.entries(readers)) {
      if (row.state === 'dropped') await python.send({ drop: place });
      const reading = await Promise.race([read(row, addressOf(row, place)), sleep(PATIENCE_MS, null, { ref: false })]);
      if (reading === null) console.log(`  ${name} gave no answer within ${PATIENCE_MS} ms`);
      else {
        sums.add(reading.sum);
        if (round > 0) times.get(name)?.push(reading.ms);
      }
    }
    if (sums.size > 1) throw new Error(`${row.name}: the readers read different codes, sums ${[...sums].join(', ')}`);
  }
  return new Map([...times].map(([name, all]) => [name, all.length === 0 ? Number.NaN : median(all)]));
}

/** Over HTTP a name that is new each time keeps every cache from answering in a cold round; the server ignores it. */
function addressOf({ delayMs, state, file }: Row, place: string): string {
  if (delayMs === null) return place;
  return `${place}/${state === 'cold' ? Math.random() : 'same'}/${file}`;
}

function report(row: Row, figures: ReadonlyMap<string, number>): void {
  const of = (name: string): number => figures.get(name) ?? Number.NaN;
  const ratios = [
    ['rasterio 1', 'ours 1'],
    ['rasterio 2', 'ours 2'],
    ['rasterio 1', 'ours 2'],
    ['geotiff.js', 'ours 2'],
    ['geotiff.js pool 2', 'ours 2'],
  ].map(([a, b]) => `${a} / ${b} ${(of(a) / of(b)).toFixed(1)}x`);
  rows.push({
    what: `window of ${SIZE} x ${SIZE} x 64, ${row.name}, two threads decode`,
    ours: `${ms(of('ours 2'))} ms`,
    peers: [
      { name: 'geotiff.js', times: of('geotiff.js') / of('ours 2') },
      { name: 'geotiff.js with two threads', times: of('geotiff.js pool 2') / of('ours 2') },
      { name: 'rasterio with two threads', strongest: true, times: of('rasterio 2') / of('ours 2') },
    ],
  });
  console.log(`${row.name.padEnd(40)} ${[...figures].map(([name, value]) => `${name} ${ms(value)}`).join(', ')}`);
  console.log(`${' '.repeat(41)}${ratios.join('  ')}`);
}

function readWithRasterio(peer: PythonPeer, threads: number): Reader {
  return ({ x, y, delayMs, state }, place) => {
    const path = delayMs === null ? place : `/vsicurl/${place}`;
    return peer.send<Record<keyof Reading, number>>({ path, x, y, size: SIZE, threads, keep: state === 'warm' });
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
