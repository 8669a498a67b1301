import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientAddress } from './client-address.ts';
import { rateLimiter, sharedLimiter, type SharedRateCounts } from './rate-limiter.ts';

const MINUTE = { name: 'minute', quota: 3, seconds: 60 };
const HOUR = { name: 'hour', quota: 5, seconds: 3600 };

describe('rateLimiter', () => {
  it('allows the quota of a window and begins again after it', () => {
    const limiter = rateLimiter([MINUTE]);
    const taken = [0, 1, 2, 3].map((ms) => limiter.take('a', ms));
    assert.deepEqual(
      taken.map(({ allowed }) => allowed),
      [true, true, true, false],
    );
    assert.deepEqual(
      taken.map(({ remaining }) => remaining),
      [2, 1, 0, 0],
    );
    assert.equal(limiter.take('a', 59_999).resetS, 1);
    assert.equal(limiter.take('a', 60_000).allowed, true);
  });

  it('keeps clients apart', () => {
    const limiter = rateLimiter([MINUTE]);
    for (let i = 0; i < 4; i++) limiter.take('a', 0);
    assert.equal(limiter.take('b', 0).allowed, true);
  });

  it('holds every window, and does not count what it refused', () => {
    const limiter = rateLimiter([MINUTE, HOUR]);
    const allowed = Array.from(
      { length: 5 },
      (_, minute) => [0, 1, 2, 3].filter(() => limiter.take('a', minute * 60_000).allowed).length,
    );
    assert.deepEqual(allowed, [3, 2, 0, 0, 0]);
    const standing = limiter.take('a', 300_000);
    assert.equal(standing.window, HOUR);
    assert.equal(standing.resetS, 3300);
    assert.equal(limiter.take('a', 3_600_000).allowed, true);
  });

  it('looks without counting', () => {
    const limiter = rateLimiter([MINUTE]);
    for (let i = 0; i < 10; i++) assert.equal(limiter.look('a', 0).remaining, 3);
  });

  it('keeps at most 50,000 clients', () => {
    const limiter = rateLimiter([MINUTE]);
    for (let i = 0; i < 4; i++) limiter.take('first', 0);
    for (let i = 0; i < 50_000; i++) limiter.take(`key ${i}`, 0);
    assert.equal(limiter.look('first', 0).remaining, 3, 'the idle one made room');
    assert.equal(limiter.look('key 49999', 0).remaining, 2);
  });
});

describe('clientAddress', () => {
  it('is an IPv4 address, also inside IPv6, and the /64 of an IPv6 address', () => {
    assert.equal(clientAddress('203.0.113.7'), '203.0.113.7');
    assert.equal(clientAddress('::ffff:203.0.113.7'), '203.0.113.7');
    assert.equal(clientAddress('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(clientAddress('2001:0db8:1:2::9'), '2001:db8:1:2::/64');
    assert.equal(clientAddress('2001:db8::1'), '2001:db8:0:0::/64');
    assert.equal(clientAddress('::1'), '0:0:0:0::/64');
    assert.equal(clientAddress('fe80::1%eth0'), 'fe80:0:0:0::/64');
  });
});

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

  it('looks at what it knows without a query', async () => {
    let asked = 0;
    const shared: SharedRateCounts = {
      take: () => Promise.resolve({ allowed: ++asked < 1, counts: [{ used: 3, leftS: 10 }] }),
    };
    const limiter = sharedLimiter([MINUTE], shared, () => assert.fail());
    assert.equal(limiter.look('a', 0).allowed, true, 'nothing is known');
    await limiter.take('a', 0);
    assert.equal(limiter.look('a', 1).allowed, false, 'another process has used it up');
    assert.equal(limiter.look('a', 10_000).allowed, true);
    assert.equal(asked, 1);
  });
});
