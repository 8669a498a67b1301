import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedLimiter, type SharedRateCounts } from './shared-limiter.ts';

const MINUTE = { name: 'minute', quota: 3, seconds: 60 };

describe('sharedLimiter', () => {
  it('counts for itself while the shared counts fail, and asks for them again after 5 seconds', async () => {
    let asked = 0;
    let isDown = true;
    const failures: unknown[] = [];
    const down = new Error('connection refused');
    const shared: SharedRateCounts = {
      take() {
        asked++;
        return isDown ? Promise.reject(down) : Promise.resolve({ allowed: true, counts: [{ used: 1, leftS: 60 }] });
      },
    };
    const limiter = sharedLimiter([MINUTE], shared, (error) => failures.push(error));
    const allowed: boolean[] = [];
    for (const now of [0, 1, 2, 3]) allowed.push((await limiter.take('a', now)).allowed);
    assert.deepEqual(allowed, [true, true, true, false], 'neither refused nor without limit');
    assert.equal(asked, 1);
    assert.deepEqual(failures, [down]);
    isDown = false;
    assert.deepEqual(await limiter.take('a', 5_000), { allowed: true, window: MINUTE, remaining: 2, resetS: 60 });
    assert.equal(asked, 2);
  });

  it('refuses a full window from memory until it ends', async () => {
    let asked = 0;
    const shared: SharedRateCounts = {
      take: () => Promise.resolve({ allowed: ++asked > 1, counts: [{ used: 3, leftS: 10 }] }),
    };
    const limiter = sharedLimiter([MINUTE], shared, () => assert.fail());
    assert.deepEqual(await limiter.take('a', 0), { allowed: false, window: MINUTE, remaining: 0, resetS: 10 });
    assert.equal((await limiter.take('a', 9_500)).resetS, 1);
    assert.equal(asked, 1);
    assert.equal((await limiter.take('a', 10_000)).allowed, true);
  });
});
