import { Problem } from '../../../errors.ts';
import type { GeojsonDocument } from './document.ts';
import { refuseOtherFormats, SNIFFED_BYTES } from './sniff.ts';
import { GeojsonUtf8 } from './utf8.ts';

/** Larger chunks are cut, so that neither memory nor the time between two turns of the event loop grows with them. */
const MAX_CHUNK_BYTES = 262_144;

/**
 * Feeds chunks to the document and yields after each, so that what the document has found can be taken away. Throws
 * `Problem('malformed_file')` for another format, another encoding and bytes that are not UTF-8.
 */
export async function* feedGeojson(
  chunks: AsyncIterable<Uint8Array>,
  document: GeojsonDocument,
): AsyncGenerator<void, void> {
  const utf8 = new GeojsonUtf8();
  for await (const chunk of withWholeHead(chunks)) {
    for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES) {
      const part = chunk.subarray(start, start + MAX_CHUNK_BYTES);
      refuseInvalid(utf8.push(part));
      document.push(part);
      yield;
    }
  }
  refuseInvalid(utf8.finish());
  document.finish();
  yield;
}

/** Joins the first chunks until there is enough to tell the format by, and tells it. */
async function* withWholeHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let head: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < SNIFFED_BYTES) continue;
    refuseOtherFormats(head);
    yield head;
    head = null;
  }
  if (head === null) return;
  refuseOtherFormats(head);
  yield head;
}

function refuseInvalid(offset: number | null): void {
  if (offset === null) return;
  const detail = `wanted text in UTF-8, got a byte that is not UTF-8 (byte ${offset}); save the file as UTF-8`;
  throw new Problem('malformed_file', detail, { errors: [{ pointer: '', code: 'invalid_utf8', detail }] });
}
