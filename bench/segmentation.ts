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
import type { Grid } from '../src/geo/segmentation/grid.ts';
import { segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { segmentEdgesPlain } from '../test/oracles/segmentation/segment-edges-plain.ts';
import { adjustedRand } from '../test/oracles/segmentation/partition.ts';
import { mirrored, realRaster } from './mirrored-raster.ts';
import { type PythonPeer, startPeer } from './python-peer.ts';
import { medians, ms, time } from './rounds.ts';

const SIZES = [256, 512, 1024];

const raster = realRaster();
const folder = mkdtempSync(join(tmpdir(), 'bench-segmentation-'));
const peer = startPeer('segmentation.py');
try {
  const scene = mirrored(raster, 1100, 1100);
  writeFileSync(join(folder, 'codes.i8'), scene.codes);
  await peer.send({ file: join(folder, 'codes.i8'), width: scene.width, height: scene.height });
  await compareWindows(scene, peer);
  compareWithQueue(raster);
} finally {
  peer.stop();
  rmSync(folder, { recursive: true });
}

/** Edge strength, markers and watershed of a window in memory. */
async function compareWindows(scene: Grid, python: PythonPeer): Promise<void> {
  console.log('codes in memory -> label map, ms (median of 7)');
  for (const size of SIZES) {
    const window = windowOfGrid(scene, 20, 20, size, size);
    // Until compiled code is reached; the peer has no such stage.
    for (let call = 0; call < 20; call++) segmentEdges(edgeStrength(window), DEFAULT_DEPTH);
    const interleaved = await medians(async () => {
      const [edges, image] = time(() => edgeStrength(window));
      const [cut] = time(() => segmentEdges(image, DEFAULT_DEPTH));
      const { edge, markers, watershed, all } = await python.send({ run: 1, x0: 20, y0: 20, size, h: DEFAULT_DEPTH });
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
    const row = Object.entries({ ...interleaved, ...plain }).map(([name, value]) => `${name} ${ms(value)}`);
    console.log(`${size}²: ${row.join(', ')}`);
    console.log(`  Python / engine ${(interleaved.Python / interleaved.engine).toFixed(1)}x`);
  }
}

function compareWithQueue(grid: Grid): void {
  const image = edgeStrength(windowOfGrid(grid));
  for (const depth of [0.002, DEFAULT_DEPTH, 0.02]) {
    const index = adjustedRand(segmentEdges(image, depth).labels, floodMarkers(image, depth));
    console.log(`adjusted Rand against the queue, whole raster, depth ${depth}: ${index}`);
  }
}
