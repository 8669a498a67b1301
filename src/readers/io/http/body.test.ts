import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { Dispatcher } from 'undici';
import { readBody } from './body.ts';

/** A body that is sent piece by piece. */
function openBody() {
  const body = new PassThrough();
  const answer = { body: body as unknown as Dispatcher.ResponseData['body'], statusCode: 206 };
  const send = (bytes: readonly number[]): Promise<void> =>
    new Promise((done) => body.write(Uint8Array.from(bytes), () => setImmediate(done)));
  return { body, answer, send };
}

describe('a body', () => {
  it('fills the memory that is given when that has the wanted length', async () => {
    for (const length of [4, 5]) {
      const { body, answer, send } = openBody();
      const into = new Uint8Array(length);
      const read = readBody('here', answer, 4, { into });
      await send([1, 2]);
      await send([3, 4]);
      body.end();
      assert.deepEqual([...(await read)], [1, 2, 3, 4]);
      assert.equal((await read) === into, length === 4);
    }
  });

  it('writes nothing from the abort on, and is rejected with the reason', async () => {
    const { body, answer, send } = openBody();
    const into = new Uint8Array(4);
    const abort = new AbortController();
    const read = readBody('here', answer, 4, { into, signal: abort.signal });
    await send([1, 2]);
    abort.abort(new Error('nobody waits'));
    await send([3, 4]);
    body.destroy();
    await assert.rejects(read, /nobody waits/);
    assert.deepEqual([...into], [1, 2, 0, 0]);
  });

  it('fails when it ends early, when more comes, and when the connection breaks', async () => {
    const cases = [
      [[1, 2, 3], null, { kind: 'short' }],
      [[1, 2, 3, 4, 5], null, { kind: 'too_large' }],
      [[1, 2], new Error('reset'), /reset/],
    ] as const;
    for (const [bytes, error, wanted] of cases) {
      const { body, answer, send } = openBody();
      const read = readBody('here', answer, 4);
      const rejected = assert.rejects(read, wanted);
      await send(bytes);
      if (error === null) body.end();
      else body.destroy(error);
      await rejected;
    }
  });

  it('of any length is what came, up to a limit', async () => {
    const { body, answer, send } = openBody();
    const read = readBody('here', answer, null, { limit: 3 });
    await send([1]);
    await send([2, 3]);
    body.end();
    assert.deepEqual([...(await read)], [1, 2, 3]);
  });
});
