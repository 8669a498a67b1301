import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createTurns } from './turns.ts';

const { signal } = new AbortController();

describe('createTurns', () => {
  it('never lets more work than it may, lets all of it be done, and in the order it came', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 0, max: 12 }),
        async (s, most, count) => {
          const turns = createTurns(most);
          const begun: number[] = [];
          let [working, peak] = [0, 0];
          const all = Array.from({ length: count }, (_, i) =>
            turns.take(async () => {
              begun.push(i);
              peak = Math.max(peak, ++working);
              await s.schedule(Promise.resolve());
              working--;
              return i;
            }, signal),
          );
          await s.waitFor(Promise.all(all));
          assert.deepEqual(
            await Promise.all(all),
            begun.toSorted((a, b) => a - b),
          );
          assert.deepEqual(begun, [...begun.keys()]);
          assert.ok(peak <= most);
        },
      ),
    );
  });

  it('passes the turn on after a failure, and forgets who gave up', async () => {
    const turns = createTurns(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const first = turns.take(async () => {
      await held;
      throw new Error('broken');
    }, signal);
    const leaving = new AbortController();
    const second = turns.take(() => Promise.resolve('never'), leaving.signal);
    const third = turns.take(() => Promise.resolve('done'), signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
    release();
    await assert.rejects(first, /broken/);
    assert.equal(await third, 'done');
    await assert.rejects(
      turns.take(() => Promise.resolve(), leaving.signal),
      /gone/,
    );
    assert.equal(await turns.take(() => Promise.resolve('again'), signal), 'again');
  });
});
