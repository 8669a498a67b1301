import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { array, assert as check, asyncProperty, nat, string } from 'fast-check';
import { readBeginning, type Beginning } from './read-beginning.ts';

const NEVER = new Promise<never>(() => {});

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array, void> {
  for (const text of texts) yield Buffer.from(text);
}

async function wholeOf({ bytes, rest }: Beginning): Promise<string> {
  const chunks = [bytes];
  if (rest !== null) for await (const chunk of rest) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('the beginning of a stream', () => {
  it('is all of it where it ends within the limit', async () => {
    const { bytes, rest } = await readBeginning(pieces('ab', 'cd'), 4, NEVER);
    assert.deepEqual([Buffer.from(bytes).toString(), rest], ['abcd', null]);
  });

  it('and the rest are the stream, whatever its pieces and the limit', async () => {
    await check(
      asyncProperty(array(string({ maxLength: 5 })), nat({ max: 20 }), async (texts, limit) => {
        const begun = await readBeginning(pieces(...texts), limit, NEVER);
        const length = Buffer.byteLength(texts.join(''));
        assert.equal(begun.rest === null, length <= limit);
        assert.equal(await wholeOf(begun), texts.join(''));
      }),
    );
  });

  it('is what came in the time that was given, and no piece is lost', async () => {
    const [more, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow(): AsyncGenerator<Uint8Array, void> {
      yield Buffer.from('first\n');
      late.resolve();
      await more.promise;
      yield Buffer.from('second\n');
    }
    const begun = await readBeginning(slow(), 100, late.promise);
    assert.equal(Buffer.from(begun.bytes).toString(), 'first\n');
    more.resolve();
    assert.equal(await wholeOf(begun), 'first\nsecond\n');
  });

  it('throws what the stream throws', async () => {
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield Buffer.from('a');
      throw new Error('gone');
    }
    await assert.rejects(readBeginning(broken(), 100, NEVER), /gone/);
    const begun = await readBeginning(broken(), 0, NEVER);
    await assert.rejects(wholeOf(begun), /gone/);
  });
});
