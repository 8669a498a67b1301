/**
 * The live lookup's compute: from a window of codes in memory to the polygon of a point, compared with the tuned Python stack
 * (`peers/tier2.py`), cutting all of the window and growing as ours does, interleaved in one run, medians of 7; then growing windows against runs of 1024 x 1024 pixels, and
 * time and memory by window area.
 *
 *     node bench/tier2.ts
 *
 * The scene is the sample raster, continued by mirroring to 1100 x 1100 pixels; where it is mirrored, equal strengths face
 * each other, and segments there differ by the tie rules. One thread each; ratios count, not milliseconds.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { edgeStrength } from '../src/geo/segmentation/kernels/edge-kernel.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../src/geo/segmentation/find-segment.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { segmentInWindow } from '../src/geo/segmentation/segment-in-window.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { mirrored, realRaster } from './mirrored-raster.ts';
import { type PeerAnswer, startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { Costs, costOf, median, ms, quantile, ROUNDS, time, timeAsync } from './rounds.ts';
import { fixedPatch, growingPatch, sourceOf } from './tier2-patch.ts';

const SIZES = [256, 512, 1024];
const POINTS = 1500;
/** Points of each synthetic scene. */
const SCENE_POINTS = 500;
const SCENES = [
  { kind: 'stands', seed: 1 },
  { kind: 'mixed', seed: 3 },
  { kind: 'nodata', seed: 5 },
];
const PYTHON = 'numpy (int16), scipy, scikit-image and shapely';
const WARM_UPS = 20;
/** Windows a round; each has the point in its middle. */
const PLACES = 6;

const [mode, ...given] = process.argv.slice(2);
if (mode === '--alone') {
  measureAlone(given[0], Number(given[1]), Number(given[2]));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-tier2-'));
  try {
    const scene = mirrored(realRaster(), 1100, 1100);
    const codes = join(folder, 'codes.i8');
    writeFileSync(codes, scene.codes);
    const rows = await compareWindows(scene, codes);
    showGrowth(codes, scene.width);
    rows.push(await compareGrowing('real', mirrored(scene, 1024, 1024), POINTS));
    for (const { kind, seed } of SCENES) {
      const file = join(folder, `${kind}.i8`);
      const script = join(import.meta.dirname, 'peers/tier2-scenes.py');
      execFileSync('/usr/bin/python3', [script, kind, '1024', String(seed), file]);
      const codes = new Int8Array(readFileSync(file));
      rows.push(
        await compareGrowing(`synthetic ${kind}`, { ...scene, width: 1024, height: 1024, codes }, SCENE_POINTS),
      );
    }
    saveResult('tier2', rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A window in memory to a polygon in EPSG:4326: ours cut whole, ours growing within that window, and Python's. */
async function compareWindows(scene: Grid, file: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const peer = startPeer('tier2.py');
  const [, , west, , , north] = scene.transform;
  await peer.send({ file, width: scene.width, height: scene.height, west, north });
  const random = seededRandom(21);
  console.log(`window in memory -> polygon, ms (median of ${ROUNDS} rounds of ${PLACES} windows), real codes`);
  for (const size of SIZES) {
    await warmUp(scene, size);
    const costs = new Costs();
    let [alike, growingAlike] = [0, 0];
    for (let round = 0; round <= ROUNDS; round++) {
      costs.begin();
      for (let place = 0; place < PLACES; place++) {
        const x0 = 2 * Math.floor((random() * (scene.width - size)) / 2);
        const y0 = 2 * Math.floor((random() * (scene.height - size)) / 2);
        const [x, y] = [x0 + size / 2, y0 + size / 2];
        const grid = cutOut(scene, x0, y0, size);
        const window = windowOfGrid(grid);
        const [whole, patch] = await costOf(() => fixedPatch(window, x0, y0, x, y, scene));
        // The source gives nothing outside the window, so the segment is the one that the window shows.
        const [growing, same] = await costOf(() => growingPatch(sourceOf(grid), x - x0, y - y0, grid));
        if (!patch.found.truncated && same.found.area < patch.found.area) throw new Error('the two ways differ');
        const task = { patch: 1, x0, y0, size, x, y, h: DEFAULT_DEPTH };
        const python = await peer.send<PeerAnswer>({ ...task, grow: false });
        const growingPython = await peer.send<PeerAnswer>({ ...task, grow: true });
        costs.add('whole', whole);
        costs.add('growing', growing);
        costs.add('Python whole', python);
        costs.add('Python growing', growingPython);
        if (python.cells === patch.found.area) alike++;
        if (growingPython.cells === same.found.area) growingAlike++;
      }
    }
    rows.push(...rowsOf(size, costs));
    const all = (ROUNDS + 1) * PLACES;
    console.log(`${size}²: as many cells as Python's in ${alike} of ${all} windows, growing in ${growingAlike}`);
    for (const { what, ours, peers } of rows.slice(-2)) console.log(`  ${what}: ${ours}; ${JSON.stringify(peers)}`);
  }
  peer.stop();
  return rows;
}

function rowsOf(size: number, costs: Costs): BenchRow[] {
  const [growing, whole] = [costs.median('growing', PLACES), costs.median('whole', PLACES)];
  return [
    {
      what: `window of ${size} x ${size} in memory to polygon, growing within it as a lookup does`,
      ours: `${ms(growing.ms)} ms, ${ms(growing.cpuMs)} of processor`,
      peers: [
        { name: `${PYTHON}, all of the window at once`, ...costs.ratio('Python whole', 'growing') },
        { name: `${PYTHON}, growing by the same steps`, strongest: true, ...costs.ratio('Python growing', 'growing') },
      ],
      ...(size === 512 && { goal: '12 times the strongest peer' }),
    },
    {
      what: `the same, all of the window of ${size} x ${size} cut`,
      ours: `${ms(whole.ms)} ms, ${ms(whole.cpuMs)} of processor`,
      peers: [{ name: `${PYTHON}, all of the window`, strongest: true, ...costs.ratio('Python whole', 'whole') }],
    },
  ];
}

/** Until compiled code is reached; the peer has no such stage. */
async function warmUp(scene: Grid, size: number): Promise<void> {
  const grid = cutOut(scene, 0, 0, size);
  for (let call = 0; call < WARM_UPS; call++) {
    fixedPatch(windowOfGrid(grid), 0, 0, size / 2, size / 2, scene);
    await growingPatch(sourceOf(grid), size / 2, size / 2, grid);
  }
}

/** Time and memory of a process of its own for each size; memory above that of the smallest window. */
function showGrowth(file: string, width: number): void {
  const measure = (size: number): { readonly took: number; readonly rss: number } => {
    const args = ['--max-semi-space-size=1', import.meta.filename, '--alone', file, String(width), String(size)];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  };
  const base = measure(16);
  console.log('\none window cut for one point, a process each; the codes are read row by row and not kept');
  for (const size of SIZES) {
    const { rss, took } = measure(size);
    const bytes = (1024 * (rss - base.rss)) / (size / 2) ** 2;
    console.log(
      `${size}²: ${ms(took)} ms, ${((took * 1e6) / size ** 2).toFixed(1)} ns a pixel; peak memory ` +
        `${((rss - base.rss) / 1024).toFixed(1)} MB above the smallest window's, ${bytes.toFixed(0)} bytes a cell`,
    );
  }
}

function measureAlone(file: string, width: number, size: number): void {
  const fd = openSync(file, 'r');
  const window = {
    width: size,
    height: size,
    copyRow: (y: number, out: Int8Array) => {
      readSync(fd, out, 0, size * BANDS, y * width * BANDS);
    },
  };
  const run = () => segmentInWindow(window, size / 4, size / 4, DEFAULT_DEPTH);
  for (let call = 0; call < 5; call++) run();
  const took = median(Array.from({ length: ROUNDS }, () => time(run)[0]));
  // Not `resourceUsage().maxRSS`, in which a child inherits its parent's.
  const rss = Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  console.log(JSON.stringify({ took, rss }));
}

/** Growing windows on a scene of 1024 x 1024 pixels against one run of all of it. */
async function compareGrowing(name: string, scene: Grid, points: number): Promise<BenchRow> {
  const truth = segmentEdges(edgeStrength(windowOfGrid(scene)), DEFAULT_DEPTH);
  const areas = new Int32Array(truth.markers.length + 1);
  for (const label of truth.labels) areas[label]++;
  const random = seededRandom(4);
  const source = sourceOf(scene);
  const times: number[] = [];
  const fixed: number[] = [];
  const counts = { different: 0, unproven: 0, nodata: 0 };
  for (let i = 0; i < points; i++) {
    const x = Math.floor(random() * scene.width);
    const y = Math.floor(random() * scene.height);
    const label = truth.labels[(y >> 1) * truth.width + (x >> 1)];
    const [took, found] = await timeAsync(() => findSegment(source, x, y));
    times.push(took);
    if (label === 0) counts.nodata++;
    if (found !== null && !found.proven) counts.unproven++;
    if (!isSame(found, truth.labels, truth.width, label, areas[label])) counts.different++;
    if (i % Math.ceil(points / 20) === 0) {
      fixed.push(time(() => segmentInWindow(windowOfGrid(scene), 1 + (x >> 2), 1 + (y >> 2), DEFAULT_DEPTH))[0]);
    }
  }
  const p50 = quantile(times, 0.5);
  console.log(
    `\n${name}: growing window, ${points} points: ${counts.different} differ from the 1024² run, ` +
      `${counts.unproven} unproven, ${counts.nodata} without data`,
  );
  console.log(
    `ms p50 ${ms(p50)}  p90 ${ms(quantile(times, 0.9))}  p99 ${ms(quantile(times, 0.99))}; 1024² run ${ms(median(fixed))}; ` +
      `1024² / p50 ${(median(fixed) / p50).toFixed(1)}x`,
  );
  return {
    what: `growing window against our own cut of 1,024 x 1,024, ${name} codes, ${points} points`,
    ours: `p50 ${ms(p50)} ms; ${counts.different} differ, ${counts.unproven} unproven`,
    peers: [{ name: 'our own cut of 1,024 x 1,024', times: median(fixed) / p50 }],
    goal: '0 differ',
  };
}

function isSame(found: FoundSegment | null, labels: Int32Array, width: number, label: number, area: number): boolean {
  if (found === null) return label === 0;
  if (found.area !== area) return false;
  return found.mask.every((value, i) => {
    const row = found.row + Math.floor(i / found.width);
    return value === 0 || labels[row * width + found.column + (i % found.width)] === label;
  });
}

/** A square of a grid as a grid of its own. */
function cutOut(grid: Grid, x0: number, y0: number, size: number): Grid {
  const codes = new Int8Array(size * size * BANDS);
  const window = windowOfGrid(grid, x0, y0, size, size);
  for (let y = 0; y < size; y++) window.copyRow(y, codes.subarray(y * size * BANDS, (y + 1) * size * BANDS));
  const [a, , c, , e, f] = grid.transform;
  return { width: size, height: size, codes, transform: [a, 0, c + a * x0, 0, e, f + e * y0], crs: grid.crs };
}
