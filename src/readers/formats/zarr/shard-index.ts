import { crc32c } from '../../../geo/crc32c.ts';
import { ZarrError } from './zarr-array.ts';

/** Where the chunks of a shard lie in its file. */
export interface ShardIndex {
  /** Byte at which each chunk begins, in C order of the chunks; -1: the chunk is not stored. */
  readonly offsets: Float64Array;
  /** Bytes of each chunk. */
  readonly lengths: Float64Array;
}

/** Bytes of the index of a shard of `chunks` chunks. */
export function shardIndexBytes(chunks: number, hasChecksum: boolean): number {
  return chunks * ENTRY_BYTES + (hasChecksum ? CHECKSUM_BYTES : 0);
}

/**
 * Reads the index of a shard: for each chunk its offset and its length as 64-bit numbers, both 2^64 - 1 for one that is
 * not stored (Zarr v3 `sharding_indexed` codec, "Binary shard format"), then a CRC-32C.
 * @throws ZarrError `damaged` when the checksum fails or a number cannot be a place in a file.
 */
export function parseShardIndex(place: string, bytes: Uint8Array, chunks: number, hasChecksum: boolean): ShardIndex {
  const end = chunks * ENTRY_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (hasChecksum && view.getUint32(end, true) !== crc32c(bytes.subarray(0, end)))
    throw new ZarrError('damaged', place, 'the checksum of the shard index does not match its bytes');
  const offsets = new Float64Array(chunks);
  const lengths = new Float64Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const offset = readNumber(view, chunk * ENTRY_BYTES);
    const length = readNumber(view, chunk * ENTRY_BYTES + 8);
    const isMissing = offset === MISSING;
    if (isMissing !== (length === MISSING) || (!isMissing && !Number.isSafeInteger(offset + length)))
      throw new ZarrError('damaged', place, `chunk ${chunk} of the shard index lies at ${offset}, ${length} bytes`);
    offsets[chunk] = isMissing ? -1 : offset;
    lengths[chunk] = isMissing ? 0 : length;
  }
  return { offsets, lengths };
}

/** The bytes of an index with its checksum. */
export function encodeShardIndex({ offsets, lengths }: ShardIndex): Uint8Array {
  const end = offsets.length * ENTRY_BYTES;
  const bytes = new Uint8Array(end + CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer);
  for (let chunk = 0; chunk < offsets.length; chunk++) {
    const isMissing = offsets[chunk] < 0;
    view.setBigUint64(chunk * ENTRY_BYTES, isMissing ? MISSING_BITS : BigInt(offsets[chunk]), true);
    view.setBigUint64(chunk * ENTRY_BYTES + 8, isMissing ? MISSING_BITS : BigInt(lengths[chunk]), true);
  }
  view.setUint32(end, crc32c(bytes.subarray(0, end)), true);
  return bytes;
}

const ENTRY_BYTES = 16;
const CHECKSUM_BYTES = 4;
const MISSING_BITS = 2n ** 64n - 1n;
/** What 2^64 - 1 becomes as a double. Numbers next to it become the same, and are no places in a file either. */
const MISSING = 2 ** 64;

function readNumber(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}
