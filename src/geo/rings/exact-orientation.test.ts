import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { orientation } from './exact-orientation.ts';

describe('orientation', () => {
  it('tells left from right', () => {
    assert.equal(orientation(0, 0, 1, 0, 0, 1), 1);
    assert.equal(orientation(0, 0, 1, 0, 0, -1), -1);
    assert.equal(orientation(0, 0, 1, 1, 2, 2), 0);
  });

  it('sees one unit in the last place next to a line that rounding would hide', () => {
    const [x, y] = [0.5, 0.5];
    assert.equal(orientation(12, 12, 24, 24, x, y), 0);
    assert.equal(orientation(12, 12, 24, 24, x, y + 2 ** -53), 1);
    assert.equal(orientation(12, 12, 24, 24, x, y - 2 ** -54), -1);
  });

  it('is exactly zero for points stepped along a line, and changes sign with the order of its arguments', () => {
    const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(whole, whole, whole, whole, fc.integer({ min: -50, max: 50 }), (x, y, dx, dy, k) => {
        assert.equal(orientation(x, y, x + dx, y + dy, x + k * dx, y + k * dy), 0);
      }),
    );
    // Products of smaller numbers underflow, and then no sign is exact.
    const any = fc.double({ min: -180, max: 180, noNaN: true }).map((value) => (Math.abs(value) < 1e-100 ? 0 : value));
    fc.assert(
      fc.property(any, any, any, any, any, any, (ax, ay, bx, by, cx, cy) => {
        const side = orientation(ax, ay, bx, by, cx, cy);
        assert.equal(orientation(bx, by, ax, ay, cx, cy) + side, 0);
        assert.equal(orientation(cx, cy, ax, ay, bx, by), side);
      }),
    );
  });
});
