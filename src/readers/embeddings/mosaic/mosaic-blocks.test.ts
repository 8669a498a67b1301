import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { ZarrArray } from '../../formats/zarr/zarr-array.ts';
import { ZarrError } from '../../formats/zarr/zarr-array.ts';
import { createDecoder } from '../decode/decoder.ts';
import { mosaicBlocks } from './mosaic-blocks.ts';

const SIDE = 256;
const BYTES = SIDE * SIDE * 64;
const { signal } = new AbortController();
const decoders = [createDecoder({ threads: 0 }), createDecoder({ threads: 2 })];
after(() => Promise.all(decoders.map((decoder) => decoder.close())));

/** Three chunks of bands; the first is all no data. */
const chunks = [0, 1, 2].map((number) => {
  const values = new Int8Array(BYTES);
  for (let i = 0; i < BYTES; i++) values[i] = (number * 31 + i * 7 + (i >> 13)) % 127;
  if (number === 0) values.fill(-128);
  // A pixel without data.
  for (let band = 0; band < 64; band++) if (number === 1) values[band * SIDE * SIDE + 5 * SIDE + 3] = -128;
  return values;
});

/** An array of 300 x 300 pixels in four chunks of bands; the last is not stored. */
function arrayOf(change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): ZarrArray {
  const find = ([, , y, x]: readonly number[]): Int8Array | null => chunks[y * 2 + x] ?? null;
  return {
    id: 'an array',
    shape: [1, 64, 300, 300],
    chunkShape: [1, 64, SIDE, SIDE],
    dataType: 'int8',
    fillValue: -128,
    dimensionNames: null,
    attributes: {},
    compression: 'zstd',
    chunk: async (index) => find(index),
    encoded: async (index) => {
      const values = find(index);
      return values && change(zstdCompressSync(values));
    },
    has: async (index) => find(index) !== null,
  };
}

describe('blocks of a mosaic', () => {
  it('are the same from a decoder, whose memory had other blocks before, as without one', async () => {
    const array = arrayOf();
    const plain = mosaicBlocks(array, 0);
    for (const decoder of decoders) {
      const blocks = mosaicBlocks(array, 0, decoder);
      for (const [bx, by] of [1, 2, 0, 3, 2, 1].map((number) => [number % 2, number >> 1])) {
        const [wanted, got] = [await plain.block(bx, by, signal), await blocks.block(bx, by, signal)];
        assert.equal(got === null, wanted === null);
        if (wanted === null || got === null) continue;
        assert.ok(Buffer.compare(Buffer.from(got), Buffer.from(wanted)) === 0, `block ${bx}, ${by}`);
        blocks.release?.(got);
      }
    }
  });

  it('that do not decode to a chunk are refused as damaged', async () => {
    const changes = [
      (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 9),
      () => zstdCompressSync(new Uint8Array(BYTES - 1)),
      () => zstdCompressSync(new Uint8Array(BYTES + 1)),
      () => Uint8Array.of(1, 2, 3),
    ];
    for (const decoder of decoders)
      for (const change of changes) {
        const blocks = mosaicBlocks(arrayOf(change), 0, decoder);
        await assert.rejects(
          blocks.block(1, 0, signal),
          (error) =>
            error instanceof ZarrError && error.kind === 'damaged' && error.place.startsWith('an array, chunk'),
        );
      }
  });
});
