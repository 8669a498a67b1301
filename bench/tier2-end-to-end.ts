/**
 * A live lookup from a file to the polygon, compared with rasterio, numpy, scipy, scikit-image and shapely (`peers/tier2.py`) on
 * the same file, interleaved in one run, medians of 7: with no decoded block in memory, and with the blocks of the place
 * decoded.
 *
 *     node bench/tier2-end-to-end.ts [FOLDER]
 *
 * The files are made from the sample raster, continued by mirroring to 4096 x 4096 pixels: real codes, a synthetic layout.
 * They are made in FOLDER, 1.4 GB, when it does not have them already; without FOLDER in a temporary one. The files are in
 * the operating system's cache. Both sides open the file again for a cold lookup. The Python stack reads a window of
 * 512 x 512 pixels around the point, as wide as it needs to show most segments whole; and, as the stronger peer, a window that
 * grows by the engine's steps, with the file and GDAL's decoded blocks kept for its second lookup.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import type { CodeSource } from '../src/geo/segmentation/code-window.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { createBlockMemory, withBlockCache } from '../src/readers/embeddings/blocks/block-cache.ts';
import { createDecoder, type Decoder } from '../src/readers/embeddings/decode/decoder.ts';
import { openTiffSource } from '../src/readers/embeddings/cog/tiff-source.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { datasetOf } from './bench-embeddings.ts';
import { realRaster } from './mirrored-raster.ts';
import { type PeerAnswer, type PythonPeer, startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { Costs, costOf, median, ms, ROUNDS } from './rounds.ts';
import { growingPatch } from './tier2-patch.ts';

const SIDE = 4096;
const WINDOW = 512;
/** Lookups a round. */
const POINTS = 6;
const FILES = [
  { name: 'pixel-interleaved, blocks of 256', interleave: 'pixel', block: 256 },
  { name: 'band-interleaved, blocks of 1024', interleave: 'band', block: 1024 },
];
const PYTHON = 'numpy (int16), scipy, scikit-image and shapely';
const raster = realRaster();
const [, , WEST, , , NORTH] = raster.transform;

const given = process.argv[2];
const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-end-to-end-'));
mkdirSync(folder, { recursive: true });
const peer = startPeer('tier2.py');
const rows: BenchRow[] = [];
try {
  for (const { name, interleave, block } of FILES) {
    const file = makeFile(interleave, block);
    for (const threads of [0, 2]) rows.push(...(await compare(name, file, threads, peer)));
  }
  saveResult('tier2-end-to-end', rows);
} finally {
  peer.stop();
  if (given === undefined) rmSync(folder, { recursive: true });
}

function makeFile(interleave: string, block: number): string {
  const file = join(folder, `${interleave}-${block}-${SIDE}.tif`);
  if (existsSync(file)) return file;
  const codes = join(folder, 'codes.i8');
  writeFileSync(codes, raster.codes);
  const script = join(import.meta.dirname, 'peers/tier2-cog.py');
  const args = [codes, raster.width, raster.height, SIDE, WEST, NORTH, interleave, block, file].map(String);
  execFileSync('/usr/bin/python3', [script, ...args]);
  return file;
}

/** `threads` decode in addition to the one that waits; 0: that one does. The peer has as many. */
async function compare(name: string, file: string, threads: number, python: PythonPeer): Promise<BenchRow[]> {
  const random = seededRandom(12);
  const decoder = createDecoder({ threads });
  const costs = new Costs();
  const reads: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    for (let point = 0; point < POINTS; point++) {
      const [x, y] = [0, 0].map(() => WINDOW + 2 * Math.floor((random() * (SIDE - 2 * WINDOW)) / 2));
      decoder.memory.clear();
      const [cold, source] = await costOf(() => lookUpCold(file, decoder, x, y));
      costs.add('cold', cold);
      costs.add('cached', (await costOf(() => growingPatch(source.codes, x, y, raster)))[0]);
      await source.close();
      const place = { tiff: file, x, y, h: DEFAULT_DEPTH, threads: Math.max(1, threads) };
      const fixed = await python.send<PeerAnswer>({ ...place, size: WINDOW, grow: false });
      costs.add('Python', fixed);
      reads.push(fixed.read);
      // The window may grow as far as ours does; the file stays open for the cached lookup that follows.
      const growing = { ...place, size: 2 * WINDOW, grow: true, keep: true };
      costs.add('Python growing', await python.send<PeerAnswer>(growing));
      costs.add('Python growing, cached', await python.send<PeerAnswer>(growing));
      await python.send({ drop: true });
    }
  }
  await decoder.close();
  const decoding = threads === 0 ? 'one thread' : `${threads} threads decode`;
  const figure = (of: string): string =>
    `${ms(costs.median(of, POINTS).ms)} ms, ${ms(costs.median(of, POINTS).cpuMs)} of processor`;
  const rows: BenchRow[] = [
    {
      what: `file to polygon, ${name}, nothing decoded, ${decoding}`,
      ours: figure('cold'),
      peers: [
        { name: `rasterio, ${PYTHON}, a window of ${WINDOW} x ${WINDOW}`, ...costs.ratio('Python', 'cold') },
        { name: 'the same, growing by the same steps', strongest: true, ...costs.ratio('Python growing', 'cold') },
      ],
      goal: name.startsWith('pixel') ? '5 times the strongest peer' : '2 times the strongest peer',
    },
    {
      what: `the same, blocks decoded, ${decoding}`,
      ours: figure('cached'),
      peers: [
        { name: `rasterio, ${PYTHON}, which reads and decodes again`, ...costs.ratio('Python', 'cached') },
        {
          name: "the same, growing, blocks in GDAL's cache",
          strongest: true,
          ...costs.ratio('Python growing, cached', 'cached'),
        },
      ],
    },
  ];
  for (const { what, ours, peers } of rows) console.log(`${what}: ${ours}; ${JSON.stringify(peers)}`);
  console.log(`  of the peer's lookup reading takes ${ms(median(reads))} ms`);
  return rows;
}

/** Opens the file, reads what the lookup needs, cuts and outlines. */
async function lookUpCold(file: string, decoder: Decoder, x: number, y: number) {
  const memory = createBlockMemory();
  const source = openTiffSource(datasetOf(file), {
    dataDir: folder,
    remote: () => {
      throw new Error('nothing is remote here');
    },
    decoder,
    cached: (blocks) => withBlockCache(blocks, { memory, disk: null }),
  });
  const signal = AbortSignal.timeout(60_000);
  const degrees = new Float64Array(2);
  latticeProjection(raster.crs).toLonLat(WEST + 10 * (x + 0.5), NORTH - 10 * (y + 0.5), degrees, 0);
  const place = await source.at(degrees[0], degrees[1], signal);
  if (place === null) throw new Error('the file does not cover its own pixel');
  const opened = place.raster;
  const codes: CodeSource = {
    // The phase of a raster is looked up once in its life.
    phase: { x: 0, y: 0 },
    window: (x0, y0, width, height) => opened.window(x0, y0, width, height, signal),
  };
  await growingPatch(codes, Math.floor(place.x), Math.floor(place.y), opened);
  return { codes, close: () => source.close() };
}
