import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { MADE_UP_HEAD } from '../../../test/detection-heads.ts';
import { runs } from '../../../test/property-runs.ts';
import { networkOf } from '../../geo/detection/logistic-head.ts';
import { seededRandom } from '../../geo/seeded-random.ts';
import { pointShape } from '../../geo/shapes/shape.ts';
import { BANDS } from '../../geo/segmentation/grid.ts';
import type { EmbeddingRaster, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import type { DiskCacheFolder } from '../../readers/io/disk-cache-folder.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { installedHeads, writeHead } from '../models/installed-models.ts';
import { createHeadClaims } from './claims.ts';
import { createPixelMemory, UNKNOWN, type PixelMemory } from './pixel-memory.ts';

const { signal } = new AbortController();
const SIDE = 1_500;
const LAYER = { key: 'layer', isOnDisk: true };
let folder: string;
let disk: DiskCacheFolder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pixel-memory-'));
  disk = await openDiskCache(join(folder, 'cache'), { maxBytes: 50_000_000 });
  for (const [name, weight] of [
    ['palm', 9],
    ['rubber', -7],
  ] as const) {
    const weights = Float64Array.from({ length: BANDS }, (_, band) => weight * Math.cos(band * weight));
    const about = { ...MADE_UP_HEAD, commodity: name };
    await writeHead({ dataDir: folder }, name, networkOf({ weights, bias: 0.2 } as never), about);
  }
});
after(async () => {
  // What was kept last is written some seconds later.
  for (const memory of opened) await memory.settled();
  await rm(folder, { recursive: true });
});

const opened: PixelMemory[] = [];

function onDisk(): PixelMemory {
  const memory = createPixelMemory(disk);
  opened.push(memory);
  return memory;
}

/** Made-up embeddings in degrees around 102, 3, a hundredth of them without data; counts the pixels of the windows read. */
function embeddings(url?: string, hasHoles = true) {
  const reads = new Map<string, number>();
  const rasterOf = (year: number) =>
    ({
      id: 'made-up',
      year,
      crs: 'EPSG:4326',
      transform: [9e-5, 0, 102, 0, -9e-5, 3],
      covers: () => true,
      window: (x0: number, y0: number, width: number, height: number) => {
        reads.set(`${year}`, (reads.get(`${year}`) ?? 0) + width * height);
        return Promise.resolve({
          copyRow(y: number, out: Int8Array) {
            for (let x = 0; x < width; x++) fillCodes(out, x, x0 + x, y0 + y, hasHoles ? year : 0);
          },
        });
      },
    }) as unknown as EmbeddingRaster;
  const source = {
    dataset: { id: 'made-up', version: '1', synthetic: false, url },
    at: () => Promise.resolve({ raster: rasterOf(2024), x: 0, y: 0 }),
    rasters: (_: unknown, year: number) => Promise.resolve([rasterOf(year)]),
  } as unknown as EmbeddingSource;
  return { source, reads };
}

const random = seededRandom(3);
/** A thousand pixels of which the ground is made. */
const PIXELS = Int8Array.from({ length: 1_000 * BANDS }, () => Math.floor(random() * 255) - 127);

/** Of year 0 every pixel has data. */
function fillCodes(out: Int8Array, at: number, x: number, y: number, year: number): void {
  const place = (((x * 7_919 + y * 104_729 + year) % 97_000) + 97_000) % 97_000;
  const pixel = place % 1_000;
  if (year > 0 && place % 97 === 0) out.fill(-128, at * BANDS, (at + 1) * BANDS);
  else out.set(PIXELS.subarray(pixel * BANDS, (pixel + 1) * BANDS), at * BANDS);
}

async function claimsBy(memory: PixelMemory, source: EmbeddingSource) {
  const ground = { embeddings: [source], memory };
  const claim = createHeadClaims(await installedHeads({ dataDir: folder }), async () => ground, 60_000);
  return async ({ x, y, radiusM, subject }: Question) => {
    const claims = await claim(subject, pointShape(102 + x * 9e-5, 3 - y * 9e-5), radiusM, signal);
    assert.ok(claims !== null);
    const before = await claims.earlier();
    const { positions, margins, isComplete } = claims;
    // As arrays of numbers, because NaN has many forms.
    return { positions, margins: [...margins], isComplete, before: [...(before?.margins ?? [])] };
  };
}

interface Question {
  readonly x: number;
  readonly y: number;
  readonly radiusM: number;
  readonly subject: string;
}

const question = fc.record({
  x: fc.integer({ min: 0, max: SIDE }),
  y: fc.integer({ min: 0, max: SIDE }),
  radiusM: fc.oneof(fc.constant(2_000), fc.integer({ min: 5, max: 3_000 })),
  subject: fc.constantFrom('palm', 'rubber', 'plantation'),
});

test('heads say the same of a place, bit for bit, whatever was measured before, forgotten or read from disk', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 6 }), question, async (before, last) => {
      const alone = await (await claimsBy(createPixelMemory(null), embeddings().source))(last);
      const kept = onDisk();
      const { source } = embeddings('https://example.org/made-up');
      const claim = await claimsBy(kept, source);
      await Promise.all(before.map(claim));
      assert.deepEqual(await claim(last), alone);
      await kept.settled();
      assert.deepEqual(await (await claimsBy(onDisk(), source))(last), alone);
      const small = await claimsBy(createPixelMemory(null, 3_000), source);
      await Promise.all(before.map(small));
      assert.deepEqual(await small(last), alone);
    }),
    { numRuns: runs(60, 6) },
  );
});

test('a pixel is read once: for neighbours, for other subjects and after a start', async () => {
  const { source, reads } = embeddings('https://example.org/read-once', false);
  const memory = onDisk();
  const claim = await claimsBy(memory, source);
  const place = { x: 700, y: 700, radiusM: 2_000, subject: 'palm' };
  await claim(place);
  const all = reads.get('2024') ?? 0;
  assert.ok(all > 100_000 && all === reads.get('2023'));
  await claim(place);
  assert.equal(reads.get('2024'), all);
  await claim({ ...place, x: 702 });
  assert.ok((reads.get('2024') ?? 0) < all * 1.7, 'the neighbour reads a strip');
  await claim({ ...place, subject: 'plantation' });
  const withRubber = reads.get('2024');
  await claim({ ...place, subject: 'rubber' });
  assert.equal(reads.get('2024'), withRubber);
  await memory.settled();
  const found = await claim(place);
  const [read2024, read2023] = [reads.get('2024'), reads.get('2023')];
  assert.deepEqual(await (await claimsBy(onDisk(), source))(place), found);
  assert.deepEqual([reads.get('2024'), reads.get('2023')], [read2024, read2023]);
});

test('what is kept is found again, and nothing else, within the room there is', async () => {
  const pixel = fc.tuple(fc.integer({ min: -5_000, max: 5_000 }), fc.integer({ min: -5_000, max: 5_000 }));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(pixel, { selector: String, maxLength: 300 }), fc.nat(300), async (pixels, some) => {
      const memory = createPixelMemory(null);
      const kept = pixels.slice(0, some);
      const values = Float32Array.from(kept, (_, i) => (i % 7 === 0 ? Number.NaN : i / 300));
      await memory.recall(LAYER, Int32Array.from(kept.flat()));
      memory.keep(LAYER, Int32Array.from(kept.flat()), values);
      const found = await memory.recall(LAYER, Int32Array.from(pixels.flat()));
      assert.deepEqual(found.subarray(0, kept.length), values);
      assert.ok(found.subarray(kept.length).every((value) => value === UNKNOWN));
      const other = await memory.recall({ ...LAYER, key: 'other' }, Int32Array.from(pixels.flat()));
      assert.ok(other.every((value) => value === UNKNOWN));
    }),
    { numRuns: runs(100) },
  );
});

test('of a layer that is not on disk nothing is written, and pixels without data are looked up again after a start', async () => {
  const positions = Int32Array.of(1, 2, 3, 4);
  const values = Float32Array.of(0.5, Number.NaN);
  for (const isOnDisk of [true, false]) {
    const layer = { key: `on disk: ${isOnDisk}`, isOnDisk };
    const memory = onDisk();
    await memory.recall(layer, positions);
    memory.keep(layer, positions, values);
    assert.deepEqual(await memory.recall(layer, positions), values);
    await memory.settled();
    const found = await onDisk().recall(layer, positions);
    assert.deepEqual(found, Float32Array.of(isOnDisk ? 0.5 : UNKNOWN, UNKNOWN));
  }
});
