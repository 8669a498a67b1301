/*
 * The share of oil palm within 5 km of mills spread over 60 x 60 km, by its head over two years of made-up embeddings in
 * memory, 958 pixels a mill and year: the first pass, which evaluates every pixel of the lattice once, the second one,
 * which finds them all, and mills alone with nothing kept. The usual peer (numpy on one thread) evaluates a sample of its own
 * for each mill; the strongest one evaluates the pixels of our lattice once for all mills and counts them with k-d trees
 * (scipy), all mills at once: it is given the pixels, and makes no interval, evidence or receipt. Its shares are compared.
 *
 *     node bench/commodity-region.ts [MILLS]      needs the published heads in ../shared and Debian's python3-scipy
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utmProjection } from '../src/geo/crs/utm.ts';
import { createEvaluator } from '../src/geo/detection/evaluate.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { BANDS } from '../src/geo/segmentation/grid.ts';
import { type LonLat, pointShape } from '../src/geo/shapes/shape.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../src/readers/embeddings/embedding-source.ts';
import { packHead } from '../src/readers/models/head-pack.ts';
import { writePack } from '../src/readers/packs/pack-file.ts';
import { createAnswerer } from '../src/service/detection/answer.ts';
import { createHeadClaims } from '../src/service/detection/claims.ts';
import { createPixelMemory } from '../src/service/detection/pixel-memory.ts';
import { samplePlaces } from '../src/service/detection/places.ts';
import { codesOfPoints, MADE_UP_HEAD, PUBLISHED, readPublished } from '../test/detection-heads.ts';
import { headText } from './head-text.ts';
import { startPeer } from './python-peer.ts';
import { saveResult } from './results.ts';
import { type Cost, Costs, costOf, ms, quantile, ROUNDS } from './rounds.ts';

const MILLS = Number(process.argv[2] ?? 10_000);
/** Mills that are measured alone, by us with nothing kept and by the usual peer. */
const ALONE = 40;
/** Pixels of 10 m along each side of the region, and of the codes that it repeats. */
const SIDE = 6_000;
const REPEATED = 500;
const RADIUS_M = 5_000;
const TRANSFORM = [10, 0, 400_000, 0, -10, 400_000] as const;
const LATTICE = { id: 'made-up', transform: TRANSFORM, crs: 'EPSG:32647' } as const;
const { signal } = new AbortController();

const folder = await mkdtemp(join(tmpdir(), 'commodity-region-'));
const palm = PUBLISHED.find(({ commodity }) => commodity === 'palm') ?? PUBLISHED[0];
const head = await readPublished(palm);
const path = join(folder, 'palm.head');
const years = [codesOf(1), codesOf(2)];
/** Claims three of ten of these pixels, so that shares differ: palm was found on none of them. */
const threshold = quantile([...createEvaluator(head).evaluate(years[0].subarray(0, 4_096 * BANDS))], 0.7);
const about = { ...MADE_UP_HEAD, commodity: 'palm', threshold };
await writePack(path, packHead('palm', head, about));
const source = sourceOf(years);
const { mills, pixels: places } = madeUpMills(MILLS);
const lattice = latticePixels(mills);
const peers = await startPeers();
try {
  const costs = new Costs();
  let farthest = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const answer = answerer();
    const shares: number[] = [];
    for (const pass of ['first', 'second'] as const) {
      const [cost, found] = await costOf(async () => {
        const all: number[] = [];
        for (const mill of mills) all.push(await answer(mill));
        return all;
      });
      costs.add(pass, cost);
      shares.splice(0, Infinity, ...found);
      const peer = await peers.lattice.send<Cost & { shares: number[] }>({ mills: MILLS, first: pass === 'first' });
      costs.add(`peer ${pass}`, peer);
      for (const [i, share] of peer.shares.entries()) farthest = Math.max(farthest, Math.abs(share - shares[i]));
    }
    const answerAlone = answerer(false);
    const [alone] = await costOf(async () => {
      for (const mill of mills.slice(0, ALONE)) await answerAlone(mill);
    });
    costs.add('alone', alone);
    costs.add('peer alone', await peers.usual.send<Cost>({ mills: ALONE }));
    const evaluator = createEvaluator(head);
    const codes = codesOfPixels(years[0], lattice);
    const [arithmetic] = await costOf(() => [evaluator.evaluate(codes), evaluator.evaluate(codes)]);
    costs.add('arithmetic', arithmetic);
  }
  report(costs, farthest);
} finally {
  for (const peer of Object.values(peers)) peer.stop();
  await rm(folder, { recursive: true });
}

function report(costs: Costs, farthest: number): void {
  const rate = (name: string, count: number): string => {
    const { cpuMs } = costs.median(name, count);
    return `${Math.round(1000 / cpuMs).toLocaleString('en')} a second of processor (${cpuMs.toPrecision(3)} ms each)`;
  };
  const usual = (ours: string, count: number) => {
    const [theirs, own] = [costs.median('peer alone', ALONE), costs.median(ours, count)];
    const name = 'numpy, a sample for each mill';
    return { name, times: theirs.ms / own.ms, processor: theirs.cpuMs / own.cpuMs };
  };
  const strongest = (pass: string) => ({
    name: 'numpy and scipy, all mills at once: our pixels once, counted by k-d trees, no evidence',
    strongest: true,
    ...costs.ratio(`peer ${pass}`, pass),
  });
  const arithmetic = costs.median('arithmetic').cpuMs / costs.median('first').cpuMs;
  const mills = `${MILLS.toLocaleString('en')} mills of a region`;
  saveResult('commodity-region', [
    {
      what: `${mills}, first pass: share of palm within 5 km, two years, ${lattice.length / 2} pixels of the lattice a year`,
      ours: rate('first', MILLS),
      peers: [usual('first', MILLS), strongest('first')],
      limit: `the arithmetic of the head alone is ${Math.round(100 * arithmetic)} % of it`,
    },
    {
      what: `${mills}, second pass; shares of the peer differ by at most ${farthest.toFixed(3)}`,
      ours: rate('second', MILLS),
      peers: [usual('second', MILLS), strongest('second')],
      goal: '1,000 a second',
      limit: 'two numbers of each of 958 pixels: 8 kB, a microsecond of memory; the rest is finding them and words',
    },
    {
      what: 'a mill alone, nothing kept, embeddings in memory',
      ours: `${ms(costs.median('alone', ALONE).cpuMs)} ms of processor`,
      peers: [usual('alone', ALONE)],
    },
  ]);
  for (const name of ['first', 'peer first', 'second', 'peer second']) console.log(name, rate(name, MILLS));
  for (const name of ['alone', 'peer alone']) console.log(name, rate(name, ALONE));
  console.log(`farthest share ${farthest.toFixed(4)}, arithmetic ${arithmetic.toFixed(2)} of the first pass`);
}

/** Answers with nothing kept at first, or ever. */
function answerer(isKept = true): (mill: LonLat) => Promise<number> {
  const kept = createPixelMemory(null);
  const ground = async () => ({ embeddings: [source], memory: isKept ? kept : createPixelMemory(null) });
  const answer = createAnswerer(createHeadClaims([{ id: 'palm', path, about }], ground, 60_000));
  return async (mill) => {
    const found = await answer({ subject: 'palm', shape: pointShape(...mill), radiusM: RADIUS_M }, signal);
    return found?.value.share ?? Number.NaN;
  };
}

async function startPeers() {
  const setup = {
    head: join(folder, 'head.json'),
    codes: years.map((_, i) => join(folder, `codes-${i}`)),
    mills: join(folder, 'mills'),
    lattice: join(folder, 'lattice'),
    threshold: about.threshold,
    repeated: REPEATED,
    radius: RADIUS_M,
  };
  await writeFile(setup.head, headText(head));
  await Promise.all(years.map((codes, i) => writeFile(setup.codes[i], codes)));
  await writeFile(setup.mills, places);
  await writeFile(setup.lattice, lattice);
  const start = (way: string) => startPeer('commodity_region.py', way, JSON.stringify(setup));
  return { usual: start('usual'), lattice: start('lattice') };
}

/** Codes of the points around Manaus, each moved by up to 3. */
function codesOf(seed: number): Int8Array {
  const points = codesOfPoints('points_amazon.csv');
  const random = seededRandom(seed);
  return Int8Array.from({ length: REPEATED * REPEATED * BANDS }, (_, i) =>
    Math.max(-127, Math.min(127, points[i % points.length] + Math.floor(random() * 7) - 3)),
  );
}

/** Mills in degrees, and in columns and rows. */
function madeUpMills(count: number): { readonly mills: readonly LonLat[]; readonly pixels: Float64Array } {
  const random = seededRandom(7);
  const { toLonLat } = utmProjection(47, true);
  const place = new Float64Array(2);
  const margin = RADIUS_M / 10 + 20;
  const pixels = Float64Array.from({ length: 2 * count }, () => margin + random() * (SIDE - 2 * margin));
  const mills = Array.from({ length: count }, (_, i): LonLat => {
    toLonLat(TRANSFORM[2] + 10 * pixels[2 * i], TRANSFORM[5] - 10 * pixels[2 * i + 1], place, 0);
    return [place[0], place[1]];
  });
  return { mills, pixels };
}

/** Every pixel that any of the mills has. */
function latticePixels(all: readonly LonLat[]): Int32Array {
  const pixels = new Set<number>();
  for (const mill of all) {
    const { positions } = samplePlaces(LATTICE, pointShape(...mill), RADIUS_M);
    for (let i = 0; i < positions.length; i += 2) pixels.add(positions[i + 1] * SIDE + positions[i]);
  }
  return Int32Array.from([...pixels].flatMap((pixel) => [pixel % SIDE, Math.floor(pixel / SIDE)]));
}

function codesOfPixels(codes: Int8Array, positions: Int32Array): Int8Array {
  const out = new Int8Array((positions.length / 2) * BANDS);
  for (let i = 0; i < positions.length; i += 2) {
    const from = ((positions[i + 1] % REPEATED) * REPEATED + (positions[i] % REPEATED)) * BANDS;
    out.set(codes.subarray(from, from + BANDS), (i / 2) * BANDS);
  }
  return out;
}

/** Two years of embeddings; each row of a window is copied out of the codes as a reader does out of its blocks. */
function sourceOf(all: readonly Int8Array[]): EmbeddingSource {
  const rasterOf = (codes: Int8Array, year: number) => ({
    ...LATTICE,
    year,
    covers: () => true,
    window: async (x0: number, y0: number, width: number, height: number) => ({
      width,
      height,
      copyRow(y: number, out: Int8Array) {
        const row = ((y0 + y) % REPEATED) * REPEATED;
        for (let x = 0, count: number; x < width; x += count) {
          const column = (x0 + x) % REPEATED;
          count = Math.min(width - x, REPEATED - column);
          out.set(codes.subarray((row + column) * BANDS, (row + column + count) * BANDS), x * BANDS);
        }
      },
    }),
  });
  const [newest, before] = all.map((codes, i) => rasterOf(codes, 2024 - i) as unknown as EmbeddingRaster);
  return {
    dataset: { id: 'made-up', version: '1', synthetic: false },
    at: async () => ({ raster: newest, x: 0, y: 0 }),
    rasters: async (_: unknown, year: number) => (year === before.year ? [before] : []),
  } as unknown as EmbeddingSource;
}
