import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as fc from 'fast-check';
import type { LonLat } from '../geo/shapes/shape.ts';
import { workOrder } from './find-patches.ts';

const place = fc.tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }));

it('every point is worked once, and none that is no point', () => {
  fc.assert(
    fc.property(fc.array(fc.option(place), { maxLength: 100 }), (points) => {
      const order = workOrder(points as (LonLat | null)[]).flat();
      const expected = [...points.keys()].filter((i) => points[i] !== null);
      assert.deepEqual(
        order.toSorted((a, b) => a - b),
        expected,
      );
    }),
  );
});

it('points of one square follow one another, and squares their neighbours', () => {
  const points: LonLat[] = Array.from({ length: 90 }, (_, i) => [
    10 + (i % 3) * 0.03,
    50 + (Math.floor(i / 3) % 3) * 0.03,
  ]);
  const order = workOrder(points);
  assert.equal(order.length, 9);
  for (const group of order) assert.equal(new Set(group.map((i) => String(points[i]))).size, 1);
  const [first] = order.map((group) => points[group[0]!]!);
  let walked = 0;
  let last = first!;
  for (const group of order) {
    const next = points[group[0]!]!;
    walked += Math.abs(next[0] - last[0]) + Math.abs(next[1] - last[1]);
    last = next;
  }
  assert.ok(walked < 8 * 0.031, `walked ${walked} degrees`);
});
