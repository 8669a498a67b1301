import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addVector, raoOfNumbers, raoOfUnitVectors } from './rao-q.ts';

/** The definition: every pair in both orders. */
function raoOfPairs<T>(items: readonly (readonly [T, number])[], distance: (a: T, b: T) => number): number {
  const total = items.reduce((sum, [, weight]) => sum + weight, 0);
  let sum = 0;
  for (const [a, p] of items) for (const [b, q] of items) sum += (p / total) * (q / total) * distance(a, b);
  return sum;
}

describe('raoOfNumbers', () => {
  it('is the mean difference over all pairs', () => {
    const weighted = fc.array(
      fc.tuple(fc.integer({ min: -50, max: 400 }), fc.double({ min: 0.001, max: 5, noNaN: true })),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(weighted, (items) => {
        const weights = new Map<number, number>();
        for (const [value, weight] of items) weights.set(value, (weights.get(value) ?? 0) + weight);
        const wanted = raoOfPairs([...weights], (a, b) => Math.abs(a - b));
        assert.ok(Math.abs(raoOfNumbers(weights) - wanted) < 1e-9 * (1 + wanted));
      }),
    );
  });

  it('is 0 for one number, half the step for two halves, and NaN for nothing', () => {
    assert.equal(raoOfNumbers(new Map([[7, 3]])), 0);
    assert.equal(
      raoOfNumbers(
        new Map([
          [0, 2],
          [30, 2],
        ]),
      ),
      15,
    );
    assert.ok(Number.isNaN(raoOfNumbers(new Map())));
  });
});

describe('raoOfUnitVectors', () => {
  it('is the mean of 1 - cos over all pairs', () => {
    const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(vector, fc.double({ min: 0.01, max: 3, noNaN: true })), { minLength: 1, maxLength: 12 }),
        (items) => {
          const usable = items.filter(([values]) => Math.hypot(...values) > 1e-6);
          fc.pre(usable.length > 0);
          const sums = new Float64Array(5);
          for (const [values, weight] of usable) addVector(Float64Array.from(values), 0, weight, sums);
          const cosine = (a: number[], b: number[]) =>
            a.reduce((sum, value, i) => sum + value * b[i]!, 0) / Math.hypot(...a) / Math.hypot(...b);
          const wanted = raoOfPairs(usable, (a, b) => 1 - cosine(a, b));
          assert.ok(Math.abs(raoOfUnitVectors(sums) - wanted) < 1e-9);
        },
      ),
    );
  });

  it('is 0 for one direction, 1/2 for two at right angles, and passes over vectors without length', () => {
    const sums = new Float64Array(3);
    addVector(Float64Array.of(3, 0), 0, 1, sums);
    assert.equal(raoOfUnitVectors(sums), 0);
    addVector(Float64Array.of(0, 0), 0, 5, sums);
    addVector(Float64Array.of(0, 0.1), 0, 1, sums);
    assert.equal(raoOfUnitVectors(sums), 0.5);
    assert.ok(Number.isNaN(raoOfUnitVectors(new Float64Array(3))));
  });
});
