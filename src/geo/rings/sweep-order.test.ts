import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createColumnMemory } from './ring-layout.ts';
import { createSweepOrder } from './sweep-order.ts';

describe('a sweep order', () => {
  it('knows the neighbours that a sorted list knows, through any inserts and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 39 }), { maxLength: 200 }), (steps) => {
        const rank = (segment: number): number => (segment * 17) % 40;
        const order = createSweepOrder(40, (a, b) => rank(a) > rank(b), createColumnMemory(0));
        const held: number[] = [];
        for (const segment of steps) {
          if (held.includes(segment)) {
            order.remove(segment);
            held.splice(held.indexOf(segment), 1);
          } else {
            order.insert(segment);
            held.push(segment);
          }
          held.sort((a, b) => rank(a) - rank(b));
          for (const [i, other] of held.entries()) {
            assert.equal(order.below(other), held[i - 1] ?? -1);
            assert.equal(order.above(other), held[i + 1] ?? -1);
          }
        }
      }),
    );
  });
});
