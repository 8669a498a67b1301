import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

import { blockOf, codeScene, upsideDown } from '../../../../test/oracles/tiff/code-scene.ts';
import { needsSharedData, SHARED_DATA } from '../../../../test/shared-data.ts';
import { fileSource } from '../../io/file-source.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { encodeTiff, type EncodeTiffOptions } from '../../formats/tiff/encode-tiff.ts';
import { openTiff } from '../../formats/tiff/open-tiff.ts';
import type { TiffImage } from '../../formats/tiff/tiff-image.ts';
import { blockWindow } from '../blocks/block-window.ts';
import { createDecoder } from '../decode/decoder.ts';
import type { CodeBlocks } from './code-blocks.ts';
import { tiffCodeBlocks } from './tiff-blocks.ts';

const { signal } = new AbortController();
const decoder = createDecoder({ threads: 2, memoryBytes: 40_000_000 });
const inline = createDecoder({ threads: 0, memoryBytes: 40_000_000 });
after(() => decoder.close());

const WIDTH = 300;
const HEIGHT = 270;
const SCENE = codeScene(WIDTH, HEIGHT, 1, (x, y) => x < 9 && y > 200);
const DOWN = [10, 0, 500_000, 0, -10, 4_000_000] as const;
const UP = [10, 0, 500_000, 0, 10, 4_000_000 - 10 * HEIGHT] as const;

function fileOf(codes: Int8Array, width: number, options: EncodeTiffOptions, isUpward = false): Uint8Array {
  const height = codes.length / 64 / width;
  const values = isUpward ? upsideDown(codes, width) : codes;
  const transform = isUpward ? UP : DOWN;
  const said = { width, height, bands: 64, sampleType: 'int8', nodata: -128, crs: 'EPSG:32616' } as const;
  return encodeTiff({ ...said, transform, values }, options);
}

async function open(source: ByteSource, change: Partial<TiffImage> = {}, deadlineMs = 60_000, by = decoder) {
  const image = { ...(await openTiff(source, signal)), ...change };
  const info = await source.stat({ signal });
  return tiffCodeBlocks(source, image, { version: info?.version ?? null, decoder: by, deadlineMs });
}

let sources = 0;

/** A source that notes what is fetched from it; the decoder has met none of its bytes. */
function watched(bytes: Uint8Array): ByteSource & { fetched: [number, number][] } {
  const inner = memorySource(`watched ${++sources}.tif`, bytes, 'v1');
  const fetched: [number, number][] = [];
  const fetch: ByteSource['fetch'] = (offset, length, options) => {
    fetched.push([offset, length]);
    return inner.fetch(offset, length, options);
  };
  return { ...inner, fetched, fetch };
}

describe('blocks are those of the raster, north-up, whatever the layout of the file', () => {
  const layouts: [EncodeTiffOptions, boolean][] = [
    [{ interleave: 'band', tile: 512, compression: 'zstd' }, false],
    [{ interleave: 'band', tile: 512, compression: 'zstd' }, true],
    [{ interleave: 'band', tile: 256, compression: 'none' }, true],
    [{ interleave: 'band', tile: 48, compression: 'none' }, true],
    [{ interleave: 'pixel', tile: 512, compression: 'zstd' }, true],
    [{ interleave: 'pixel', tile: 256, compression: 'zstd' }, false],
    [{ interleave: 'pixel', tile: 256, compression: 'none' }, true],
    [{ interleave: 'pixel', tile: 80, compression: 'deflate' }, false],
    [{ interleave: 'pixel', tile: 16, compression: 'none' }, true],
  ];
  for (const [options, isUpward] of layouts) {
    const name = `${options.interleave} ${options.tile} ${options.compression}${isUpward ? ' bottom-up' : ''}`;
    test(name, async () => {
      const bytes = fileOf(SCENE, WIDTH, options, isUpward);
      for (const by of [decoder, inline]) {
        const blocks = await open(memorySource(name, bytes), {}, 60_000, by);
        assert.deepEqual([blocks.width, blocks.height], [WIDTH, HEIGHT]);
        const reads = [0, 1, 2, 3].map((i) => blocks.block(i & 1, i >> 1, signal));
        for (const [i, codes] of (await Promise.all(reads)).entries())
          assert.ok(same(codes, blockOf(SCENE, WIDTH, i & 1, i >> 1)), `block ${i}`);
      }
    });
  }

  test('strips, whose last one is cut off, with horizontal differences', async () => {
    const [stripRows, strips] = [7, Math.ceil(HEIGHT / 7)];
    const stored = new Int8Array(SCENE.length);
    for (let band = 0; band < 64; band++)
      for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
        const before = pixel % WIDTH === 0 ? 0 : SCENE[(pixel - 1) * 64 + band];
        stored[band * WIDTH * HEIGHT + pixel] = SCENE[pixel * 64 + band] - before;
      }
    const image: TiffImage = {
      width: WIDTH,
      height: HEIGHT,
      bands: 64,
      sampleType: 'int8',
      nodata: null,
      transform: null,
      crs: null,
      interleave: 'band',
      compression: 'none',
      predictor: 2,
      littleEndian: true,
      blockWidth: WIDTH,
      blockHeight: stripRows,
      blocksAcross: 1,
      blocksDown: strips,
      offsets: Float64Array.from({ length: strips * 64 }, (_, i) => {
        return 16 + (Math.floor(i / strips) * HEIGHT + (i % strips) * stripRows) * WIDTH;
      }),
      lengths: Float64Array.from({ length: strips * 64 }, (_, i) => {
        return Math.min(stripRows, HEIGHT - (i % strips) * stripRows) * WIDTH;
      }),
    };
    const source = memorySource('strips', Buffer.concat([Buffer.alloc(16), new Uint8Array(stored.buffer)]));
    const blocks = tiffCodeBlocks(source, image, { version: null, decoder });
    for (let i = 0; i < 4; i++)
      assert.ok(same(await blocks.block(i & 1, i >> 1, signal), blockOf(SCENE, WIDTH, i & 1, i >> 1)));
  });

  test('the public layout and the usual one hold the same', needsSharedData('aef'), async () => {
    await using up = fileSource(join(SHARED_DATA, 'aef/wisconsin_bottomup_zstd.tif'));
    await using down = fileSource(join(SHARED_DATA, 'aef/wisconsin_exact_1km.tif'));
    const [a, b] = await Promise.all([open(up), open(down)].map(async (blocks) => (await blocks).block(0, 0, signal)));
    assert.ok(a !== null && same(a, b));
  });
});

const PLANAR = { interleave: 'band', tile: 512, compression: 'zstd' } as const;

test('a large file block is fetched and decoded once for all blocks it holds', async () => {
  const scene = codeScene(512, 512, 2);
  const source = watched(fileOf(scene, 512, PLANAR));
  const blocks = await open(source);
  source.fetched.length = 0;
  const reads = [0, 1, 2, 3, 0, 3].map((i) => blocks.block(i & 1, i >> 1, signal));
  for (const [i, codes] of (await Promise.all(reads)).slice(0, 4).entries())
    assert.ok(same(codes, blockOf(scene, 512, i & 1, i >> 1)));
  // Later too, while it is in the decoder's memory.
  await blocks.block(1, 0, signal);
  const image = await openTiff(memorySource('again', fileOf(scene, 512, PLANAR)), signal);
  const stored = image.lengths.reduce((sum, length) => sum + length, 0);
  assert.equal(
    source.fetched.reduce((sum, [, length]) => sum + length, 0),
    stored,
  );
});

test('the other blocks of a large file block are handed over, each once, when they are wanted', async () => {
  const scene = codeScene(512, 512, 3, (x, y) => x >= 256 && y >= 256);
  const blocks = await open(memorySource('also.tif', fileOf(scene, 512, PLANAR), 'v1'));
  const taken: [number, number, boolean][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const also = {
    wants: (bx: number, by: number) => bx + by > 0,
    take: async (bx: number, by: number, codes: Int8Array | null) => {
      taken.push([bx, by, same(codes, blockOf(scene, 512, bx, by))]);
      if (taken.length === 3) resolve();
    },
  };
  assert.ok(same(await blocks.block(0, 0, signal, { also }), blockOf(scene, 512, 0, 0)));
  await promise;
  assert.deepEqual(taken, [
    [1, 0, true],
    [0, 1, true],
    [1, 1, true],
  ]);
});

describe('a large file block is read down to the last row that a window has', () => {
  /** What a window from row `y0` fetches, as a share of all blocks; it must hold what the scene holds. */
  async function shareOf(
    scene: Int8Array,
    source: ReturnType<typeof watched>,
    stored: number,
    blocks: CodeBlocks,
    [x0, y0, size]: readonly [x0: number, y0: number, size: number],
  ): Promise<number> {
    source.fetched.length = 0;
    const window = await blockWindow(blocks, x0, y0, size, size, signal);
    const row = new Int8Array(size * 64);
    for (let y = 0; y < size; y++) {
      window.copyRow(y, row);
      const start = ((y0 + y) * 512 + x0) * 64;
      assert.ok(same(row, scene.subarray(start, start + size * 64)), `row ${y}`);
    }
    return source.fetched.reduce((sum, [, length]) => sum + length, 0) / stored;
  }

  async function bytesOfBlocks(source: ByteSource): Promise<number> {
    return (await openTiff(source, signal)).lengths.reduce((sum, length) => sum + length, 0);
  }

  const scene = codeScene(512, 512, 6);
  for (const compression of ['zstd', 'deflate', 'none'] as const) {
    for (const interleave of ['band', 'pixel'] as const) {
      // How rows are counted does not depend on how they are compressed.
      for (const isUpward of compression === 'zstd' ? [false, true] : [false]) {
        test(`${compression}, ${interleave}${isUpward ? ', bottom-up' : ''}`, async () => {
          const source = watched(fileOf(scene, 512, { interleave, tile: 512, compression }, isUpward));
          const [stored, blocks] = [await bytesOfBlocks(source), await open(source)];
          // Half of the rows, all of them the second time, and then nothing.
          const near = isUpward ? 300 : 20;
          const first = await shareOf(scene, source, stored, blocks, [40, near, 130]);
          assert.ok(first > 0.4 && first < 0.75, `${first}`);
          assert.equal(await shareOf(scene, source, stored, blocks, [200, near, 140]), 0);
          const second = await shareOf(scene, source, stored, blocks, [40, 190, 130]);
          assert.ok(second >= 1, `${second}`);
          assert.equal(await shareOf(scene, source, stored, blocks, [10, 0, 500]), 0);
        });
      }
    }
  }

  test('the rest is fetched too where the first rows take more than their share of the bytes', async () => {
    const noise = codeScene(512, 512, 7);
    const scene = noise.map((code, at) => (at < 512 * 256 * 64 ? code : 1));
    for (const by of [decoder, inline]) {
      const source = watched(fileOf(scene, 512, PLANAR));
      const [stored, blocks] = [await bytesOfBlocks(source), await open(source, {}, 60_000, by)];
      assert.ok((await shareOf(scene, source, stored, blocks, [40, 20, 130])) <= 1);
      const folder = await mkdtemp(join(tmpdir(), 'firstmile-rows-'));
      const path = join(folder, 'file.tif');
      await writeFile(path, fileOf(scene, 512, PLANAR));
      await using file = fileSource(path);
      const window = await blockWindow(await open(file, {}, 60_000, by), 40, 20, 130, 130, signal);
      const row = new Int8Array(130 * 64);
      window.copyRow(129, row);
      assert.ok(same(row, scene.subarray((149 * 512 + 40) * 64, (149 * 512 + 170) * 64)));
      await rm(folder, { recursive: true });
    }
  });

  test('only what was decoded is handed over', async () => {
    const scene = codeScene(512, 512, 8);
    const blocks = await open(memorySource('rows.tif', fileOf(scene, 512, PLANAR), 'v1'));
    const asked: string[] = [];
    const taken: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const also = {
      wants: (bx: number, by: number) => {
        asked.push(`${bx} ${by}`);
        if (asked.length === 4) setImmediate(resolve);
        return `${bx} ${by}` !== '0 0';
      },
      take: async (bx: number, by: number, codes: Int8Array | null) => {
        assert.ok(same(codes, blockOf(scene, 512, bx, by)));
        taken.push(`${bx} ${by}`);
      },
    };
    await blocks.block(0, 0, signal, { also, rows: { first: 0, last: 0 } });
    await promise;
    assert.deepEqual(taken, ['1 0']);
  });

  test('damaged first rows fail the read', async () => {
    const bytes = fileOf(codeScene(512, 512, 9), 512, PLANAR);
    const image = await openTiff(memorySource('good.tif', bytes), signal);
    bytes.fill(0, image.offsets[5], image.offsets[5] + 8);
    const blocks = await open(memorySource('damaged.tif', bytes));
    await assert.rejects(blockWindow(blocks, 0, 0, 100, 100, signal), { name: 'DecodeError', kind: 'damaged' });
  });
});

test('a block of nothing but nodata is null, and so is one that the file leaves out', async () => {
  const nothing = codeScene(300, 20, 4, (x) => x >= 256);
  for (const interleave of ['band', 'pixel'] as const) {
    const source = memorySource('nothing.tif', fileOf(nothing, 300, { interleave, tile: 256 }));
    assert.equal(await (await open(source)).block(1, 0, signal), null);
    const image = await openTiff(source, signal);
    const blocks = await open(source, { lengths: image.lengths.map(() => 0) });
    assert.equal(await blocks.block(0, 0, signal), null);
  }
});

test('images that hold no embeddings are refused with what they hold', async () => {
  const source = memorySource('small.tif', fileOf(codeScene(16, 16, 5), 16, { tile: 16 }));
  const cases: [Partial<TiffImage>, RegExp][] = [
    [{ bands: 63 }, /64 bands of int8, got 63 of int8/],
    [{ sampleType: 'uint8' }, /got 64 of uint8/],
    [{ nodata: 0 }, /with nodata -128, got 0/],
    [{ transform: [8, 6, 0, 6, -8, 0] }, /rows that run east, got the transform 8, 6/],
    [{ blockWidth: 1024, blockHeight: 1024 }, /at most 40000000 bytes for all bands/],
  ];
  for (const [change, message] of cases) await assert.rejects(open(source, change), { name: 'TiffError', message });
  await assert.rejects((await open(source)).block(1, 0, signal), /wanted a block of 1 x 1, got 1, 0/);
});

test('bytes that were damaged or replaced fail the read, and the next one begins again', async () => {
  const bytes = fileOf(SCENE, WIDTH, PLANAR);
  const image = await openTiff(memorySource('good.tif', bytes), signal);
  const broken = Uint8Array.from(bytes);
  broken.fill(0, image.offsets[5], image.offsets[5] + 8);
  let now: { bytes: Uint8Array; version: string } = { bytes: broken, version: 'v1' };
  const source: ByteSource = {
    id: 'replaced.tif',
    stat: async () => ({ size: now.bytes.length, version: now.version }),
    fetch: (offset, length, options) => memorySource('replaced.tif', now.bytes).fetch(offset, length, options),
  };
  const blocks = tiffCodeBlocks(source, image, { version: 'v1', decoder });
  await assert.rejects(blocks.block(0, 0, signal), { name: 'DecodeError', kind: 'damaged', place: 'replaced.tif' });
  now = { bytes, version: 'v2' };
  await assert.rejects(blocks.block(0, 0, signal), { name: 'ByteSourceError', kind: 'changed' });
  now = { bytes, version: 'v1' };
  assert.ok(same(await blocks.block(0, 0, signal), blockOf(SCENE, WIDTH, 0, 0)));
});

test('a fetch that never ends fails the read at its deadline, and an aborted caller leaves at once', async () => {
  const inner = memorySource('stuck.tif', fileOf(SCENE, WIDTH, PLANAR), 'v1');
  const image = await openTiff(inner, signal);
  const source: ByteSource = { ...inner, fetch: () => new Promise(() => {}) };
  const blocks = tiffCodeBlocks(source, image, { version: 'v1', decoder: inline, deadlineMs: 20 });
  await assert.rejects(blocks.block(0, 0, signal), { name: 'ByteSourceError', kind: 'timeout' });
  const controller = new AbortController();
  const left = blocks.block(1, 1, controller.signal);
  controller.abort(new Error('no longer wanted'));
  await assert.rejects(left, /no longer wanted/);
});

/** Compared as bytes: a difference is found without printing four million codes. */
function same(a: Int8Array | null, b: Int8Array | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.length), Buffer.from(b.buffer, b.byteOffset, b.length)) === 0
  );
}
