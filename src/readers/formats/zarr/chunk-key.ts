import type { ChunkKeys } from './zarr-metadata.ts';

/** The name of the file of a chunk (or shard), below its array (Zarr v3 core specification, "Chunk key encoding"). */
export function chunkKey({ encoding, separator }: ChunkKeys, index: readonly number[]): string {
  return encoding === 'default' ? ['c', ...index].join(separator) : index.join(separator);
}
