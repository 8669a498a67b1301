/**
 * Whole label maps compared with the tuned Python stack (`peers/segmentation.py`), interleaved in one run, medians of 7, and the
 * plain versions that are the engine's oracles.
 *
 *     node bench/segmentation.ts
 *
 * Needs the sample raster, continued by mirroring to 1100 x 1100 pixels, and Debian's python3-skimage. One thread each;
 * ratios count, not milliseconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { edgeStrength } from '../src/geo/segmentation/kernels/edge-kernel.ts';
import { edgeStrengthPlain } from '../test/oracles/segmentation/edge-strength-plain.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { floodMarkers } from '../test/oracles/segmentation/flood-markers.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { segmentEdgesPlain } from '../test/oracles/segmentation/segment-edges-plain.ts';
import { adjustedRand } from '../test/oracles/segmentation/partition.ts';
import { mirrored, realRaster } from './mirrored-raster.ts';
import { type PythonPeer, startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, costOf, Costs, medians, ms, ROUNDS, time } from './rounds.ts';

const SIZES = [256, 512, 1024];
const COPIES = 20;

const raster = realRaster();
const folder = mkdtempSync(join(tmpdir(), 'bench-segmentation-'));
const peer = startPeer('segmentation.py');
try {
  const scene = mirrored(raster, 1100, 1100);
  writeFileSync(join(folder, 'codes.i8'), scene.codes);
  await peer.send({ file: join(folder, 'codes.i8'), width: scene.width, height: scene.height });
  saveResult('segmentation', await compareWindows(scene, peer));
  compareWithQueue(raster);
} finally {
  peer.stop();
  rmSync(folder, { recursive: true });
}

/** Edge strength, markers and watershed of a window in memory. */
async function compareWindows(scene: Grid, python: PythonPeer): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const size of SIZES) {
    const window = windowOfGrid(scene, 20, 20, size, size);
    // Until compiled code is reached; the peer has no such stage.
    for (let call = 0; call < 20; call++) segmentEdges(edgeStrength(window), DEFAULT_DEPTH);
    const costs = new Costs();
    for (let round = 0; round <= ROUNDS; round++) {
      costs.begin();
      const [edges, image] = await costOf(() => edgeStrength(window));
      const [cut] = await costOf(() => segmentEdges(image, DEFAULT_DEPTH));
      for (const cost of [edges, cut]) costs.add('ours', cost);
      costs.add('edges', edges);
      const { all, cpuMs } = await python.send<{ all: number; cpuMs: number }>({
        run: 1,
        x0: 20,
        y0: 20,
        size,
        h: DEFAULT_DEPTH,
      });
      costs.add('python', { ms: all, cpuMs } satisfies Cost);
    }
    const [own, edges] = [costs.median('ours'), costs.median('edges')];
    const copy = await copying(scene, size);
    rows.push({
      what: `label map of a whole ${size} x ${size} window, codes in memory, one thread`,
      ours: `${ms(own.ms)} ms, ${ms(own.cpuMs)} of processor, ${ms(edges.cpuMs)} of them edge strength`,
      peers: [
        {
          name: 'numpy (int16 in strips), scipy and scikit-image',
          strongest: true,
          ...costs.ratio('python', 'ours'),
        },
      ],
      limit: `copying the codes once, ${ms(copy.cpuMs)} ms of processor; ours is ${(own.cpuMs / copy.cpuMs).toFixed(1)} times that`,
    });
    console.dir(rows.at(-1), { depth: null });
    // Apart, because what they throw away would be collected in the engine's time.
    const image = edgeStrength(window);
    const plain = await medians(async () => ({
      'plain edges': size > 512 ? Number.NaN : time(() => edgeStrengthPlain(window))[0],
      'plain cut': time(() => segmentEdgesPlain(image, DEFAULT_DEPTH))[0],
      queue: time(() => floodMarkers(image, DEFAULT_DEPTH))[0],
    }));
    console.log(
      Object.entries(plain)
        .map(([name, value]) => `${name} ${ms(value)}`)
        .join(', '),
    );
  }
  return rows;
}

/** What it costs to copy the codes of a window once. */
async function copying(scene: Grid, size: number): Promise<Cost> {
  const bytes = scene.codes.slice(0, size * size * BANDS);
  const out = new Int8Array(bytes.length);
  const costs = new Costs();
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const [cost] = await costOf(() => {
      for (let copy = 0; copy < COPIES; copy++) out.set(bytes);
    });
    costs.add('copy', cost);
  }
  return costs.median('copy', COPIES);
}

function compareWithQueue(grid: Grid): void {
  const image = edgeStrength(windowOfGrid(grid));
  for (const depth of [0.002, DEFAULT_DEPTH, 0.02]) {
    const index = adjustedRand(segmentEdges(image, depth).labels, floodMarkers(image, depth));
    console.log(`adjusted Rand against the queue, whole raster, depth ${depth}: ${index}`);
  }
}
