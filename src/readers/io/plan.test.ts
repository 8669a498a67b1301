import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { planRanges } from './plan.ts';

test('joins near and overlapping ranges and keeps distant ones apart', () => {
  const ranges = [
    { offset: 100, length: 10 },
    { offset: 0, length: 50 },
    { offset: 105, length: 20 },
    { offset: 55, length: 5 },
    { offset: 500, length: 1 },
  ];
  assert.deepEqual(planRanges(ranges, { maxGap: 10, maxBytes: 1_000 }), [
    { offset: 0, length: 60, members: [1, 3] },
    { offset: 100, length: 25, members: [0, 2] },
    { offset: 500, length: 1, members: [4] },
  ]);
});

test('puts every range whole into exactly one request, within gap and size', () => {
  const range = fc.record({ offset: fc.nat(2_000), length: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(range), fc.nat(200), fc.nat(800), (ranges, maxGap, maxBytes) => {
      const plan = planRanges(ranges, { maxGap, maxBytes });
      assert.deepEqual(
        plan.flatMap(({ members }) => members).toSorted((a, b) => a - b),
        ranges.map((_, i) => i),
      );
      for (const { offset, length, members } of plan) {
        const inside = members.map((i) => ranges[i]).toSorted((a, b) => a.offset - b.offset);
        assert.equal(offset, inside[0].offset);
        assert.equal(offset + length, Math.max(...inside.map((one) => one.offset + one.length)));
        assert.ok(length <= Math.max(maxBytes, ...inside.map((one) => one.length)));
        let end = offset;
        for (const one of inside) {
          assert.ok(one.offset - end <= maxGap);
          end = Math.max(end, one.offset + one.length);
        }
      }
    }),
  );
});
