/** Bytes of one stored chunk: large enough for few round trips, small enough that no statement takes long. */
const CHUNK_BYTES = 256 * 1024;

/** The same bytes in pieces of exactly `size`, the last one shorter; no piece is empty. Pieces are the caller's to keep. */
export async function* inChunks(source: AsyncIterable<Uint8Array>, size = CHUNK_BYTES): AsyncIterable<Uint8Array> {
  let piece = new Uint8Array(size);
  let used = 0;
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length;) {
      const taken = Math.min(size - used, bytes.length - from);
      piece.set(bytes.subarray(from, from + taken), used);
      used += taken;
      from += taken;
      if (used < size) continue;
      yield piece;
      piece = new Uint8Array(size);
      used = 0;
    }
  }
  if (used > 0) yield piece.slice(0, used);
}
