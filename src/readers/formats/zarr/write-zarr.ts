import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, gzip, zstdCompress, type ZlibOptions, type ZstdOptions } from 'node:zlib';
import { promisify } from 'node:util';
import { type BytesCodec, chunkKey, countOf, type ZarrArrayMetadata } from './zarr-metadata.ts';
import { readZarrMetadata } from './open-zarr.ts';
import { fillValueAsJson, parseArrayMetadata } from './parse-metadata.ts';
import { openShards, type ShardReader } from './read-shards.ts';
import { encodeShardIndex } from './shard-index.ts';
import { DATA_TYPES, HOST_ENDIAN, swapBytes, type ZarrDataType, ZarrError, type ZarrValues } from './zarr-array.ts';
import type { Json } from './parse-codecs.ts';
import { folderStore } from './zarr-store.ts';
import { crc32c } from '../../../geo/crc32c.ts';

const zip: (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array> = promisify(gzip);
const zstd: (bytes: Uint8Array, options: ZstdOptions) => Promise<Uint8Array> = promisify(zstdCompress);

/** An array to be made. */
export interface NewZarrArray {
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  /** Size of a shard, a whole number of chunks in every dimension; null: every chunk becomes a file. */
  readonly shardShape: readonly number[] | null;
  readonly dataType: ZarrDataType;
  readonly fillValue: number;
  readonly dimensionNames: readonly string[];
  readonly attributes: Json;
  /** 1 to 22; 9 is a good choice for labels. */
  readonly zstdLevel: number;
}

/** A chunk to be written. */
export interface ZarrChunk {
  /** Its place among the chunks of the array, one number a dimension. */
  readonly index: readonly number[];
  /** All of its values in C order, those past the array's edge too. */
  readonly values: ZarrValues;
}

interface WriteShardOptions {
  /** Keep the chunks of a shard that exists and that are not written again; default false: it is replaced whole. */
  readonly keep?: boolean;
  readonly signal: AbortSignal;
}

/** Writes the values of one array. Each shard must have one writer at a time: of two the last wins. */
interface ZarrWriter {
  readonly metadata: ZarrArrayMetadata;
  /**
   * Writes the shard at `shard` (or the chunk, in an array without shards) and gives the number of chunks it then holds.
   * Chunks that are all fill value are not stored, and a shard without any has no file. Readers see the old file or the
   * new one, never a part: it is written next to it, brought to the disk and renamed.
   * @throws RangeError for a chunk of another shard and for one given twice.
   */
  writeShard(
    shard: readonly number[],
    chunks: Iterable<ZarrChunk> | AsyncIterable<ZarrChunk>,
    options: WriteShardOptions,
  ): Promise<number>;
}

/** Makes a group, or replaces its attributes. */
export async function writeZarrGroup(folder: string, attributes: Json): Promise<void> {
  await writeDocument(folder, { zarr_format: 3, node_type: 'group', attributes });
}

/**
 * Makes an array in a folder of its own, or replaces what its `zarr.json` says; chunks that are there stay as they are.
 * Chunks are stored as little-endian bytes, zstd, CRC-32C; the index of a shard at its end, with a CRC-32C.
 * @throws ZarrError when sizes, type and fill value do not fit together.
 */
export async function writeZarrArray(folder: string, array: NewZarrArray): Promise<void> {
  const { shape, chunkShape, shardShape, dataType, fillValue, dimensionNames, attributes, zstdLevel } = array;
  const codecs = [
    { name: 'bytes', configuration: { endian: 'little' } },
    { name: 'zstd', configuration: { level: zstdLevel, checksum: false } },
    { name: 'crc32c' },
  ];
  const sharding = {
    chunk_shape: chunkShape,
    codecs,
    index_codecs: [{ name: 'bytes', configuration: { endian: 'little' } }, { name: 'crc32c' }],
    index_location: 'end',
  };
  const document = {
    zarr_format: 3,
    node_type: 'array',
    shape,
    data_type: dataType,
    chunk_grid: { name: 'regular', configuration: { chunk_shape: shardShape ?? chunkShape } },
    chunk_key_encoding: { name: 'default', configuration: { separator: '/' } },
    fill_value: fillValueAsJson(fillValue),
    codecs: shardShape === null ? codecs : [{ name: 'sharding_indexed', configuration: sharding }],
    dimension_names: dimensionNames,
    attributes,
  };
  parseArrayMetadata(folder, JSON.stringify(document));
  await writeDocument(folder, document);
}

/** Opens an array in its folder for writing; null when there is none. Rejects like `openZarrArray`. */
export async function openZarrWriter(folder: string, signal: AbortSignal): Promise<ZarrWriter | null> {
  const store = folderStore(folder);
  const metadata = await readZarrMetadata(store, '', signal);
  if (metadata === null) return null;
  const { sharding, codecs, chunkShape } = metadata;
  if (codecs.order !== null || (sharding !== null && (sharding.indexAt !== 'end' || !sharding.indexChecksum)))
    throw new ZarrError('unsupported', folder, 'wanted an array without transpose and with a checked index at the end');
  const perShard = (sharding?.shardShape ?? chunkShape).map((size, i) => size / chunkShape[i]);

  function slotOf(index: readonly number[], shard: readonly number[]): number {
    const isInside = index.every((place, i) => Number.isInteger(place) && Math.floor(place / perShard[i]) === shard[i]);
    if (index.length === shard.length && isInside)
      return index.reduce((sum, place, i) => sum * perShard[i] + (place % perShard[i]), 0);
    throw new RangeError(`wanted a chunk of shard ${shard.join(', ')}, got ${index.join(', ')}`);
  }

  return {
    metadata,
    async writeShard(shard, chunks, { keep = false, signal: stop }) {
      const key = chunkKey(metadata.chunkKeys, shard);
      const reader = keep && sharding !== null ? openShards(store, { ...metadata, sharding }) : null;
      return replaceFile(join(folder, ...key.split('/')), async (file) => {
        const shardFile = newShard(countOf(perShard));
        for await (const { index, values } of chunks) {
          stop.throwIfAborted();
          await shardFile.append(file, slotOf(index, shard), await encodeChunk(metadata, values));
        }
        if (reader !== null) await keepOthers(reader, key, shardFile, file, stop);
        if (sharding !== null && shardFile.stored() > 0) await file.write(encodeShardIndex(shardFile));
        return shardFile.stored();
      });
    },
  };
}

interface NewShard {
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  /** Whether a chunk was given for the place, all fill value or not. */
  given(slot: number): boolean;
  /** Writes a chunk at the end of the file; null is one that is not stored. */
  append(file: FileHandle, slot: number, encoded: Uint8Array | null): Promise<void>;
  /** Number of chunks that are stored. */
  stored(): number;
}

function newShard(chunks: number): NewShard {
  const offsets = new Float64Array(chunks).fill(-1);
  const lengths = new Float64Array(chunks);
  const given = new Uint8Array(chunks);
  let end = 0;
  let stored = 0;
  return {
    offsets,
    lengths,
    given: (slot) => given[slot] === 1,
    stored: () => stored,
    async append(file, slot, encoded) {
      if (given[slot] === 1) throw new RangeError(`wanted every chunk once, got chunk ${slot} of the shard twice`);
      given[slot] = 1;
      if (encoded === null) return;
      await file.appendFile(encoded);
      offsets[slot] = end;
      lengths[slot] = encoded.length;
      end += encoded.length;
      stored++;
    },
  };
}

/** Copies what the shard already holds and was not given again, as it is encoded. */
async function keepOthers(
  reader: ShardReader,
  key: string,
  shard: NewShard,
  file: FileHandle,
  signal: AbortSignal,
): Promise<void> {
  for (let slot = 0; slot < shard.offsets.length; slot++) {
    if (!shard.given(slot)) await shard.append(file, slot, await reader.read(key, slot, signal));
  }
}

/** Writes a file next to its place, brings it to the disk and renames it; removes the old one when `write` gives 0. */
async function replaceFile(path: string, write: (file: FileHandle) => Promise<number>): Promise<number> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    let written: number;
    try {
      written = await write(file);
      if (written > 0) await file.sync();
    } finally {
      await file.close();
    }
    if (written > 0) await rename(temporary, path);
    else await rm(path, { force: true });
    await syncFolder(folder);
    return written;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A rename is lasting only when the folder has been brought to the disk. Not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function writeDocument(folder: string, document: object): Promise<void> {
  await replaceFile(join(folder, 'zarr.json'), async (file) => {
    await file.writeFile(`${JSON.stringify(document, null, 2)}\n`);
    return 1;
  });
}

type ChunkLayout = Pick<ZarrArrayMetadata, 'chunkShape' | 'dataType' | 'codecs' | 'fillValue'>;

/**
 * The bytes of a chunk; null when all of its values are the fill value, which is not stored.
 * @throws RangeError when the values are not one whole chunk of the array's type.
 */
async function encodeChunk(layout: ChunkLayout, values: ZarrValues): Promise<Uint8Array | null> {
  const { chunkShape, dataType, codecs } = layout;
  const { bytes: bytesOfValue, view } = DATA_TYPES[dataType];
  const count = countOf(chunkShape);
  if (values.length !== count || values.constructor !== view(new ArrayBuffer(0), 0).constructor)
    throw new RangeError(`wanted ${count} values of ${dataType}, got ${values.length} in ${values.constructor.name}`);
  if (isAll(values, layout.fillValue)) return null;
  let bytes: Uint8Array = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  if (codecs.endian !== HOST_ENDIAN) {
    bytes = bytes.slice();
    swapBytes(bytes, bytesOfValue);
  }
  for (const codec of codecs.bytes) bytes = await encode(codec, bytes);
  return bytes;
}

function isAll(values: ZarrValues, fillValue: number): boolean {
  for (let i = 0; i < values.length; i++) if (!Object.is(values[i], fillValue)) return false;
  return true;
}

async function encode(codec: BytesCodec, bytes: Uint8Array): Promise<Uint8Array> {
  if (codec.name === 'gzip') return zip(bytes, { level: codec.level });
  if (codec.name === 'zstd') {
    const { ZSTD_c_compressionLevel: level, ZSTD_c_checksumFlag: checksum, ZSTD_c_contentSizeFlag: size } = constants;
    // The size in the frame lets a reader make room once, and refuse a chunk that is too large before it decodes it.
    const params = { [level]: codec.level, [checksum]: codec.checksum ? 1 : 0, [size]: 1 };
    return zstd(bytes, { params, pledgedSrcSize: bytes.length });
  }
  const out = new Uint8Array(bytes.length + 4);
  out.set(bytes);
  new DataView(out.buffer).setUint32(bytes.length, crc32c(bytes), true);
  return out;
}
