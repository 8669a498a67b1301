import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readEvents } from './read-events.ts';
import { readLines } from './read-lines.ts';

/** A text as an answer that arrives in pieces of some bytes. */
function answer(text: string, piece: number): Response {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
  return new Response(body);
}

async function linesOf(text: string, piece: number): Promise<string[]> {
  return await Array.fromAsync(readLines(answer(text, piece)), (bytes) => new TextDecoder().decode(bytes));
}

describe('lines of an answer', () => {
  it('are the same however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' '))),
        fc.integer({ min: 1, max: 20 }),
        async (lines, piece) => {
          assert.deepEqual(await linesOf(lines.map((line) => `${line}\n`).join(''), piece), lines);
        },
      ),
    );
  });

  it('may end with a carriage return, and the last one not at all', async () => {
    assert.deepEqual(await linesOf('a\r\n\r\nb', 2), ['a', '', 'b']);
    assert.deepEqual(await linesOf('', 1), []);
  });
});

describe('events of an answer', () => {
  it('have a name and data, which may be of several lines', async () => {
    const text = ': still here\n\nevent: progress\ndata: {"a":1}\n\nid: 4\ndata: x\ndata: y\n\nevent: lost\n\n';
    const events = await Array.fromAsync(readEvents(answer(text, 3)));
    assert.deepEqual(events, [
      { event: 'progress', data: '{"a":1}', id: '' },
      { event: 'message', data: 'x\ny', id: '4' },
    ]);
  });
});
