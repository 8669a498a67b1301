import { checkRange } from '../../src/readers/io/byte-error.ts';
import type { ByteSource } from '../../src/readers/io/byte-source.ts';

/** Bytes that are in memory already; `version` as a `ByteSource` gives it. They must not be written into afterwards. */
export function memorySource(id: string, bytes: Uint8Array, version: string | null = null): ByteSource {
  return {
    id,
    stat: async () => ({ size: bytes.length, version }),
    async fetch(offset, length, { signal }) {
      signal.throwIfAborted();
      checkRange(id, offset, length, bytes.length);
      return bytes.subarray(offset, offset + length);
    },
  };
}
