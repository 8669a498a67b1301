import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createHits, finishTree, openTree, searchTree, treeBoxCount } from './packed-tree.ts';
import { runs } from '../../test/property-runs.ts';

const number = fc.integer({ min: -1000, max: 1000 });
const box = fc.tuple(number, number, fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 300 }));

test('a search finds exactly the boxes that touch the window, for any number of boxes, in shared memory too', () => {
  fc.assert(
    fc.property(fc.array(box, { minLength: 1, maxLength: 400 }), box, (items, [x, y, width, height]) => {
      const boxes = new Int32Array(new SharedArrayBuffer(treeBoxCount(items.length) * 16));
      items.forEach(([west, south, w, h], i) => boxes.set([west, south, west + w, south + h], i * 4));
      finishTree(boxes, items.length);
      const hits = createHits();
      searchTree(openTree(boxes, items.length), x, y, x + width, y + height, hits);
      const touches = ([west, south, w, h]: number[]) =>
        west <= x + width && west + w >= x && south <= y + height && south + h >= y;
      const wanted = items.flatMap((item, i) => (touches(item) ? [i] : []));
      assert.deepEqual(
        [...hits.ids.subarray(0, hits.count)].sort((a, b) => a - b),
        wanted,
      );
    }),
    { numRuns: runs(300) },
  );
});

test('a tree over nothing is refused', () => {
  assert.throws(() => treeBoxCount(0), /at least one item, got 0/);
});
