/**
 * Reading a window of 512 x 512 pixels with 64 bands from a GeoTIFF, beside geotiff.js 3 and rasterio, interleaved in one
 * run, medians of 7. Files are synthetic, 4096 x 4096 pixels; all are opened anew and nothing decoded is kept from one
 * round to the next, but the page cache is warm. Over HTTP the server is on loopback, as it is and with 30 ms before
 * each answer. Ours copies the window's rows out of its blocks, as the engine does.
 *
 *     node bench/window-reads.ts [FOLDER] [NAME]      FOLDER keeps the files (4.7 GB); NAME chooses rows, "http" for example
 *
 * Needs Debian's python3-rasterio, and geotiff 3.0.5: npm install --no-save geotiff@3.0.5. Without the latter its columns
 * are left out.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSource } from '../src/readers/byte-file.ts';
import { createHostGates } from '../src/readers/byte-concurrency.ts';
import { remoteSource } from '../src/readers/byte-remote.ts';
import type { ByteSource } from '../src/readers/byte-source.ts';
import { blockWindow } from '../src/readers/embeddings/block-window.ts';
import { createDecoder, type Decoder } from '../src/readers/embeddings/decoder.ts';
import { tiffCodeBlocks } from '../src/readers/embeddings/tiff-blocks.ts';
import { openTiff } from '../src/readers/tiff/open-tiff.ts';
import { startPeer, type PythonPeer } from './python-peer.ts';
import { median, ms, ROUNDS } from './rounds.ts';

const SIZE = 512;
/** Requests at the same time to one host, as the service has it. */
const PER_HOST = 16;
/** A peer that does not answer is given up; the pool of geotiff.js hung once in 75 runs. */
const PATIENCE_MS = 60_000;

interface Row {
  readonly name: string;
  readonly file: string;
  readonly x: number;
  readonly y: number;
  /** Null: a local file; else milliseconds before each answer. */
  readonly delayMs: number | null;
}

const ROWS: readonly Row[] = [
  { name: 'zstd band 1024, one tile', file: 'zstd-band-1024.tif', x: 1280, y: 1280, delayMs: null },
  { name: 'zstd band 1024, one tile, unaligned', file: 'zstd-band-1024.tif', x: 1290, y: 1311, delayMs: null },
  { name: 'zstd band 1024, four tiles', file: 'zstd-band-1024.tif', x: 1792, y: 1792, delayMs: null },
  { name: 'zstd band 512', file: 'zstd-band-512.tif', x: 1536, y: 1536, delayMs: null },
  { name: 'zstd pixel 1024, one tile', file: 'zstd-pixel-1024.tif', x: 1280, y: 1280, delayMs: null },
  { name: 'zstd pixel 256', file: 'zstd-pixel-256.tif', x: 1280, y: 1280, delayMs: null },
  { name: 'zstd pixel 256, unaligned', file: 'zstd-pixel-256.tif', x: 1290, y: 1311, delayMs: null },
  { name: 'deflate band 1024, one tile', file: 'deflate-band-1024.tif', x: 1280, y: 1280, delayMs: null },
  { name: 'deflate pixel 256', file: 'deflate-pixel-256.tif', x: 1280, y: 1280, delayMs: null },
  { name: 'http zstd band 1024', file: 'zstd-band-1024.tif', x: 1280, y: 1280, delayMs: 0 },
  { name: 'http zstd pixel 256', file: 'zstd-pixel-256.tif', x: 1280, y: 1280, delayMs: 0 },
  { name: 'http + 30 ms zstd band 1024', file: 'zstd-band-1024.tif', x: 1280, y: 1280, delayMs: 30 },
  { name: 'http + 30 ms zstd pixel 1024', file: 'zstd-pixel-1024.tif', x: 1280, y: 1280, delayMs: 30 },
  { name: 'http + 30 ms zstd pixel 256', file: 'zstd-pixel-256.tif', x: 1280, y: 1280, delayMs: 30 },
];

interface Reading {
  readonly ms: number;
  /** Sum of all codes of the window, by which the peers are checked. */
  readonly sum: number;
}

type Peer = (row: Row, place: string) => Promise<Reading>;

/** The parts of geotiff.js that are used. */
interface GeotiffModule {
  fromFile(path: string): Promise<GeotiffFile>;
  fromUrl(url: string): Promise<GeotiffFile>;
  readonly Pool: new (size: number) => object;
}
interface GeotiffFile {
  getImage(): Promise<{ readRasters(options: object): Promise<Int8Array[]> }>;
  close(): void;
}

const out = new Int8Array(SIZE * SIZE * 64);
let opened = 0;

if (process.argv[2] === 'serve') serve(process.argv[3]);
else await main(process.argv[2], process.argv[3] ?? '');

async function main(given: string | undefined, wanted: string): Promise<void> {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-window-reads-'));
  mkdirSync(folder, { recursive: true });
  execFileSync('/usr/bin/python3', [join(import.meta.dirname, 'peers/window_reads.py'), 'make', folder]);
  const server = fork(import.meta.filename, ['serve', folder]);
  const [port] = (await once(server, 'message')) as [number];
  const decoders = [1, 2].map((threads) => createDecoder({ threads }));
  const python = startPeer('window_reads.py');
  try {
    const peers: Record<string, Peer> = {
      'ours 1': (row, place) => readOurs(row, place, decoders[0]),
      'ours 2': (row, place) => readOurs(row, place, decoders[1]),
      ...rasterioPeers(python),
      ...(await geotiffPeers()),
    };
    console.log(`ms, median of ${ROUNDS}; the number behind a name is that of its decoding threads\n`);
    for (const row of ROWS.filter(({ name }) => name.includes(wanted))) {
      const place = row.delayMs === null ? join(folder, row.file) : `http://127.0.0.1:${port}/${row.delayMs}`;
      report(row, await measure(row, place, peers));
    }
    console.log(`\npeak memory of this process: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
  } finally {
    python.stop();
    await stop(server);
    await Promise.all(decoders.map((decoder) => decoder.close()));
    if (given === undefined) rmSync(folder, { recursive: true });
  }
  // The pool of geotiff.js cannot be ended.
  process.exit();
}

/** One warm-up and `ROUNDS` rounds, each of which asks every peer. */
async function measure(row: Row, place: string, peers: Readonly<Record<string, Peer>>): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(Object.keys(peers).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    const sums = new Set<number>();
    for (const [name, read] of Object.entries(peers)) {
      // A name that is new each time keeps every cache from answering; the server ignores it.
      const address = row.delayMs === null ? place : `${place}/${Math.random()}/${row.file}`;
      const reading = await Promise.race([read(row, address), sleep(PATIENCE_MS, null, { ref: false })]);
      if (reading === null) console.log(`  ${name} gave no answer within ${PATIENCE_MS} ms`);
      else {
        sums.add(reading.sum);
        if (round > 0) times.get(name)?.push(reading.ms);
      }
    }
    if (sums.size > 1) throw new Error(`${row.name}: the peers read different codes, sums ${[...sums].join(', ')}`);
  }
  return new Map([...times].map(([name, all]) => [name, all.length === 0 ? Number.NaN : median(all)]));
}

function report(row: Row, figures: ReadonlyMap<string, number>): void {
  const of = (name: string): number => figures.get(name) ?? Number.NaN;
  const ratio = (a: string, b: string) => (figures.has(a) ? `  ${a} / ${b} ${(of(a) / of(b)).toFixed(1)}x` : '');
  console.log(`${row.name.padEnd(36)} ${[...figures].map(([name, value]) => `${name} ${ms(value)}`).join(', ')}`);
  console.log(
    `${' '.repeat(35)}${ratio('rasterio 1', 'ours 1')}${ratio('rasterio 2', 'ours 2')}` +
      `${ratio('geotiff.js', 'ours 2')}${ratio('geotiff.js pool 2', 'ours 2')}`,
  );
}

async function readOurs(row: Row, place: string, decoder: Decoder): Promise<Reading> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const bare =
    row.delayMs === null ? fileSource(place) : remoteSource(place, { gateOf: createHostGates(PER_HOST), cache: null });
  // Another version each time, so that nothing decoded is found again, while its memory is.
  const version = `round ${opened++}`;
  const source: ByteSource = { ...bare, stat: async (options) => withVersion(await bare.stat(options), version) };
  const start = performance.now();
  const image = await openTiff(source, signal);
  const blocks = tiffCodeBlocks(source, image, { version, decoder });
  const window = await blockWindow(blocks, row.x, row.y, SIZE, SIZE, signal);
  for (let y = 0; y < SIZE; y++) window.copyRow(y, out.subarray(y * SIZE * 64, (y + 1) * SIZE * 64));
  const elapsed = performance.now() - start;
  if (Symbol.asyncDispose in bare) await (bare as AsyncDisposable)[Symbol.asyncDispose]();
  return { ms: elapsed, sum: sumOf([out]) };
}

function withVersion<T extends { readonly size: number } | null>(info: T, version: string) {
  return info === null ? null : { ...info, version };
}

function rasterioPeers(python: PythonPeer): Record<string, Peer> {
  const ask =
    (threads: number): Peer =>
    ({ x, y, delayMs }, place) =>
      python.ask({
        path: delayMs === null ? place : `/vsicurl/${place}`,
        x,
        y,
        size: SIZE,
        threads,
      }) as unknown as Promise<Reading>;
  return { 'rasterio 1': ask(1), 'rasterio 2': ask(2) };
}

async function geotiffPeers(): Promise<Record<string, Peer>> {
  // Named by a variable: the package is no dependency, and its types are not there.
  const name = 'geotiff';
  const geotiff = (await import(name).catch(() => null)) as GeotiffModule | null;
  if (geotiff === null) {
    console.log('geotiff.js is not installed; its columns are left out');
    return {};
  }
  const read =
    (pool: object | undefined): Peer =>
    async (row, place) => {
      const start = performance.now();
      const file = await (row.delayMs === null ? geotiff.fromFile(place) : geotiff.fromUrl(place));
      const image = await file.getImage();
      const bands = await image.readRasters({ window: [row.x, row.y, row.x + SIZE, row.y + SIZE], pool });
      const elapsed = performance.now() - start;
      file.close();
      return { ms: elapsed, sum: sumOf(bands) };
    };
  return { 'geotiff.js': read(undefined), 'geotiff.js pool 2': read(new geotiff.Pool(2)) };
}

function sumOf(parts: readonly Int8Array[]): number {
  let sum = 0;
  for (const part of parts) for (let i = 0; i < part.length; i++) sum += part[i];
  return sum;
}

/** Serves the files of a folder by ranges at `/DELAY/ANYTHING/NAME`, in a process of its own. */
function serve(folder: string): void {
  const server = createServer((request, response) => {
    const [, delay, , name] = (request.url ?? '').split('/');
    const path = join(folder, name ?? '');
    const { size } = statSync(path);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const isWhole = from === undefined;
    const [start, end] = isWhole ? [0, size - 1] : [Number(from), Math.min(Number(to), size - 1)];
    const head = { 'accept-ranges': 'bytes', etag: '"1"', 'content-length': end - start + 1 };
    const answer = (): void => {
      if (isWhole) response.writeHead(200, head);
      else response.writeHead(206, { ...head, 'content-range': `bytes ${start}-${end}/${size}` });
      if (request.method === 'HEAD') response.end();
      else createReadStream(path, { start, end, highWaterMark: 1 << 20 }).pipe(response);
    };
    if (delay === '0') answer();
    else setTimeout(answer, Number(delay));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.disconnect();
  await gone;
}
