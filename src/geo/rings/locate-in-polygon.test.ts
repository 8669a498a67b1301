import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { locateInPolygon, locateInPolygons, type PointLocation } from './locate-in-polygon.ts';
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
