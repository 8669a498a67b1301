import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { pointInPolygon, pointInRing } from './point-in-ring.ts';
import { runs } from '../../../test/property-runs.ts';

const SQUARE = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0];
const HOLE = [2, 2, 4, 2, 4, 4, 2, 4, 2, 2];

test('a point is inside a ring and not inside a hole of it', () => {
  assert.equal(pointInPolygon([SQUARE, HOLE], 1, 1), true);
  assert.equal(pointInPolygon([SQUARE, HOLE], 3, 3), false);
  assert.equal(pointInPolygon([SQUARE, HOLE], 11, 3), false);
});

test('lower edges of a box are inside and upper ones outside', () => {
  const at = (x: number, y: number) => pointInRing(SQUARE, x, y);
  assert.deepEqual(
    [at(5, 0), at(0, 5), at(0, 0), at(5, 10), at(10, 5), at(10, 10)],
    [true, true, true, false, false, false],
  );
});

test('the direction of a ring makes no difference', () => {
  const backwards = [0, 0, 0, 10, 10, 10, 10, 0, 0, 0];
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 11 }), fc.integer({ min: -1, max: 11 }), (x, y) => {
      assert.equal(pointInRing(backwards, x, y), pointInRing(SQUARE, x, y));
    }),
  );
});

test('every point belongs to exactly one of the triangles round a common vertex, edges and vertex included', () => {
  const whole = fc.integer({ min: -6, max: 6 });
  fc.assert(
    fc.property(whole, whole, fc.integer({ min: 1, max: 9 }), whole, whole, (cx, cy, parts, x, y) => {
      const [vx, vy] = [cx / parts, cy / parts];
      const corners = [
        [-7, -7],
        [7, -7],
        [7, 7],
        [-7, 7],
      ];
      const count = corners.filter(([ax, ay], i) => {
        const [bx, by] = corners[(i + 1) % 4];
        return pointInRing([vx, vy, ax, ay, bx, by, vx, vy], x / parts, y / parts);
      }).length;
      assert.equal(count, 1);
    }),
    { numRuns: runs(2000) },
  );
});
