import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';

import { memorySource } from '../../../../test/memory/memory-source.ts';
import { decodeLzw, decodePackbits } from './decompress.ts';
import { readBlock } from './read-block.ts';
import type { TiffCompression, TiffImage } from './tiff-image.ts';
import { runs } from '../../../../test/property-runs.ts';

const { signal } = new AbortController();
const BOMB = new Uint8Array(20_000_000);

/** An image of one block, 16 x 16 bytes of one band unless it is changed, whose bytes are `stored`. */
function imageOf(stored: Uint8Array, compression: TiffCompression, change: Partial<TiffImage> = {}) {
  const image: TiffImage = {
    width: 16,
    height: 16,
    bands: 1,
    sampleType: 'uint8',
    nodata: null,
    transform: null,
    crs: null,
    interleave: 'pixel',
    compression,
    predictor: 1,
    littleEndian: true,
    blockWidth: 16,
    blockHeight: 16,
    blocksAcross: 1,
    blocksDown: 1,
    offsets: Float64Array.of(8),
    lengths: Float64Array.of(stored.length),
    ...change,
  };
  const source = memorySource('block.tif', Buffer.concat([new Uint8Array(8), stored]));
  return { source, image, read: () => readBlock(source, image, 0, signal) };
}

test('a block that decodes to more than a block is refused without the memory for it', async () => {
  for (const [compression, bomb] of [
    ['zstd', zstdCompressSync(BOMB)],
    ['deflate', deflateSync(BOMB)],
  ] as const) {
    // As many bytes as a block may have, and the beginning of the bomb.
    const { read } = imageOf(bomb.subarray(0, 4000), compression);
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(read(), { name: 'TiffError', kind: 'damaged', message: /does not decode/ });
    assert.ok(process.memoryUsage().arrayBuffers - before < 5_000_000);
  }
});

test('a block that decodes to less than a block is refused, whatever it is compressed with', async () => {
  const short = new Uint8Array(255).fill(7);
  const stored: [TiffCompression, Uint8Array][] = [
    ['none', short],
    ['zstd', zstdCompressSync(short)],
    ['deflate', deflateSync(short)],
    // A count of 128 sevens, and another of 127.
    ['packbits', Uint8Array.of(129, 7, 130, 7)],
    // Clear, a seven, end: 9 bits each.
    ['lzw', Uint8Array.of(0x80, 0x01, 0xe0, 0x20)],
  ];
  for (const [compression, bytes] of stored)
    await assert.rejects(imageOf(bytes, compression).read(), {
      kind: 'damaged',
      message: /wanted a block of 256 bytes/,
    });
});

test('lengths that no encoder makes, and places that are none, are refused before they are read', async () => {
  const stored = new Uint8Array(256);
  for (const [offset, length] of [
    [8, 10_000],
    [0, 256],
    [2 ** 60, 256],
    [8, 2 ** 50],
  ]) {
    const change = { offsets: Float64Array.of(offset), lengths: Float64Array.of(length) };
    await assert.rejects(imageOf(stored, 'none', change).read(), { kind: 'damaged', message: /after the header/ });
  }
  await assert.rejects(imageOf(stored, 'none', { offsets: Float64Array.of(200) }).read(), { kind: 'past_end' });
});

test('few bytes are given no memory for a block they cannot fill', async () => {
  const large = { width: 16_384, height: 16_384, blockWidth: 16_384, blockHeight: 16_384 };
  for (const compression of ['lzw', 'deflate', 'packbits', 'none', 'zstd'] as const) {
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(imageOf(new Uint8Array(1000), compression, large).read(), /1000 bytes, which cannot hold it/);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000, compression);
  }
});

test('a block that was left out is null', async () => {
  assert.equal(await imageOf(new Uint8Array(0), 'zstd').read(), null);
});

test('a last strip may hold all its rows or those inside the image', async () => {
  for (const rows of [5, 16]) {
    const values = Uint8Array.from({ length: rows * 16 }, (_, i) => i);
    const read = await imageOf(zstdCompressSync(values), 'zstd', { height: 5 }).read();
    assert.deepEqual(read?.subarray(0, 80), values.subarray(0, 80));
  }
});

test('LZW and PackBits of any bytes end within their output or are refused', () => {
  for (const decode of [decodeLzw, decodePackbits]) {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(500), (bytes, room) => {
        const whole = new Uint8Array(room + 8).fill(99);
        let written = 0;
        try {
          written = decode(bytes, whole.subarray(0, room));
        } catch (error) {
          assert.ok(error instanceof RangeError);
        }
        assert.ok(written <= room);
        assert.ok(whole.subarray(room).every((byte) => byte === 99));
      }),
      { numRuns: runs(2000) },
    );
  }
});
