import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { memorySource } from '../../../../test/memory/memory-source.ts';
import { openZarrArray } from './open-zarr.ts';
import { encodeShardIndex } from './shard-index.ts';
import { type ZarrArray, ZarrError } from './zarr-array.ts';

const signal = AbortSignal.any([]);
/** Values of a chunk of 8 x 8. */
const CHUNK = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
const STORED = zstdCompressSync(CHUNK);

/** An array of one shard of 2 x 2 chunks, whose file is given. */
async function openShard(file: Uint8Array, codecs: readonly object[] = [{ name: 'zstd' }]): Promise<ZarrArray> {
  const sharding = {
    chunk_shape: [8, 8],
    codecs: [{ name: 'bytes' }, ...codecs],
    index_codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, { name: 'crc32c' }],
  };
  const document = {
    zarr_format: 3,
    node_type: 'array',
    shape: [16, 16],
    data_type: 'uint8',
    chunk_grid: { name: 'regular', configuration: { chunk_shape: [16, 16] } },
    chunk_key_encoding: { name: 'default' },
    fill_value: 0,
    codecs: [{ name: 'sharding_indexed', configuration: sharding }],
  };
  const files = new Map([
    ['zarr.json', Buffer.from(JSON.stringify(document))],
    ['c/0/0', file],
  ]);
  const array = await openZarrArray((key) => memorySource(key, files.get(key) ?? new Uint8Array(0)), '', signal);
  assert.ok(array);
  return array;
}

/** A shard of some bytes and an index that says of chunk 0 what it is told, with a right checksum. */
function shardOf(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  const index = { offsets: Float64Array.of(offset, -1, -1, -1), lengths: Float64Array.of(length, 0, 0, 0) };
  return Buffer.concat([bytes, encodeShardIndex(index)]);
}

async function refusalOf(file: Uint8Array, codecs?: readonly object[]): Promise<string> {
  const array = await openShard(file, codecs);
  const error = await array.chunk([0, 0], signal).then(
    () => assert.fail('it was read'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof ZarrError, String(error));
  assert.equal(error.kind, 'damaged');
  return error.message;
}

describe('a shard', () => {
  it('that is whole is read', async () => {
    const array = await openShard(shardOf(STORED, 0, STORED.length));
    assert.deepEqual(await array.chunk([0, 0], signal), CHUNK);
    assert.equal(await array.chunk([0, 1], signal), null);
  });

  it('is refused when a chunk lies past its end, begins nowhere or is larger than a chunk can be', async () => {
    const past = /wanted at most \d+ of \d+ bytes, got/;
    assert.match(await refusalOf(shardOf(STORED, 5_000, STORED.length)), past);
    assert.match(await refusalOf(shardOf(STORED, 0, 5_000_000)), past);
    assert.match(await refusalOf(shardOf(STORED, 2 ** 51, 2 ** 51)), past);
    assert.match(await refusalOf(shardOf(new Uint8Array(200_000), 0, 200_000)), past);
    assert.match(await refusalOf(shardOf(STORED, 2 ** 60, 8)), /chunk 0 of the shard index lies at/);
  });

  it('is refused when it is shorter than its index, or when the index fails its checksum', async () => {
    assert.match(await refusalOf(new Uint8Array(10)), /at least 68 bytes, got 10/);
    assert.match(await refusalOf(new Uint8Array(0)), /at least 68 bytes, got 0/);
    assert.match(await refusalOf(shardOf(STORED, 0, STORED.length).subarray(0, -1)), /checksum of the shard index/);
  });

  it('is refused when a chunk decodes to more or to less than a chunk', async () => {
    for (const [name, compress] of [
      ['zstd', zstdCompressSync],
      ['gzip', gzipSync],
    ] as const) {
      const bomb = compress(new Uint8Array(64 * 1024 * 1024));
      assert.match(await refusalOf(shardOf(bomb, 0, bomb.length), [{ name }]), /wanted at most 64 bytes, got more/);
      const short = compress(CHUNK.subarray(1));
      assert.match(await refusalOf(shardOf(short, 0, short.length), [{ name }]), /chunk of 64 bytes, got 63/);
      const half = compress(CHUNK).subarray(0, -6);
      assert.ok((await refusalOf(shardOf(half, 0, half.length), [{ name }])).length > 0);
    }
    assert.match(await refusalOf(shardOf(CHUNK, 0, 63), []), /chunk of 64 bytes, got 63/);
    assert.match(await refusalOf(shardOf(CHUNK, 0, 3), [{ name: 'crc32c' }]), /at least 4 bytes, got 3/);
  });

  it('is refused when a bomb hides under a second codec', async () => {
    const bomb = zstdCompressSync(zstdCompressSync(new Uint8Array(256 * 1024 * 1024)));
    assert.match(await refusalOf(shardOf(bomb, 0, bomb.length), [{ name: 'zstd' }, { name: 'zstd' }]), /got more/);
  });
});
