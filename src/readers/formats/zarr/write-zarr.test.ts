import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import FileSystemStore from '@zarrita/storage/fs';
import * as fc from 'fast-check';
import * as zarrita from 'zarrita';

import { openZarrArray, readZarrGroup } from './open-zarr.ts';
import { type ZarrDataType, ZarrError, type ZarrValues } from './zarr-array.ts';
import { folderStore } from './zarr-store.ts';
import { openZarrWriter, writeZarrArray, writeZarrGroup, type NewZarrArray, type ZarrChunk } from './write-zarr.ts';

const signal = AbortSignal.any([]);

const LABELS: NewZarrArray = {
  shape: [20, 27],
  chunkShape: [4, 4],
  shardShape: [8, 8],
  dataType: 'uint32',
  fillValue: 0,
  dimensionNames: ['y', 'x'],
  attributes: { 'proj:code': 'EPSG:32616' },
  zstdLevel: 9,
};

let folder = '';
let next = 0;
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'zarr-'))));
after(() => rm(folder, { recursive: true }));

/** A new array in a folder of its own, below a group. */
async function newArray(changes: Partial<NewZarrArray> = {}): Promise<string> {
  const root = join(folder, String(next++));
  await writeZarrGroup(root, { made: 'here' });
  await writeZarrArray(join(root, 'labels'), { ...LABELS, ...changes });
  return root;
}

async function writerOf(root: string) {
  const writer = await openZarrWriter(join(root, 'labels'), signal);
  assert.ok(writer);
  return writer;
}

/** The chunks of a shard with values that tell where they are. */
function chunksOf(shard: readonly number[], count = 4): ZarrChunk[] {
  return Array.from({ length: count }, (_, i) => {
    const index = [2 * shard[0] + (i >> 1), 2 * shard[1] + (i & 1)];
    return { index, values: Uint32Array.from({ length: 16 }, (_, at) => 4e9 + 1000 * index[0] + 100 * index[1] + at) };
  });
}

async function readOurs(root: string, index: readonly number[]): Promise<ZarrValues | null> {
  const array = await openZarrArray(folderStore(root), 'labels', signal);
  assert.ok(array);
  return array.chunk(index, signal);
}

/** The chunk as zarrita reads it, which gives fill values for one that is not stored. */
async function readTheirs(root: string, index: number[]): Promise<unknown> {
  const store = zarrita.root(new FileSystemStore(root));
  const array = await zarrita.open.v3(store.resolve('labels'), { kind: 'array' });
  return (await array.getChunk(index)).data;
}

const filesIn = async (path: string): Promise<string[]> => (await readdir(path, { recursive: true })).toSorted();

describe('a shard', () => {
  it('is read back by us and by zarrita, at the edge of the array too', async () => {
    const root = await newArray();
    const writer = await writerOf(root);
    for (const shard of [
      [0, 0],
      [1, 2],
      [2, 3],
    ]) {
      assert.equal(await writer.writeShard(shard, chunksOf(shard), { signal }), 4);
      for (const { index, values } of chunksOf(shard)) {
        if (index[0] >= 5 || index[1] >= 7) continue;
        assert.deepEqual(await readOurs(root, index), values);
        assert.deepEqual(await readTheirs(root, [...index]), values);
      }
    }
    assert.equal(await readOurs(root, [0, 3]), null);
    assert.deepEqual(await readTheirs(root, [0, 3]), new Uint32Array(16));
    assert.deepEqual(await readZarrGroup(folderStore(root), '', signal), { made: 'here' });
  });

  it('does not store chunks that are all fill value, and has no file when none is left', async () => {
    const root = await newArray();
    const writer = await writerOf(root);
    const path = join(root, 'labels/c/0/0');
    const [first, ...others] = chunksOf([0, 0]);
    const emptied = others.map(({ index }) => ({ index, values: new Uint32Array(16) }));
    assert.equal(await writer.writeShard([0, 0], [first, ...emptied], { signal }), 1);
    assert.equal(await readOurs(root, [0, 1]), null);
    assert.deepEqual(await readOurs(root, [0, 0]), first.values);
    const nothing = { index: [0, 0], values: new Uint32Array(16) };
    assert.equal(await writer.writeShard([0, 0], [nothing], { keep: true, signal }), 0);
    await assert.rejects(stat(path), /ENOENT/);
    assert.equal(await writer.writeShard([0, 0], [], { signal }), 0);
    await assert.rejects(stat(path), /ENOENT/);
  });

  it('keeps what it held and is not given again, byte by byte', async () => {
    const root = await newArray();
    const writer = await writerOf(root);
    const chunks = chunksOf([1, 1]);
    await writer.writeShard([1, 1], chunks.slice(0, 3), { signal });
    const values = new Uint32Array(16).fill(7);
    const emptied = { index: chunks[1].index, values: new Uint32Array(16) };
    assert.equal(await writer.writeShard([1, 1], [{ index: [3, 3], values }, emptied], { keep: true, signal }), 3);
    assert.deepEqual(await readOurs(root, [2, 2]), chunks[0].values);
    assert.equal(await readOurs(root, [2, 3]), null);
    assert.deepEqual(await readTheirs(root, [3, 2]), chunks[2].values);
    assert.deepEqual(await readTheirs(root, [3, 3]), values);
  });

  it('is replaced whole unless it is to be kept', async () => {
    const root = await newArray();
    const writer = await writerOf(root);
    await writer.writeShard([0, 0], chunksOf([0, 0]), { signal });
    assert.equal(await writer.writeShard([0, 0], chunksOf([0, 0], 1), { signal }), 1);
    assert.equal(await readOurs(root, [1, 1]), null);
  });

  it('that fails half-way leaves the old one as it was and nothing next to it', async () => {
    const root = await newArray();
    const writer = await writerOf(root);
    await writer.writeShard([0, 0], chunksOf([0, 0], 2), { signal });
    const before = await readFile(join(root, 'labels/c/0/0'));
    async function* broken(): AsyncGenerator<ZarrChunk> {
      yield chunksOf([0, 0])[2];
      throw new Error('the source failed');
    }
    await assert.rejects(writer.writeShard([0, 0], broken(), { signal }), /the source failed/);
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(writer.writeShard([0, 0], chunksOf([0, 0]), { signal: stopped }), /stopped/);
    assert.deepEqual(await readFile(join(root, 'labels/c/0/0')), before);
    assert.deepEqual(await filesIn(join(root, 'labels')), ['c', 'c/0', 'c/0/0', 'zarr.json']);
  });

  it('refuses chunks of another shard, chunks given twice and values of another type or number', async () => {
    const writer = await writerOf(await newArray());
    const [first, second] = chunksOf([0, 0]);
    const refused: readonly (readonly [ZarrChunk[], RegExp])[] = [
      [chunksOf([0, 1]), /wanted a chunk of shard 0, 0, got 0, 2/],
      [[{ ...first, index: [0] }], /wanted a chunk of shard/],
      [[{ ...first, index: [0.5, 0] }], /wanted a chunk of shard/],
      [[first, { ...second, index: first.index }], /wanted every chunk once/],
      [[{ ...first, values: new Int32Array(16) }], /wanted 16 values of uint32, got 16 in Int32Array/],
      [[{ ...first, values: new Uint32Array(15) }], /wanted 16 values of uint32, got 15/],
    ];
    for (const [chunks, message] of refused)
      await assert.rejects(writer.writeShard([0, 0], chunks, { signal }), { name: 'RangeError', message });
  });

  it('holds any values of any type', async () => {
    const types: readonly (readonly [ZarrDataType, fc.Arbitrary<ZarrValues>])[] = [
      ['int8', fc.int8Array({ minLength: 16, maxLength: 16 })],
      ['uint8', fc.uint8Array({ minLength: 16, maxLength: 16 })],
      ['int16', fc.int16Array({ minLength: 16, maxLength: 16 })],
      ['uint16', fc.uint16Array({ minLength: 16, maxLength: 16 })],
      ['int32', fc.int32Array({ minLength: 16, maxLength: 16 })],
      ['uint32', fc.uint32Array({ minLength: 16, maxLength: 16 })],
      ['float32', fc.float32Array({ minLength: 16, maxLength: 16 })],
      ['float64', fc.float64Array({ minLength: 16, maxLength: 16 })],
    ];
    for (const [dataType, values] of types) {
      const root = await newArray({ dataType, fillValue: dataType.startsWith('float') ? Number.NaN : 3 });
      const writer = await writerOf(root);
      await fc.assert(
        fc.asyncProperty(values, async (chunk) => {
          await writer.writeShard([0, 0], [{ index: [1, 0], values: chunk }], { signal });
          assert.deepEqual(await readOurs(root, [1, 0]), chunk);
          assert.deepEqual(await readTheirs(root, [1, 0]), chunk);
        }),
        { numRuns: 8 },
      );
    }
  });
});

describe('an array', () => {
  it('without shards has a file for each chunk, which zarrita reads', async () => {
    const root = await newArray({ shardShape: null });
    const writer = await writerOf(root);
    const [{ values }] = chunksOf([0, 0]);
    assert.equal(await writer.writeShard([1, 2], [{ index: [1, 2], values }], { signal }), 1);
    assert.deepEqual(await readOurs(root, [1, 2]), values);
    assert.deepEqual(await readTheirs(root, [1, 2]), values);
  });

  it('that zarrita has written is read', async () => {
    const root = join(folder, String(next++));
    const codecs = [
      { name: 'transpose', configuration: { order: [1, 0] } },
      { name: 'bytes', configuration: { endian: 'big' } },
      { name: 'zstd', configuration: { level: 5 } },
    ];
    const array = await zarrita.create(zarrita.root(new FileSystemStore(root)).resolve('labels'), {
      shape: [6, 8],
      chunkShape: [4, 3],
      dtype: 'int32',
      fillValue: -5,
      codecs,
      attributes: { by: 'zarrita' },
    });
    const data = Int32Array.from({ length: 48 }, (_, i) => i * 40_503 - 1_000_000);
    await zarrita.set(array, null, { data, shape: [6, 8], stride: [8, 1] });
    const ours = await openZarrArray(folderStore(root), 'labels', signal);
    assert.deepEqual(ours?.attributes, { by: 'zarrita' });
    assert.equal(ours?.fillValue, -5);
    const chunk = await ours?.chunk([0, 1], signal);
    const expected = Array.from({ length: 12 }, (_, i) => data[8 * Math.floor(i / 3) + 3 + (i % 3)]);
    assert.deepEqual([...(chunk ?? [])], expected);
  });

  it('whose sizes do not fit together is not made', async () => {
    for (const changes of [{ shardShape: [9, 8] }, { chunkShape: [4] }, { fillValue: -1 }, { shape: [-1, 5] }])
      await assert.rejects(newArray(changes), ZarrError);
  });

  it('that is not there, or that is laid out in another way, is not opened for writing', async () => {
    assert.equal(await openZarrWriter(join(folder, 'nothing'), signal), null);
  });
});
