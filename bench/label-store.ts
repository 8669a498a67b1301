/**
 * The label store: how fast it is built, how much memory that takes, and lookups from it compared with rasterio, scipy and shapely
 * on the same labels as a GeoTIFF (`peers/label_store.py`), interleaved in one run, medians of 7; of building, which takes
 * seconds, of 5, next to numpy, scipy and scikit-image (`peers/segmentation.py`) and the code of an earlier checkout.
 *
 *     node bench/label-store.ts [--peer-block 256] [--before CHECKOUT]
 *
 * The scene is the sample raster, continued by mirroring to a square of 8,192 pixels and around it. One thread each. Times
 * of building are those of the processor; that of a place is the median of its rounds, on both sides: so they hold on a
 * machine that does other work.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { outlineSegment } from '../src/geo/outline/outline.ts';
import { type CodeWindow, windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { BANDS, type Grid, NODATA } from '../src/geo/segmentation/grid.ts';
import { CELL_STATUS } from '../src/geo/segmentation/region/label-region-cut.ts';
import type * as LabelRegions from '../src/geo/segmentation/region/label-region.ts';
import { PROOF_SIDES } from '../src/geo/segmentation/region/label-region-proof.ts';
import { labelRegion, type LabelledRegion } from '../src/geo/segmentation/region/label-region.ts';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { createDecoder } from '../src/readers/embeddings/decode/decoder.ts';
import type { EmbeddingRaster } from '../src/readers/embeddings/embedding-source.ts';
import { openTiffSource } from '../src/readers/embeddings/cog/tiff-source.ts';
import { labelFolder } from '../src/readers/label-store/label-folder.ts';
import { type LabelSource, openLabelStore } from '../src/readers/label-store/open-label-store.ts';
import { prepareLabelStore } from '../src/readers/label-store/write-label-store.ts';
import { encodeTiff } from '../src/readers/formats/tiff/encode-tiff.ts';
import { planStore } from '../src/service/labels/plan.ts';
import { buildTile } from '../src/service/labels/tile.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { mirrored, realRaster } from './mirrored-raster.ts';
import { startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { costOf, Costs, median, ms, quantile, ROUNDS } from './rounds.ts';

/** Pixels a side of a public file, and cells. */
const TILE = 8192;
const CELLS = TILE / 2;
const POINTS = 500;
/** Rounds of labelling a whole square. */
const BUILD_ROUNDS = 5;
/** Pixels a side of what the peer cuts at once; larger ones take it as long a pixel. */
const PEER_SIDE = 1024;
const NUMPY = `numpy (int16), scipy and scikit-image, windows of ${PEER_SIDE}² pixels cut by themselves: no surroundings, no proofs, no forest`;
/** The land without Antarctica, in square kilometres. */
const LAND_KM2 = 135e6;
const signal = new AbortController().signal;
const dataset = {
  id: 'bench',
  version: '1',
  date: '2024',
  kind: 'cog',
  role: 'embeddings',
  options: {},
} as unknown as Dataset;
const PHASE = { x: 0, y: 0, confidence: 10 } as const;
/** Where one of the public files lies, so that it is one shard. */
const scene: Grid = { ...realRaster(), transform: [10, 0, 500_000, 0, -10, 54 * 81_920] };

const { values } = parseArgs({
  options: {
    region: { type: 'string' },
    'peer-block': { type: 'string', default: '256' },
    before: { type: 'string' },
  },
});
const BLOCK = values['peer-block'];
if (values.region !== undefined) {
  await labelSquare(Number(values.region), true);
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  console.log(Number(peak) / 1000);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-label-store-'));
  const peer = startPeer('label_store.py', values['peer-block']);
  try {
    const labels = await measureLabels(folder);
    const whole = await buildWhole(folder);
    const memory = measureMemory();
    const files = await buildFromFiles(folder);
    const lookups = await compareLookups(folder, await labelSquare(CELLS, false));
    saveResult('label-store', [labels, whole, ...files, memory, ...lookups]);
  } finally {
    peer.stop();
    rmSync(folder, { recursive: true });
  }

  /** Lookups from the store and from the GeoTIFF, at the same places. */
  async function compareLookups(root: string, { labels, status }: LabelledRegion): Promise<BenchRow[]> {
    const raw = join(root, 'labels.u32');
    writeFileSync(raw, new Uint8Array(labels.buffer));
    const place = { west: scene.transform[2], north: scene.transform[5], cell: 20, epsg: 32616 };
    await peer.send({ file: raw, width: CELLS, height: CELLS, ...place, tiff: join(root, 'labels.tif') });
    const open = (cacheBytes: number) => openLabelStore(dataset, { ...labelFolder(join(root, 'whole')), cacheBytes });
    // Three chunks are no use to the next lookup; 200 MB hold all.
    const [cold, cached] = [open(250e3), open(200e6)];
    const points = await storedPoints(cold, forestPoints(status));
    const readers = {
      'cold ours': cold,
      'cold Python': { of: 'cold', tuned: false },
      'cold tuned': { of: 'cold', tuned: true },
      'cached ours': cached,
      'cached Python': { of: 'cached', tuned: false },
      'cached tuned': { of: 'cached', tuned: true },
    } as const;
    const rounds = new Map<string, (readonly number[])[]>(Object.keys(readers).map((name) => [name, []]));
    const cells = new Set<number>();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, who] of Object.entries(readers)) {
        const looked =
          'tuned' in who ? await peer.send<Looked>({ [who.of]: points, tuned: who.tuned }) : await lookAll(who, points);
        cells.add(looked.cells);
        if (round > 0) rounds.get(name)?.push(looked.times);
      }
    }
    if (cells.size > 1) throw new Error(`the segments have ${[...cells].join(' or ')} cells`);
    console.log(`\nlookups of ${POINTS} places, place to polygon, ms (of each place the median of ${ROUNDS})`);
    const rows = ['cold', 'cached'].flatMap((kind) =>
      [0.5, 0.99].map((share): BenchRow => {
        const of = (who: string): number => quantileOf(rounds.get(`${kind} ${who}`) ?? [], share);
        const read = kind === 'cold' ? 'nothing decoded' : 'labels in memory';
        return {
          what: `lookup from the store, place to polygon, ${read}, p${share * 100} of ${POINTS} places`,
          ours: `${ms(of('ours'))} ms`,
          peers: [
            { name: `rasterio (blocks of ${BLOCK}), scipy and shapely`, times: of('Python') / of('ours') },
            {
              name: 'the same without looking for the connected part',
              strongest: true,
              times: of('tuned') / of('ours'),
            },
          ],
          goal: share === 0.99 ? '4 times' : kind === 'cold' ? '8 times' : '12 times',
        };
      }),
    );
    for (const { what, ours, peers } of rows) console.log(`${what}: ${ours}; ${JSON.stringify(peers)}`);
    return rows;
  }
}

/** A public file's square of labels, of codes in memory. */
async function measureLabels(root: string): Promise<BenchRow> {
  const path = 'src/geo/segmentation/region/label-region.ts';
  const { before } = values;
  const earlier = before && ((await import(join(before, path))) as typeof LabelRegions).labelRegion;
  const python = startPeer('segmentation.py');
  const costs = new Costs();
  const pixels = TILE * TILE;
  const file = join(root, 'codes.i8');
  writeFileSync(file, mirrored(realRaster(), PEER_SIDE, PEER_SIDE).codes);
  await python.send({ file, width: PEER_SIDE, height: PEER_SIDE });
  await labelSquare(512, true);
  for (let round = 0; round <= BUILD_ROUNDS; round++) {
    costs.begin();
    const [now, region] = await costOf(() => labelSquare(CELLS, true));
    costs.add('now', now);
    costs.add('codes', (await costOf(copyCodes))[0]);
    const { all, cpuMs } = await python.send({ x0: 0, y0: 0, size: PEER_SIDE, h: DEFAULT_DEPTH });
    const times = pixels / PEER_SIDE ** 2;
    costs.add('Python', { ms: all * times, cpuMs: cpuMs * times });
    if (!earlier) continue;
    const [then, same] = await costOf(() => labelSquare(CELLS, true, earlier));
    costs.add('before', then);
    if (Buffer.compare(Buffer.from(region.labels.buffer), Buffer.from(same.labels.buffer)) !== 0)
      throw new Error('the earlier code gives other labels');
  }
  python.stop();
  const [now, codes] = [costs.median('now').cpuMs / 1000, costs.median('codes').cpuMs / 1000];
  return printed({
    what: `labels of ${TILE}² pixels and of their surroundings, codes in memory`,
    ours: `${rateOf(pixels / now)}, ${now.toFixed(1)} s of processor`,
    peers: [
      ...(earlier ? [{ name: 'this service before', ...costs.ratio('before', 'now') }] : []),
      { name: NUMPY, strongest: true, ...costs.ratio('Python', 'now') },
    ],
    limit: `to copy the codes once, surroundings included, ${rateOf(pixels / codes)}; labels take ${(now / codes).toFixed(1)} times that`,
    goal: '15 million pixels a second a core',
  });
}

/** What labels of the square read, copied row by row and no more. */
function copyCodes(): void {
  const side = TILE + 4 * PROOF_SIDES[PROOF_SIDES.length - 1];
  const { copyRow } = endless(scene)(0, 0, side, side);
  const row = new Int8Array(side * BANDS);
  for (let y = 0; y < side; y++) copyRow(y, row);
}

/** The same through the whole build. */
async function buildWhole(root: string): Promise<BenchRow> {
  const pixels = TILE * TILE;
  const [built] = await cpuOf(() => build(join(root, 'whole'), raster(scene)));
  const bytes = await bytesBelow(join(root, 'whole'));
  const squares = LAND_KM2 / ((TILE * TILE) / 1e4);
  const all = `all land, extrapolated: ${Math.round(squares).toLocaleString('en')} such squares, ${Math.round((squares * built) / 3600)} core hours without decoding, ${((squares * bytes) / 1e9).toFixed(0)} GB`;
  return printed({
    what: `store of ${TILE}² pixels, codes in memory, labels written to disk, one run`,
    ours: `${rateOf(pixels / built)}, ${built.toFixed(1)} s of processor, ${(bytes / 1e6).toFixed(1)} MB; ${all}`,
    goal: '8 million pixels a second a core',
  });
}

function printed(row: BenchRow): BenchRow {
  console.log(`${row.what}: ${row.ours}; ${JSON.stringify(row.peers ?? [])} ${row.limit ?? ''}`);
  return row;
}

function rateOf(pixels: number): string {
  return `${millions(pixels)} million pixels a second a core`;
}

/** Peak memory of a process of its own, by the side of the square. */
function measureMemory(): BenchRow {
  const peaks = [1024, 2048, 4096].map((side) => {
    const peak = Number(
      execFileSync(process.execPath, [import.meta.filename, '--region', String(side)], { encoding: 'utf8' }),
    );
    return `${side}² cells ${Math.round(peak)} MB`;
  });
  return printed({ what: 'peak memory of labelling, the sample raster (115 MB) included', ours: peaks.join(', ') });
}

/** GeoTIFFs on disk, decoding included; what is decoded in another thread counts too. */
async function buildFromFiles(root: string): Promise<BenchRow[]> {
  const side = 2048;
  const { codes, ...grid } = mirrored(realRaster(), side, side);
  const pixels = { ...grid, values: codes, bands: BANDS, sampleType: 'int8', nodata: -128 } as const;
  const rows: BenchRow[] = [];
  for (const [name, options] of [
    ['zstd, pixels interleaved, blocks of 256', { interleave: 'pixel', tile: 256 }],
    ['zstd, bands apart, blocks of 1,024', { interleave: 'band', tile: 1024 }],
  ] as const) {
    const path = join(root, 'embeddings.tif');
    writeFileSync(path, encodeTiff(pixels, { compression: 'zstd', ...options }));
    const decoder = createDecoder({ threads: 1, memoryBytes: 740_000_000 });
    const remote = (): never => {
      throw new Error('no address is read here');
    };
    const source = openTiffSource({ ...dataset, path }, { dataDir: root, remote, decoder, cached: (blocks) => blocks });
    const [opened] = await source.rasters([-180, -90, 180, 90], null, signal);
    const wall = performance.now();
    const [seconds] = await cpuOf(() => build(join(root, `files-${options.tile}`), opened));
    const took = (performance.now() - wall) / 1000;
    rows.push(
      printed({
        what: `store of ${side}² pixels from a GeoTIFF (${name}, ${(statSync(path).size / 1e6).toFixed(0)} MB), decoding included, one run`,
        ours: `${rateOf((side * side) / seconds)}, ${took.toFixed(1)} s on the clock`,
      }),
    );
    await source.close();
    await decoder.close();
  }
  return rows;
}

async function build(folder: string, source: EmbeddingRaster): Promise<void> {
  const request = { folder, box: null, tile: null, year: null, force: false, part: null };
  const plan = await planStore(
    { dataset, at: async () => null, rasters: async () => [source], close: async () => {} },
    request,
    signal,
  );
  const about = { id: 'bench', version: '1', licence: 'CC-BY-4.0', attribution: 'AEF', synthetic: true };
  await prepareLabelStore(folder, about, plan.entries, 'bench', signal);
  for (const { entry, tile } of plan.tiles)
    await buildTile({ folder, entry, raster: source, tile, force: false }, signal);
}

/** The sample raster, continued by mirroring without end; what is requested is copied from it row by row. */
function raster(grid: Grid): EmbeddingRaster {
  const window = endless(grid);
  return {
    id: 'EPSG:32616',
    year: 2024,
    width: TILE,
    height: TILE,
    transform: grid.transform,
    crs: grid.crs,
    phase: async () => PHASE,
    version: async () => 'bench',
    covers: (x, y) => x >= 0 && y >= 0 && x < TILE && y < TILE,
    window: async (x0, y0, width, height) => onRaster(window(x0, y0, width, height), x0, y0),
  };
}

/** A window without data where it lies outside of the raster, as readers have it. */
function onRaster({ width, height, copyRow }: CodeWindow, x0: number, y0: number): CodeWindow {
  const left = Math.max(0, -x0) * BANDS;
  const right = Math.min(width, TILE - x0) * BANDS;
  return {
    width,
    height,
    copyRow: (y, out) => {
      const isInside = y + y0 >= 0 && y + y0 < TILE;
      if (isInside) copyRow(y, out);
      out.fill(NODATA, 0, isInside ? left : width * BANDS);
      out.fill(NODATA, right, width * BANDS);
    },
  };
}

function endless(grid: Grid) {
  const doubled = mirrored(grid, 2 * grid.width, grid.height);
  const fold = (i: number, size: number): number => ((i % size) + size) % size;
  return (x0: number, y0: number, width: number, height: number) => ({
    width,
    height,
    copyRow: (y: number, out: Int8Array) => {
      const turned = fold(y + y0, 2 * grid.height);
      const row = turned < grid.height ? turned : 2 * grid.height - 1 - turned;
      for (let x = 0; x < width;) {
        const from = fold(x + x0, doubled.width);
        const count = Math.min(doubled.width - from, width - x);
        windowOfGrid(doubled, from, row, count, 1).copyRow(0, out.subarray(x * BANDS, (x + count) * BANDS));
        x += count;
      }
    },
  });
}

/** Labels a square; with its surroundings when it is a part of something larger. */
async function labelSquare(side: number, isPart: boolean, label = labelRegion): Promise<LabelledRegion> {
  const window = endless(scene);
  const area = { column: 0, row: 0, width: side, height: side };
  const around = { column: -1000, row: -1000, width: side + 2000, height: side + 2000 };
  const source = {
    phase: PHASE,
    window: async (x0: number, y0: number, width: number, height: number) => {
      const codes = window(x0, y0, width, height);
      return isPart ? codes : onRaster(codes, x0, y0);
    },
  };
  const origin = { column: around.column, row: around.row };
  return label(source, area, { bounds: isPart ? around : area, origin });
}

/** Seconds of the processor, all threads of the process together. */
async function cpuOf<T>(run: () => Promise<T>): Promise<[number, T]> {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1e6, result];
}

/** The first points that the store answers: a segment at the edge of what was built may go on beyond it. */
async function storedPoints(store: LabelSource, points: Iterable<LonLat>): Promise<LonLat[]> {
  const stored: LonLat[] = [];
  for (const point of points) {
    if ((await store.at(point[0], point[1], signal))?.status === 'forest') stored.push(point);
    if (stored.length === POINTS) break;
  }
  return stored;
}

/** Middles of random cells of forest, in degrees, without end. */
function* forestPoints(status: Uint8Array): Iterable<LonLat> {
  const projection = latticeProjection(scene.crs);
  const random = seededRandom(7);
  for (;;) {
    const cell = Math.floor(random() * status.length);
    if (status[cell] !== CELL_STATUS.forest) continue;
    const degrees = new Float64Array(2);
    const [x, y] = [20 * ((cell % CELLS) + 0.5), 20 * (Math.floor(cell / CELLS) + 0.5)];
    projection.toLonLat(scene.transform[2] + x, scene.transform[5] - y, degrees, 0);
    yield [degrees[0], degrees[1]];
  }
}

async function lookAll(store: LabelSource, points: readonly LonLat[]): Promise<Looked> {
  const times: number[] = [];
  let cells = 0;
  for (const point of points) {
    const start = performance.now();
    const place = await store.at(point[0], point[1], signal);
    if (place?.status !== 'forest') throw new Error(`wanted forest at ${point.join(', ')}, got ${place?.status}`);
    const { corners, area } = await place.segment(signal);
    outlineSegment(corners, place.lattice, point);
    times.push(performance.now() - start);
    cells += area;
  }
  return { times, cells };
}

/** Milliseconds of each place, and the cells of all segments. */
interface Looked {
  readonly times: readonly number[];
  readonly cells: number;
}

/** A share of the places, by the median of each over the rounds. */
function quantileOf(rounds: readonly (readonly number[])[], share: number): number {
  const middles = rounds[0].map((_, place) => median(rounds.map((times) => times[place])));
  return quantile(middles, share);
}

async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const arrays = files.filter((file) => file.isFile() && /(labels|status)/.test(file.parentPath));
  return arrays.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

function millions(value: number): string {
  return (value / 1e6).toFixed(1);
}
