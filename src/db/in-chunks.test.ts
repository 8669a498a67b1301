import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { inChunks } from './in-chunks.ts';

describe('inChunks', () => {
  it('keeps every byte in order and makes every piece but the last of the wanted size', async () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 50 }), async (source, size) => {
        const pieces = await Array.fromAsync(inChunks(each(source), size));
        assert.deepEqual(Buffer.concat(pieces), Buffer.concat(source));
        assert.ok(pieces.slice(0, -1).every((piece) => piece.length === size));
        assert.ok(pieces.every((piece) => piece.length > 0 && piece.length <= size));
      }),
    );
  });

  it('never changes a piece after it was handed out', async () => {
    const pieces: Uint8Array[] = [];
    const copies: Uint8Array[] = [];
    for await (const piece of inChunks(each([Buffer.from('abcdef'), Buffer.from('ghij')]), 3)) {
      pieces.push(piece);
      copies.push(piece.slice());
    }
    assert.deepEqual(pieces, copies);
  });
});

async function* each(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts;
}
