import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import * as fc from 'fast-check';
import {
  locateInPolygon,
  locateInPolygons,
  orientation,
  pointInPolygon,
  pointInRing,
  type PointLocation,
} from './point-in-polygon.ts';
import { runs } from '../../../test/property-runs.ts';

const SQUARE = Float64Array.of(0, 0, 4, 0, 4, 4, 0, 4, 0, 0);
const HOLE = Float64Array.of(1, 1, 1, 3, 3, 3, 3, 1, 1, 1);

/** The same question in whole numbers: a ray to the right, its crossings counted with fractions multiplied out. */
function inWholeNumbers(ring: readonly (readonly [number, number])[], x: number, y: number): PointLocation {
  let crossings = 0;
  for (const [i, [ax, ay]] of ring.entries()) {
    const [bx, by] = ring[(i + 1) % ring.length];
    const cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    const within = Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by);
    if (cross === 0 && within) return 'boundary';
    if (ay <= y === by <= y) continue;
    // x of the edge at this height is to the right of the point.
    const numerator = (ax - x) * (by - ay) + (y - ay) * (bx - ax);
    if (numerator * (by - ay) > 0) crossings++;
  }
  return crossings % 2 === 1 ? 'inside' : 'outside';
}

describe('where a point lies in a polygon', () => {
  it('tells inside, boundary and outside apart, holes included', () => {
    const rings = [SQUARE, HOLE];
    assert.equal(locateInPolygon(rings, 0.5, 2), 'inside');
    assert.equal(locateInPolygon(rings, 2, 2), 'outside');
    assert.equal(locateInPolygon(rings, 5, 2), 'outside');
    for (const [x, y] of [
      [0, 0],
      [4, 4],
      [2, 0],
      [0, 2],
      [4, 2],
      [1, 1],
      [1, 2],
      [2, 3],
    ])
      assert.equal(locateInPolygon(rings, x, y), 'boundary', `${x}, ${y}`);
  });

  it('decides on the last bit next to a slanting edge', () => {
    const triangle = [Float64Array.of(0, 0, 3, 1, 0, 1, 0, 0)];
    assert.equal(locateInPolygon(triangle, 1.5, 0.5), 'boundary');
    assert.equal(locateInPolygon(triangle, 1.5, 0.5 - 2 ** -54), 'outside');
    assert.equal(locateInPolygon(triangle, 1.5, 0.5 + 2 ** -53), 'inside');
  });

  it('is what whole numbers say for any ring, whichever way it runs', () => {
    const place = fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 }));
    fc.assert(
      fc.property(fc.array(place, { minLength: 3, maxLength: 9 }), place, (ring, [x, y]) => {
        const closed = [...ring, ring[0]];
        const wanted = inWholeNumbers(ring, x, y);
        assert.equal(locateInPolygon([Float64Array.from(closed.flat())], x, y), wanted);
        assert.equal(locateInPolygon([Float64Array.from(closed.toReversed().flat())], x, y), wanted);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('is inside several polygons when it is inside any', () => {
    const right = Float64Array.of(4, 0, 8, 0, 8, 4, 4, 4, 4, 0);
    assert.equal(locateInPolygons([[SQUARE], [right]], 4, 2), 'boundary');
    assert.equal(locateInPolygons([[SQUARE], [right]], 6, 2), 'inside');
    assert.equal(locateInPolygons([], 6, 2), 'outside');
  });
});

const TEN_SQUARE = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0];
const TEN_HOLE = [2, 2, 4, 2, 4, 4, 2, 4, 2, 2];

test('a point is inside a ring and not inside a hole of it', () => {
  assert.equal(pointInPolygon([TEN_SQUARE, TEN_HOLE], 1, 1), true);
  assert.equal(pointInPolygon([TEN_SQUARE, TEN_HOLE], 3, 3), false);
  assert.equal(pointInPolygon([TEN_SQUARE, TEN_HOLE], 11, 3), false);
});

test('lower edges of a box are inside and upper ones outside', () => {
  const at = (x: number, y: number) => pointInRing(TEN_SQUARE, x, y);
  assert.deepEqual(
    [at(5, 0), at(0, 5), at(0, 0), at(5, 10), at(10, 5), at(10, 10)],
    [true, true, true, false, false, false],
  );
});

test('the direction of a ring makes no difference', () => {
  const backwards = [0, 0, 0, 10, 10, 10, 10, 0, 0, 0];
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 11 }), fc.integer({ min: -1, max: 11 }), (x, y) => {
      assert.equal(pointInRing(backwards, x, y), pointInRing(TEN_SQUARE, x, y));
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
