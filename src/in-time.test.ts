import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { inTime } from './in-time.ts';

describe('work in time', () => {
  it('gives what the work gives or rejects with, and leaves no timer', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = mock.fn(() => new Error('late'));
    assert.equal(await inTime(Promise.resolve(7), 10, late), 7);
    await assert.rejects(inTime(Promise.reject(new Error('broken')), 10, late), /broken/);
    t.mock.timers.tick(10);
    assert.equal(late.mock.callCount(), 0);
  });

  it('rejects with what the caller makes when the time is over, while the work goes on', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { promise, reject } = Promise.withResolvers<never>();
    const answer = inTime(promise, 10, () => new Error('late'));
    t.mock.timers.tick(10);
    await assert.rejects(answer, /late/);
    // Nobody hears this one: it must not end the process.
    reject(new Error('broken after all'));
    await promise.catch(() => {});
  });
});
