/*
 * The detection heads over 1,024 pixels, taking turns in one run: SIMD, the plain loop, and numpy on one thread; then one
 * whole answer about a facility from a window that is in memory. Pixels are real ones with codes moved a little.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddingSource } from '../src/readers/embeddings/embedding-source.ts';
import { evaluatePlain } from '../src/geo/detection/evaluate-plain.ts';
import { createEvaluator } from '../src/geo/detection/evaluate.ts';
import type { DetectionHead } from '../src/geo/detection/head.ts';
import { pointShape } from '../src/geo/shapes/shape.ts';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { BANDS } from '../src/geo/segmentation/grid.ts';
import { packHead } from '../src/readers/models/head-pack.ts';
import { writePack } from '../src/readers/packs/pack-file.ts';
import { createAnswerer } from '../src/service/detection/answer.ts';
import { createHeadClaims } from '../src/service/detection/claims.ts';
import { createPixelMemory } from '../src/service/detection/pixel-memory.ts';
import { codesOfPoints, PUBLISHED, readPublished } from '../test/detection-heads.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { headText } from './head-text.ts';
import { startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { type Cost, costOf, Costs, ms, ROUNDS } from './rounds.ts';

const PIXELS = 1024;
const SIDE = 1100;
/** In a round, each. */
const CALLS = 5;

const folder = await mkdtemp(join(tmpdir(), 'detection-'));
const peer = startPeer('detection.py');
try {
  const codes = realisticCodes(PIXELS);
  const codesPath = join(folder, 'codes');
  await writeFile(codesPath, codes);
  const rows: BenchRow[] = [];
  for (const published of PUBLISHED) {
    const { commodity } = published;
    const head = await readPublished(published);
    const path = join(folder, commodity);
    await writeFile(path, headText(head));
    const evaluator = createEvaluator(head);
    const evaluate = await answererOf(commodity, head);
    const costs = new Costs();
    let worst = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      costs.begin();
      for (let call = 0; call < CALLS; call++) {
        const [simd, fast] = await costOf(() => evaluator.evaluate(codes));
        const [plain, slow] = await costOf(() => evaluatePlain(head, codes));
        const numpy = await peer.send<Cost & { probabilities: number[] }>({ head: path, codes: codesPath });
        const [answer] = await costOf(evaluate);
        fast.forEach((probability, i) => {
          worst = Math.max(worst, Math.abs(probability - slow[i]), Math.abs(probability - numpy.probabilities[i]));
        });
        for (const [name, cost] of Object.entries({ simd, plain, numpy, answer })) costs.add(name, cost);
      }
    }
    const [simd, answer] = [costs.median('simd', CALLS), costs.median('answer', CALLS)];
    rows.push(
      {
        what: `${PIXELS.toLocaleString('en')} pixels through the head of ${commodity}, one thread`,
        ours: `${Math.round((PIXELS / simd.ms) * 1000).toLocaleString('en')} pixels a second, ${ms(simd.cpuMs)} ms of processor; probabilities differ by at most ${worst.toExponential(1)}`,
        peers: [
          { name: 'the plain loop', ...costs.ratio('plain', 'simd') },
          { name: 'numpy, products of matrices', strongest: true, ...costs.ratio('numpy', 'simd') },
        ],
        goal: '10 times the plain loop',
      },
      {
        what: `one whole answer, ${commodity}, 5 km, window in memory`,
        ours: `${ms(answer.ms)} ms, ${ms(answer.cpuMs)} of processor`,
        goal: '30 ms',
        limit: `its ${PIXELS.toLocaleString('en')} pixels through the head, ${ms(simd.cpuMs)} ms of processor`,
      },
    );
    console.dir(rows.slice(-2), { depth: null });
  }
  saveResult('detection', rows);
} finally {
  peer.stop();
  await rm(folder, { recursive: true });
}

/** Codes of the points around Manaus, again and again, each moved by up to 3. */
function realisticCodes(pixels: number): Int8Array {
  const points = codesOfPoints('points_amazon.csv');
  const random = seededRandom(1);
  return Int8Array.from({ length: pixels * BANDS }, (_, i) =>
    Math.max(-127, Math.min(127, points[i % points.length] + Math.floor(random() * 7) - 3)),
  );
}

/** Evaluates one facility with a radius of 5 km over a raster in memory. */
async function answererOf(commodity: string, head: DetectionHead): Promise<() => Promise<unknown>> {
  const grid = {
    width: SIDE,
    height: SIDE,
    codes: realisticCodes(SIDE * SIDE),
    transform: [10, 0, 494_500, 0, -10, 345_500],
    crs: 'EPSG:32647',
  } as const;
  const raster = {
    ...grid,
    id: 'memory',
    year: 2024,
    phase: async () => ({ x: 0, y: 0, isSure: true }) as never,
    covers: () => true,
    window: async (x: number, y: number, width: number, height: number) => windowOfGrid(grid, x, y, width, height),
  };
  const embeddings = {
    dataset: { id: 'memory', version: '1', synthetic: false },
    at: async () => ({ raster, x: SIDE / 2, y: SIDE / 2 }),
    rasters: async () => [],
  } as unknown as EmbeddingSource;
  const id = `bench-${commodity}`;
  const path = join(folder, `${id}.head`);
  const about = {
    model: 'bench',
    version: '1',
    commodity,
    licence: 'MIT',
    attribution: '',
    threshold: 0.5,
    thresholdSource: 'bench',
    latitude: 24,
    sha256: '',
    from: '',
  };
  await writePack(path, packHead(id, head, about));
  // Each answer is the first one: nothing is kept from one to the next.
  const cold = async () => ({ embeddings: [embeddings], memory: createPixelMemory(null) });
  const answer = createAnswerer(createHeadClaims([{ id, path, about }], cold, 60_000));
  const question = { subject: commodity, shape: pointShape(99, 3.0762), radiusM: 5000 };
  return () => answer(question, new AbortController().signal);
}
