import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { polygonArea } from '../rings/polygon-area.ts';
import { fitArea } from './fit-area.ts';
import { ringViews } from './rings.ts';

const METRE = 1 / 111_319.49;

/** A disc of radius 100 m with a hole of 30 m, the inside on the right. */
function ringed(pins: readonly number[] = []) {
  const points: number[] = [];
  for (const [radius, sign] of [
    [100, -1],
    [30, 1],
  ]) {
    for (let v = 0; v < 60; v++) {
      const angle = (sign * 2 * Math.PI * v) / 60;
      points.push(10 + radius * METRE * Math.cos(angle), radius * METRE * Math.sin(angle));
    }
  }
  const pinned = new Uint8Array(120);
  for (const pin of pins) pinned[pin] = 1;
  return { coords: Float64Array.from(points), starts: Int32Array.of(0, 60, 120), pinned };
}

const size = (rings: ReturnType<typeof ringed>) => polygonArea(ringViews(rings)).area;

describe('fitting the area', () => {
  for (const factor of [0.95, 0.99, 1.02, 1.05]) {
    it(`brings the area to ${factor} of what it was, the exterior and the hole moving alike`, () => {
      const rings = ringed([7]);
      const target = size(rings) * factor;
      const fitted = fitArea(rings, { target, tolerance: 1e-6, maxMove: 10 });
      assert.ok(fitted);
      assert.ok(Math.abs(polygonArea(ringViews(fitted)).area / target - 1) <= 1e-6);
      assert.equal(fitted.coords[14], rings.coords[14]);
      const outer = (fitted.coords[0] - rings.coords[0]) / METRE;
      const inner = (fitted.coords[120] - rings.coords[120]) / METRE;
      assert.ok(Math.abs(outer + inner) < 0.01 && outer > 0 === factor > 1, `${outer} ${inner}`);
    });
  }

  it('gives up rather than move a vertex too far, or when all are pinned', () => {
    const rings = ringed();
    assert.equal(fitArea(rings, { target: size(rings) * 1.2, tolerance: 0.001, maxMove: 1 }), null);
    const fixed = ringed(Array.from({ length: 120 }, (_, v) => v));
    assert.equal(fitArea(fixed, { target: size(fixed) * 1.02, tolerance: 0.001, maxMove: 10 }), null);
  });

  it('leaves its input as it was', () => {
    const rings = ringed();
    const copy = rings.coords.slice();
    fitArea(rings, { target: size(rings) * 1.01, tolerance: 1e-4, maxMove: 10 });
    assert.deepEqual(rings.coords, copy);
  });
});
