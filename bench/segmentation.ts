/**
 * Segmentation beside the tuned Python stack (`peers/segmentation.py`), interleaved in one run, medians of 7.
 *
 *     node bench/segmentation.ts [--dispersion]
 *
 * Needs the sample rasters and Debian's python3-skimage. One thread each; ratios count, not milliseconds.
 * With --dispersion it also compares segments with those of felzenszwalb and SLIC (some minutes).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { edgeStrength } from '../src/geo/segmentation/edge-kernel.ts';
import { edgeStrengthPlain } from '../src/geo/segmentation/edge-strength.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../src/geo/segmentation/find-segment.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { floodMarkers } from '../src/geo/segmentation/flood-markers.ts';
import { segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { segmentEdgesPlain } from '../src/geo/segmentation/segment-edges-plain.ts';
import { segmentInWindow } from '../src/geo/segmentation/segment-in-window.ts';
import { adjustedRand } from '../test/oracles/segmentation/partition.ts';
import { readRaster } from '../test/oracles/segmentation/read-raster.ts';

const ROUNDS = 7;
const SIZES = [256, 512, 1024];
const POINTS = 1500;

const raster = readRaster('wisconsin_west');
if (raster === null) throw new Error('the sample raster wisconsin_west.tif is not there');
const scene = mirrored(raster, 1100, 1100);
const folder = mkdtempSync(join(tmpdir(), 'bench-segmentation-'));
const peer = startPeer();
try {
  writeFileSync(join(folder, 'codes.i8'), scene.codes);
  await peer.ask({ file: join(folder, 'codes.i8'), width: scene.width, height: scene.height });
  await compareWindows();
  await compareGrowing();
  if (process.argv.includes('--dispersion')) await compareDispersion();
} finally {
  peer.stop();
  rmSync(folder, { recursive: true });
}

/** Whole label maps: edge strength, markers and watershed of a window in memory. */
async function compareWindows(): Promise<void> {
  console.log('codes in memory -> label map, ms (median of 7)');
  for (const size of SIZES) {
    const window = windowOfGrid(scene, 20, 20, size, size);
    const beside = await medians(async () => {
      const [edges, image] = time(() => edgeStrength(window));
      const [cut] = time(() => segmentEdges(image, DEFAULT_DEPTH));
      const python = await peer.ask({ run: 1, x0: 20, y0: 20, size, h: DEFAULT_DEPTH });
      const { edge, markers, watershed, all } = python;
      const peers = { 'Python edges': edge, 'Python markers': markers, 'Python watershed': watershed, Python: all };
      return { edges, cut, engine: edges + cut, ...peers };
    });
    // Apart, because what they throw away would be collected in the engine's time.
    const image = edgeStrength(window);
    const plain = await medians(async () => ({
      'plain edges': size > 512 ? Number.NaN : time(() => edgeStrengthPlain(window))[0],
      'plain cut': time(() => segmentEdgesPlain(image, DEFAULT_DEPTH))[0],
      queue: time(() => floodMarkers(image, DEFAULT_DEPTH))[0],
    }));
    const row = Object.entries({ ...beside, ...plain }).map(([name, value]) => `${name} ${ms(value)}`);
    console.log(`${size}²: ${row.join(', ')}`);
    console.log(`  Python / engine ${(beside.Python / beside.engine).toFixed(1)}x`);
  }
  const image = edgeStrength(windowOfGrid(raster as Grid));
  for (const depth of [0.002, 0.005, 0.02]) {
    const index = adjustedRand(segmentEdges(image, depth).labels, floodMarkers(image, depth));
    console.log(`adjusted Rand against the queue, whole raster, depth ${depth}: ${index}`);
  }
}

/** One point: growing window against one run of 1024 x 1024 pixels, and against Python's 512 x 512. */
async function compareGrowing(): Promise<void> {
  const side = 1024;
  const truth = segmentEdges(edgeStrength(windowOfGrid(scene)), DEFAULT_DEPTH);
  const width = scene.width / 2;
  const source = {
    phase: { x: 0, y: 0 } as const,
    window: (x0: number, y0: number, w: number, h: number) => Promise.resolve(windowOfGrid(scene, x0, y0, w, h)),
  };
  const sizes = new Map<number, number>();
  const times: number[] = [];
  let different = 0;
  let unproven = 0;
  for (let i = 0; i < POINTS; i++) {
    const x = (i * 331 + 17) % scene.width;
    const y = (i * 577 + 29) % scene.height;
    const start = performance.now();
    const found = await findSegment(source, x, y);
    times.push(performance.now() - start);
    if (found === null) throw new Error(`no segment at ${x}, ${y}`);
    if (!found.proven) unproven++;
    if (found.proven && !isSame(found, truth.labels, width, (y >> 1) * width + (x >> 1))) different++;
    sizes.set(found.codes.window.width, (sizes.get(found.codes.window.width) ?? 0) + 1);
  }
  const fixed = Array.from({ length: ROUNDS }, (_, round) => {
    return time(() =>
      segmentInWindow(windowOfGrid(scene, 2 * round, 2 * round, side, side), 256, 256, DEFAULT_DEPTH),
    )[0];
  });
  const python: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    python.push((await peer.ask({ run: 1, x0: 20, y0: 20, size: 512, h: DEFAULT_DEPTH })).all);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)];
  console.log(`\ngrowing window, ${POINTS} points: ${different} differ from the whole raster, ${unproven} unproven`);
  console.log(
    `windows settled in, pixels: ${JSON.stringify(Object.fromEntries([...sizes].sort((a, b) => a[0] - b[0])))}`,
  );
  console.log(`ms p50 ${ms(at(0.5))}  p90 ${ms(at(0.9))}  p99 ${ms(at(0.99))}; fixed 1024² ${ms(median(fixed))}`);
  console.log(
    `fixed 1024² / p50: ${(median(fixed) / at(0.5)).toFixed(1)}x; Python 512² / p50: ${(median(python) / at(0.5)).toFixed(1)}x`,
  );
}

function isSame(found: FoundSegment, labels: Int32Array, width: number, cell: number): boolean {
  let inside = 0;
  for (let i = 0; i < found.mask.length; i++) {
    if (found.mask[i] === 0) continue;
    const row = found.row + Math.floor(i / found.width);
    if (labels[row * width + found.column + (i % found.width)] !== labels[cell]) return false;
    inside++;
  }
  return inside === found.area && labels.reduce((sum, label) => sum + (label === labels[cell] ? 1 : 0), 0) === inside;
}

/** How alike the cells of a segment are, at the same number of segments. */
async function compareDispersion(): Promise<void> {
  const cut = segmentEdges(edgeStrength(windowOfGrid(raster as Grid)), DEFAULT_DEPTH);
  writeFileSync(join(folder, 'raster.i8'), (raster as Grid).codes);
  writeFileSync(join(folder, 'labels.i32'), new Uint8Array(cut.labels.buffer));
  await peer.ask({ file: join(folder, 'raster.i8'), width: raster?.width, height: raster?.height });
  const answer = await peer.ask({ dispersion: join(folder, 'labels.i32'), segments: cut.markers.length });
  console.log(
    '\ndispersion 1 - |mean vector| within segments: median over cells, mean over cells, median over segments',
  );
  for (const [name, values] of Object.entries(answer)) console.log(name.padEnd(14), JSON.stringify(values));
}

/** The scene `width` x `height`, continued by mirroring. Even widths keep the pixel blocks whole. */
function mirrored(grid: Grid, width: number, height: number): Grid {
  const fold = (i: number, size: number) => (i % (2 * size) < size ? i % size : size - 1 - (i % size));
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (fold(y, grid.height) * grid.width + fold(x, grid.width)) * BANDS;
      codes.set(grid.codes.subarray(from, from + BANDS), (y * width + x) * BANDS);
    }
  }
  return { ...grid, width, height, codes };
}

function startPeer() {
  const python = spawn('/usr/bin/python3', [join(import.meta.dirname, 'peers/segmentation.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (task: object): Promise<Record<string, number>> => {
      python.stdin.write(`${JSON.stringify(task)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the Python peer ended');
      return JSON.parse(value);
    },
    stop: () => python.stdin.end(),
  };
}

/** Runs once to warm up and `ROUNDS` times; the median of each figure. */
async function medians<K extends string>(run: () => Promise<Record<K, number>>): Promise<Record<K, number>> {
  const rounds: Record<K, number>[] = [];
  for (let round = 0; round <= ROUNDS; round++) rounds.push(await run());
  const names = Object.keys(rounds[0]) as K[];
  const figures = names.map((name) => [name, median(rounds.slice(1).map((row) => row[name]))]);
  return Object.fromEntries(figures);
}

function time<T>(run: () => T): [number, T] {
  const start = performance.now();
  const result = run();
  return [performance.now() - start, result];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
