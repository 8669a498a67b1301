import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { inTime, withDeadline } from './in-time.ts';

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

describe('work with a deadline', () => {
  it('aborts the signal of the work when the time is over, and leaves no timer after it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = withDeadline(new AbortController().signal, 10, (signal) => whenAborted(signal));
    t.mock.timers.tick(10);
    await assert.rejects(late, { name: 'TimeoutError' });
    const signals: AbortSignal[] = [];
    assert.equal(await withDeadline(new AbortController().signal, 10, async (signal) => signals.push(signal)), 1);
    t.mock.timers.tick(10);
    assert.equal(signals[0].aborted, false);
  });

  it('aborts with the signal it was given, which is not the deadline', async () => {
    const stop = new AbortController();
    const work = withDeadline(stop.signal, 10_000, async (signal, deadline) => {
      await whenAborted(signal).catch(() => {});
      return deadline.aborted;
    });
    stop.abort();
    assert.equal(await work, false);
  });
});

function whenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error));
  return promise;
}
