import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textLines } from './text-lines.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the lines of a text', () => {
  it('end at line feeds alone, wherever the bytes are cut', async () => {
    const text = '{"name":"a\u2028b\u2029c"},\n\r\n{"name":"กข"}\r\nlast';
    for (const size of [1, 2, 3, 7, 1_000])
      assert.deepEqual(
        await Array.fromAsync(textLines(inPieces(Buffer.from(text), size))),
        ['{"name":"a\u2028b\u2029c"},', '', '{"name":"กข"}', 'last'],
        `in pieces of ${size}`,
      );
  });

  it('end with the text, with or without a line feed, and an empty text has none', async () => {
    const linesOf = (text: string) => Array.fromAsync(textLines(inPieces(Buffer.from(text), 4)));
    assert.deepEqual(await linesOf('a\nb\n'), ['a', 'b']);
    assert.deepEqual(await linesOf('a\n\n'), ['a', '']);
    assert.deepEqual(await linesOf(''), []);
  });
});
