import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { writePieces } from './write-output.ts';

const NEVER = new AbortController().signal;

describe('the file of --output', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-output-'));
  });
  after(() => rm(folder, { recursive: true }));

  const write = <R>(pieces: AsyncGenerator<Uint8Array, R>, signal = NEVER): Promise<R> =>
    writePieces(pieces, join(folder, 'out'), { out: process.stdout, signal });

  it('holds all pieces in order, whose memory is given back where they have their own', async () => {
    const own = Array.from({ length: 20 }, (_, i) => new Uint8Array(300_000).fill(i));
    const shared = new Uint8Array(64).fill(7);
    async function* pieces(): AsyncGenerator<Uint8Array, string> {
      for (const piece of own) {
        yield piece;
        yield shared.subarray(8, 16);
      }
      return 'the end';
    }
    assert.equal(await write(pieces()), 'the end');
    const wanted = own.map((_, i) => Buffer.concat([Buffer.alloc(300_000, i), Buffer.alloc(8, 7)]));
    assert.ok(Buffer.concat(wanted).equals(await readFile(join(folder, 'out'))));
    assert.deepEqual([new Set(own.map(({ length }) => length)), shared.length], [new Set([0]), 64]);
  });

  it('is not there when the pieces fail or are called off', async () => {
    await rm(join(folder, 'out'), { force: true });
    const closing = new AbortController();
    async function* pieces(end: () => void): AsyncGenerator<Uint8Array, void> {
      yield new Uint8Array(10);
      end();
      yield new Uint8Array(10);
    }
    const fail = (): never => {
      throw new Error('no more of them');
    };
    await assert.rejects(write(pieces(fail)), /no more of them/);
    const stop = (): void => closing.abort(new Error('called off'));
    await assert.rejects(write(pieces(stop), closing.signal), /called off/);
    assert.deepEqual(await readdir(folder), []);
  });
});
