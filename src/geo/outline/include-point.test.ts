import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { distanceInside, includePoint } from './include-point.ts';
import { findCrossings } from './find-crossings.ts';

const METRE = 1 / 111_319.49;

/** Square of 100 m with a hole of 20 m in its north-east quarter that touches no edge, the inside on the right; corner at 0, 0. */
const SQUARE = {
  coords: Float64Array.from([0, 0, 0, 100, 100, 100, 100, 0, 60, 60, 80, 60, 80, 80, 60, 80], (v) => v * METRE),
  starts: Int32Array.of(0, 4, 8),
};
const at = (x: number, y: number) => [x * METRE, y * METRE] as const;

describe('the distance inside', () => {
  for (const [x, y, expected] of [
    [10, 50, 10],
    [50, 99, 1],
    [-5, 50, -5],
    [70, 70, -10],
    [58, 70, 2],
    [-3, -4, -5],
    [0, 50, 0],
  ]) {
    it(`of ${x}, ${y} is ${expected} m`, () => {
      assert.ok(Math.abs(distanceInside(SQUARE, at(x, y)).inside - expected) < 0.1);
    });
  }

  it('names the edge that is nearest', () => {
    assert.deepEqual([distanceInside(SQUARE, at(99, 50)).ring, distanceInside(SQUARE, at(99, 50)).vertex], [0, 2]);
    assert.deepEqual([distanceInside(SQUARE, at(70, 81)).ring, distanceInside(SQUARE, at(70, 81)).vertex], [1, 6]);
  });
});

describe('taking a point in', () => {
  for (const [x, y] of [
    [0, 50],
    [-0.01, 50],
    [0.005, 50],
    [100, 50],
    [50, 0],
    [0, 0],
    [100, 100],
    [0.01, 99.99],
    [60, 70],
    [60, 60],
    [80, 79.99],
    [50, 100.01],
  ]) {
    it(`moves the boundary away from ${x}, ${y} and leaves the polygon simple`, () => {
      const included = includePoint(SQUARE, at(x, y), 0.02);
      assert.ok(included);
      assert.ok(distanceInside(included, at(x, y)).inside >= 0.02);
      assert.deepEqual(findCrossings(included), []);
      assert.ok(included.coords.length <= SQUARE.coords.length + 12);
    });
  }

  it('leaves a polygon alone that holds the point well inside', () => {
    assert.equal(includePoint(SQUARE, at(50, 50), 0.02), SQUARE);
  });
});
