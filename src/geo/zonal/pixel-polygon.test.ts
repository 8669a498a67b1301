import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCrs } from '../crs/find-crs.ts';
import { openProjection } from '../crs/open-projection.ts';
import { toPixelPolygon, type PixelGrid } from './pixel-polygon.ts';
import { weighPixels } from './weigh-pixels.ts';

const crs = findCrs('EPSG:32647');
if ('refused' in crs) throw new Error(crs.refused);
const projection = openProjection(crs);
const grid: PixelGrid = { transform: [10, 0, 500_000, 0, -10, 400_000], crs };
const coarse: PixelGrid = { transform: [30, 0, 500_000, 0, -30, 400_000], crs };
const ring = (): Float64Array[] => [Float64Array.of(99.002, 3.6, 99.004, 3.6, 99.003, 3.602, 99.002, 3.6)];
const window = { x0: 20, y0: 150, width: 40, height: 60 };
const hectares = (...[polygon, on, where]: readonly [ReturnType<typeof toPixelPolygon>, PixelGrid, typeof window]) => {
  const out = new Float64Array(where.width * where.height);
  weighPixels(polygon, on, where, out);
  return out;
};

describe('a polygon on several maps', () => {
  it('is placed once on equal grids and again on others', () => {
    const rings = ring();
    const first = toPixelPolygon(rings, grid, projection);
    assert.equal(toPixelPolygon(rings, { ...grid, transform: [...grid.transform] }, projection), first);
    assert.deepEqual(toPixelPolygon(rings, coarse, projection), toPixelPolygon(ring(), coarse, projection));
    assert.equal(toPixelPolygon(rings, grid, projection), first);
  });

  it('weighs the same after other windows and grids as a polygon that was never weighed', () => {
    const rings = ring();
    const on = (one: PixelGrid, own: Float64Array[]) => toPixelPolygon(own, one, projection);
    const whole = hectares(on(grid, rings), grid, window);
    assert.ok(whole.some((one) => one > 0));
    assert.deepEqual(hectares(on(grid, rings), grid, window), whole);
    const part = { ...window, x0: 30, width: 5 };
    for (const [one, where] of [
      [grid, part],
      [coarse, { x0: 5, y0: 45, width: 20, height: 25 }],
      [grid, window],
    ] as const)
      assert.deepEqual(hectares(on(one, rings), one, where), hectares(on(one, ring()), one, where));
  });

  it('has no room in a list that is too short, also when it was weighed before', () => {
    const polygon = toPixelPolygon(ring(), grid, projection);
    hectares(polygon, grid, window);
    assert.throws(() => weighPixels(polygon, grid, window, new Float64Array(7)), RangeError);
  });
});
