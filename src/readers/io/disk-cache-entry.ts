import { createHash } from 'node:crypto';

const MAGIC = Buffer.from('FMB1');
const DIGEST_BYTES = 32;

/** Bytes an entry takes beside its block. */
export const ENTRY_OVERHEAD_BYTES = MAGIC.length + DIGEST_BYTES;

/** A block as it is stored: a mark, the SHA-256 of key and block, the block. */
export function encodeEntry(key: string, block: Uint8Array): Uint8Array {
  return Buffer.concat([MAGIC, digest(key, block), block]);
}

/** The block of a stored entry, or null when it is damaged or belongs to another key. `length` is the block's, in bytes; null takes any. */
export function decodeEntry(key: string, entry: Uint8Array, length: number | null): Uint8Array | null {
  if (entry.length < ENTRY_OVERHEAD_BYTES || MAGIC.compare(entry, 0, MAGIC.length) !== 0) return null;
  if (length !== null && entry.length !== ENTRY_OVERHEAD_BYTES + length) return null;
  const block = entry.subarray(ENTRY_OVERHEAD_BYTES);
  return digest(key, block).compare(entry, MAGIC.length, ENTRY_OVERHEAD_BYTES) === 0 ? block : null;
}

/** The name of an entry's file: 40 hexadecimal digits. */
export function entryName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 40);
}

function digest(key: string, block: Uint8Array): Buffer {
  return createHash('sha256').update(`${key}\n`).update(block).digest();
}
