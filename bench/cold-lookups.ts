/**
 * A live lookup of a place that nobody looked at before, from a file and over HTTP, and one whose cells an earlier process left
 * in the cache on disk: from opening the file to the polygon, compared with rasterio, numpy, scipy, scikit-image and shapely
 * (`peers/tier2.py`, growing by the engine's steps), interleaved in one run, medians of 7.
 *
 *     node bench/cold-lookups.ts FOLDER [BEFORE] [NAME]    FOLDER keeps the files (1.4 GB); BEFORE is a checkout of an earlier commit, or
 *                                                          "none"; NAME chooses rows, "30 ms" for example
 *
 * The files are made from the sample raster, continued by mirroring to 4096 x 4096 pixels: real codes, a synthetic layout; they
 * are in the operating system's cache. Memory is that of a thread of the service, and goes on from one lookup to the next as it
 * does there; what is in it never helps, because each lookup sees the file under another name. The phase of the blocks is
 * known, as it is after the first lookup in a zone. Nothing is written to disk but where a row says so. The peer opens
 * the file again, with the options with which GDAL reads such files fastest.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as CellMemories from '../src/geo/segmentation/cell-memory.ts';
import type * as BlockCaches from '../src/readers/embeddings/blocks/block-cache.ts';
import type * as TiffSources from '../src/readers/embeddings/cog/tiff-source.ts';
import type * as Decoders from '../src/readers/embeddings/decode/decoder.ts';
import type * as Gates from '../src/readers/io/concurrency.ts';
import type * as Caches from '../src/readers/io/disk-cache-folder.ts';
import type * as Remotes from '../src/readers/io/remote.ts';
import { datasetOf } from './bench-embeddings.ts';
import type * as Patches from './tier2-patch.ts';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { realRaster } from './mirrored-raster.ts';
import { type PeerAnswer, startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { Costs, costOf, ms, ROUNDS } from './rounds.ts';

const SIDE = 4096;
/** Pixels that the peer's window may reach to each side, as ours may. */
const REACH = 512;
/** Lookups a round. */
const POINTS = 3;
/** Of a thread of the service, in bytes: see `src/service/forest/sources.ts`. */
const ROOM = { decoder: 68_000_000, blocks: 32_000_000, cells: 4_000_000 };
const PER_HOST = 32;
/** Long enough for memory to be made ready for the next lookup. */
const REST_MS = 50;
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
const services = {
  now: await openService(join(import.meta.dirname, '..')),
  ...(before !== 'none' && { before: await openService(before) }),
};
try {
  for (const row of ROWS.filter((one) => nameOf(one).includes(wanted))) rows.push(await compare(row));
  if (wanted === '') saveResult('cold-lookups', rows);
} finally {
  peer.stop();
  for (const { close } of Object.values(services)) await close();
  server.disconnect();
  rmSync(links, { recursive: true });
}
process.exit();

function fileOf(layout: Row['layout']): string {
  return `${layout}-${LAYOUTS[layout].block}-${SIDE}.tif`;
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
  const random = seededRandom(31);
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    for (let point = 0; point < POINTS; point++) {
      const [x, y] = [0, 0].map(() => REACH + 2 * Math.floor((random() * (SIDE - 2 * REACH)) / 2));
      const areas = new Set<number>();
      for (const [name, service] of Object.entries(services)) {
        const place = placeOf(row);
        if (row.onDisk && name === 'now') await service.lookUp(place, x, y, true);
        const usage = process.cpuUsage();
        const [{ ms }, area] = await costOf(() => service.lookUp(place, x, y, row.onDisk && name === 'now'));
        // What is done for it after the answer counts as well.
        await sleep(REST_MS);
        const { user, system } = process.cpuUsage(usage);
        costs.add(name, { ms, cpuMs: (user + system) / 1000 });
        areas.add(area);
      }
      if (areas.size > 1) throw new Error(`the two find different segments at ${x}, ${y}`);
      const place = placeOf(row);
      const tiff = row.delayMs === null ? place : `/vsicurl/${place}`;
      const task = { tiff, x, y, h: DEFAULT_DEPTH, size: 2 * REACH, grow: true };
      costs.add('Python', await peer.send<PeerAnswer>({ ...task, threads: row.delayMs === 30 ? 2 : 1 }));
    }
  }
  const now = costs.median('now', POINTS);
  const result = {
    what: `${row.onDisk ? 'lookup' : 'first lookup'} to polygon, ${nameOf(row)}`,
    ours: `${ms(now.cpuMs)} ms of processor, ${ms(now.ms)} on the clock`,
    peers: [
      ...(before === 'none' ? [] : [{ name: 'this service before', ...costs.ratio('before', 'now') }]),
      { name: PYTHON, strongest: true, ...costs.ratio('Python', 'now') },
    ],
    ...(row.goal !== undefined && { goal: `${row.goal} the strongest peer` }),
  };
  console.log(`${result.what}: ${result.ours}; ${JSON.stringify(result.peers)}`);
  return result;
}

/** The readers of a checkout, open as in a thread of its service that decodes in one more thread. */
async function openService(tree: string) {
  const load = <T>(path: string): Promise<T> => import(join(tree, path)) as Promise<T>;
  const { createBlockMemory, withBlockCache } = await load<typeof BlockCaches>(
    'src/readers/embeddings/blocks/block-cache.ts',
  );
  const { createDecoder } = await load<typeof Decoders>('src/readers/embeddings/decode/decoder.ts');
  const { openTiffSource } = await load<typeof TiffSources>('src/readers/embeddings/cog/tiff-source.ts');
  const { createCellMemory } = await load<typeof CellMemories>('src/geo/segmentation/cell-memory.ts');
  const { createHostGates } = await load<typeof Gates>('src/readers/io/concurrency.ts');
  const { remoteSource } = await load<typeof Remotes>('src/readers/io/remote.ts');
  const { openDiskCache } = await load<typeof Caches>('src/readers/io/disk-cache-folder.ts');
  const { livePatch } = await load<typeof Patches>('bench/tier2-patch.ts');
  const decoder = createDecoder({ threads: 1, memoryBytes: ROOM.decoder });
  const memory = createBlockMemory(ROOM.blocks);
  const gateOf = createHostGates(PER_HOST);
  const disk = await openDiskCache(mkdtempSync(join(links, 'cache-')), { maxBytes: 4e9 });

  async function lookUp(place: string, x: number, y: number, onDisk: boolean): Promise<number> {
    const signal = AbortSignal.timeout(60_000);
    const cells = createCellMemory(ROOM.cells, onDisk ? disk : null);
    const source = openTiffSource(datasetOf(place), {
      dataDir: links,
      remote: (url) => remoteSource(url, { gateOf, cache: null }),
      decoder,
      cached: (blocks) => withBlockCache(blocks, { memory, disk: null }),
    });
    const degrees = new Float64Array(2);
    latticeProjection(raster.crs).toLonLat(WEST + 10 * (x + 0.5), NORTH - 10 * (y + 0.5), degrees, 0);
    const found = await source.at(degrees[0], degrees[1], signal);
    if (found === null) throw new Error('the file does not cover its own pixel');
    const patch = await livePatch(found.raster, cells, Math.floor(found.x), Math.floor(found.y), signal);
    if (onDisk) await cells.save();
    await source.close();
    return patch.found.area;
  }

  return { lookUp, close: () => decoder.close() };
}
