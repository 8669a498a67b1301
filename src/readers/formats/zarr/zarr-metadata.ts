import type { ZarrDataType } from './zarr-array.ts';

/** A step from bytes to bytes. Levels matter only when writing. */
export type BytesCodec =
  | { readonly name: 'zstd'; readonly level: number; readonly checksum: boolean }
  | { readonly name: 'gzip'; readonly level: number }
  | { readonly name: 'crc32c' };

/** How the values of a chunk become bytes. */
export interface ChunkCodecs {
  /** Dimension i of what is stored is dimension `order[i]` of the chunk; null: stored as it is. */
  readonly order: readonly number[] | null;
  readonly endian: 'little' | 'big';
  /** In the order in which they are applied when writing. */
  readonly bytes: readonly BytesCodec[];
}

/** How chunks are put together into shards. */
export interface Sharding {
  /** Size of a shard; a whole number of chunks in every dimension. */
  readonly shardShape: readonly number[];
  readonly indexAt: 'start' | 'end';
  /** Whether a CRC-32C follows the index. */
  readonly indexChecksum: boolean;
}

/** How the name of a chunk's or shard's file is made: `c/0/1` (default) or `0.1` (v2). */
export interface ChunkKeys {
  readonly encoding: 'default' | 'v2';
  readonly separator: '/' | '.';
}

/** What the `zarr.json` of an array says. */
export interface ZarrArrayMetadata {
  readonly shape: readonly number[];
  /** Size of a chunk; of the inner ones where the array is sharded. */
  readonly chunkShape: readonly number[];
  readonly dataType: ZarrDataType;
  readonly fillValue: number;
  readonly codecs: ChunkCodecs;
  /** Null when every chunk is a file. */
  readonly sharding: Sharding | null;
  readonly chunkKeys: ChunkKeys;
  readonly dimensionNames: readonly (string | null)[] | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Number of values in a chunk of this shape. */
export function countOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** The name of the file of a chunk (or shard), below its array (Zarr v3 core specification, "Chunk key encoding"). */
export function chunkKey({ encoding, separator }: ChunkKeys, index: readonly number[]): string {
  return encoding === 'default' ? ['c', ...index].join(separator) : index.join(separator);
}
