import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { correctedShare, wilsonInterval } from './share.ts';

test('the interval of a share is that of Wilson', () => {
  // Values of R: binom::binom.confint(k, n, methods = "wilson"), to four decimals.
  for (const [k, n, low, high] of [
    [0, 20, 0, 0.1611],
    [10, 20, 0.2993, 0.7007],
    [1, 1, 0.2065, 1],
    [32, 1024, 0.0222, 0.0438],
  ] as const) {
    const [least, most] = wilsonInterval({ n, share: k / n });
    assert.ok(Math.abs(least - low) < 1e-4 && Math.abs(most - high) < 1e-4, `${k} of ${n}: ${least} to ${most}`);
  }
});

test('the interval holds its share, lies within 0 and 1, and narrows with the pixels', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
      const share = Math.round(part * n) / n;
      const [least, most] = wilsonInterval({ n, share });
      assert.ok(least >= 0 && least <= share && share <= most && most <= 1);
      const [closer, nearer] = wilsonInterval({ n: 4 * n, share });
      assert.ok(nearer - closer < most - least);
    }),
  );
});

test('the corrected share is the true one of a head that errs as it is said to', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.3, noNaN: true }),
      fc.double({ min: 0.5, max: 1, noNaN: true }),
      (truth, falsePositive, truePositive) => {
        const claimed = truth * truePositive + (1 - truth) * falsePositive;
        assert.ok(Math.abs(correctedShare(claimed, { falsePositive, truePositive }) - truth) < 1e-9);
      },
    ),
  );
  assert.equal(correctedShare(0.02, { falsePositive: 0.03, truePositive: 0.8 }), 0);
  assert.equal(correctedShare(0.9, { falsePositive: 0.03, truePositive: 0.8 }), 1);
});
