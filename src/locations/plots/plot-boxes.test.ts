import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, array, double, integer, property, tuple } from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { createPlotBoxes, packBox } from './plot-boxes.ts';

const side = double({ min: 0, max: 0.4, noNaN: true });
const box = tuple(double({ min: -1, max: 1, noNaN: true }), double({ min: -1, max: 1, noNaN: true }), side, side).map(
  ([west, south, width, height]) => [west, south, west + width, south + height] as const,
);

test('boxes are found as by going through all of them, however many were added before', () => {
  check(
    property(array(tuple(box, integer({ min: 1, max: 9 })), { maxLength: 700, size: 'max' }), box, (made, query) => {
      const boxes = createPlotBoxes();
      let number = 0;
      const all = made.map(([added, step]) => ({ added, number: (number += step) }));
      for (const { added, number: own } of all) boxes.add(own, added);
      const [west, south, east, north] = packBox(query);
      const expected = all.filter(({ added }) => {
        const [w, s, e, n] = packBox(added);
        return w <= east && e >= west && s <= north && n >= south;
      });
      assert.deepEqual(
        boxes.near([west, south, east, north]),
        expected.map(({ number: own }) => own),
      );
      assert.equal(boxes.size, made.length);
      const known = new Map(all.map(({ added, number: own }) => [own, [...Int32Array.from(packBox(added))]]));
      for (let own = 0; own <= number + 1; own++) assert.deepEqual(boxes.boxOf(own), known.get(own) ?? null);
    }),
    { numRuns: runs(200) },
  );
});
