import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { openDiskCache, type DiskCacheFolder } from '../../io/disk-cache-folder.ts';
import { type CachedBlocks, createBlockMemory, withBlockCache as cacheBlocks } from './block-cache.ts';
import type { AlsoRead, CodeBlocks } from '../cog/code-blocks.ts';

const { signal } = new AbortController();
const BYTES = 256 * 256 * 64;
let folder = '';
let disk: DiskCacheFolder;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'block-cache-'));
  disk = await openDiskCache(folder, { maxBytes: 100_000_000 });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((cached) => cached.settled()));
  await rm(folder, { recursive: true });
});

const opened: CachedBlocks[] = [];

function withBlockCache(...given: Parameters<typeof cacheBlocks>): CachedBlocks {
  const cached = cacheBlocks(...given);
  opened.push(cached);
  return cached;
}

/** Blocks full of a number made of their place; those in odd rows are nodata. */
function numbered(id = 'numbers v1') {
  const reads: string[] = [];
  const make = (bx: number, by: number) => (by % 2 === 1 ? null : new Int8Array(BYTES).fill(bx * 10 + by));
  const block = async (
    bx: number,
    by: number,
    _: AbortSignal,
    { also }: { readonly also?: AlsoRead } = {},
  ): Promise<Int8Array | null> => {
    reads.push(`${bx} ${by}`);
    if (also?.wants(bx + 1, by)) void also.take(bx + 1, by, make(bx + 1, by));
    return make(bx, by);
  };
  const blocks: CodeBlocks = { id, width: 5000, height: 5000, block };
  return { blocks, reads };
}

test('a block is read once, by callers at the same time and later', async () => {
  const { blocks, reads } = numbered();
  const cached = withBlockCache(blocks, { memory: createBlockMemory(), disk: null });
  const [a, b] = await Promise.all([cached.block(2, 0, signal), cached.block(2, 0, signal)]);
  assert.equal(a?.[5], 20);
  assert.equal(a, b);
  assert.equal(await cached.block(2, 0, signal), a);
  assert.equal(await cached.block(0, 1, signal), null);
  assert.equal(await cached.block(0, 1, signal), null);
  assert.deepEqual(reads, ['2 0', '0 1']);
});

test('what was read is found on disk again, nodata and what came along too', async () => {
  const first = numbered();
  const before = withBlockCache(first.blocks, { memory: createBlockMemory(), disk });
  await before.block(2, 0, signal);
  await before.block(0, 1, signal);
  await before.settled();
  const second = numbered();
  const later = withBlockCache(second.blocks, { memory: createBlockMemory(), disk });
  assert.equal((await later.block(2, 0, signal))?.[BYTES - 1], 20);
  assert.equal((await later.block(3, 0, signal))?.[0], 30);
  assert.equal(await later.block(0, 1, signal), null);
  assert.equal(await later.block(1, 1, signal), null);
  assert.deepEqual(second.reads, []);
});

test('another version of the bytes is not found', async () => {
  const cached = withBlockCache(numbered().blocks, { memory: createBlockMemory(), disk });
  await cached.block(0, 0, signal);
  await cached.settled();
  const newer = numbered('numbers v2');
  await withBlockCache(newer.blocks, { memory: createBlockMemory(), disk }).block(0, 0, signal);
  assert.deepEqual(newer.reads, ['0 0']);
});

test('a damaged entry is read from the source again', async () => {
  const before = withBlockCache(numbered().blocks, { memory: createBlockMemory(), disk });
  await before.block(4, 0, signal);
  await before.settled();
  for (const name of await readdir(folder, { recursive: true }))
    if (/[0-9a-f]{40}$/.test(name)) await writeFile(join(folder, name), new Uint8Array(BYTES + 36));
  const again = numbered();
  const later = withBlockCache(again.blocks, { memory: createBlockMemory(), disk });
  assert.equal((await later.block(4, 0, signal))?.[0], 40);
  assert.deepEqual(again.reads, ['4 0']);
});

test('memory keeps the blocks used last, within its bound', async () => {
  const { blocks, reads } = numbered();
  const cached = withBlockCache(blocks, { memory: createBlockMemory(2.5 * BYTES), disk: null });
  for (const bx of [1, 2, 1, 3, 1, 2]) await cached.block(bx, 0, signal);
  assert.deepEqual(reads, ['1 0', '2 0', '3 0', '2 0']);
});

test('two rasters share one memory without meeting in it', async () => {
  const memory = createBlockMemory();
  const a = withBlockCache(numbered('a').blocks, { memory, disk: null });
  const b = numbered('b');
  await a.block(1, 0, signal);
  await withBlockCache(b.blocks, { memory, disk: null }).block(1, 0, signal);
  assert.deepEqual(b.reads, ['1 0']);
});

test('a read that fails is not remembered', async () => {
  const { blocks } = numbered();
  let failures = 1;
  const block: CodeBlocks['block'] = (...place) =>
    failures-- > 0 ? Promise.reject(new Error('for a moment')) : blocks.block(...place);
  const cached = withBlockCache({ ...blocks, block }, { memory: createBlockMemory(), disk });
  await assert.rejects(cached.block(1, 0, signal), /for a moment/);
  assert.equal((await cached.block(1, 0, signal))?.[0], 10);
});

test('blocks that come faster than the disk writes do not pile up', async () => {
  let writing = 0;
  let most = 0;
  const slow: DiskCacheFolder = {
    get: async () => null,
    put: async () => {
      most = Math.max(most, ++writing);
      await new Promise((resolve) => setImmediate(resolve));
      writing -= 1;
    },
  };
  const { blocks } = numbered();
  const alone: CodeBlocks = { ...blocks, block: (bx, by, s) => blocks.block(bx, by, s) };
  const cached = withBlockCache(alone, { memory: createBlockMemory(BYTES), disk: slow });
  for (let bx = 0; bx < 60; bx++) await cached.block(bx, 0, signal);
  await cached.settled();
  assert.ok(most <= 10, `${most} writes at once`);
});

/** Blocks whose memory is given back, and what was given back of them. */
function released(id = 'released v1') {
  const given: number[] = [];
  const block: CodeBlocks['block'] = async (bx) => new Int8Array(BYTES).fill(bx);
  const blocks: CodeBlocks = { id, width: 5000, height: 5000, block, release: (codes) => void given.push(codes[0]) };
  return { blocks, given };
}

test('memory of a block is given back when others have taken its room, but not while somebody reads it', async () => {
  const { blocks, given } = released();
  const cached = withBlockCache(blocks, { memory: createBlockMemory(1.5 * BYTES), disk: null });
  const seen: (number | undefined)[] = [];
  const use = (bx: number): Promise<void> =>
    cached.use!(bx, 0, signal, (codes) => {
      assert.ok(!given.includes(bx), `block ${bx} was given back before it was read`);
      seen.push(codes?.[9]);
    });
  await Promise.all([1, 2, 3].map(use));
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(given.toSorted(), [1, 2]);
  await use(3);
  await use(4);
  assert.deepEqual(given.toSorted(), [1, 2, 3]);
});

test('memory of a block that a caller has for good is never given back', async () => {
  const { blocks, given } = released();
  const cached = withBlockCache(blocks, { memory: createBlockMemory(1.5 * BYTES), disk: null });
  const [codes] = await Promise.all([cached.block(1, 0, signal), cached.use!(1, 0, signal, () => {})]);
  await cached.use!(2, 0, signal, () => {});
  await cached.use!(3, 0, signal, () => {});
  assert.equal(codes?.[0], 1);
  assert.deepEqual(given, [2]);
});

test('memory of a block is given back after it was written to disk, not before', async () => {
  const { blocks, given } = released();
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const slow: DiskCacheFolder = { get: async () => null, put: () => written };
  const cached = withBlockCache(blocks, { memory: createBlockMemory(1.5 * BYTES), disk: slow });
  for (const bx of [1, 2, 3]) await cached.use!(bx, 0, signal, () => {});
  assert.deepEqual(given, []);
  resolve();
  await cached.settled();
  assert.deepEqual(given, [1, 2]);
});
