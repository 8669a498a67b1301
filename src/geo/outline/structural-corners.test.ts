import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findStructuralCorners } from './structural-corners.ts';

const CELL = { width: 10, height: 10 };

/** Pins of one ring, as the list of its structural vertices. */
function structural(ring: number[], cell = CELL, minRun = 30): number[] {
  const rings = { coords: Int32Array.from(ring), starts: Int32Array.of(0, ring.length / 2) };
  return [...findStructuralCorners(rings, cell, minRun)].flatMap((pin, v) => (pin === 1 ? [v] : []));
}

describe('structural corners', () => {
  it('are those between two runs of at least three pixels', () => {
    assert.deepEqual(structural([0, 0, 3, 0, 3, 3, 0, 3]), [0, 1, 2, 3]);
    assert.deepEqual(structural([0, 0, 3, 0, 3, 2, 0, 2]), []);
  });

  it('are not the steps of a staircase', () => {
    assert.deepEqual(structural([0, 0, 5, 0, 5, 1, 6, 1, 6, 2, 7, 2, 7, 8, 0, 8]), [0, 6, 7]);
  });

  it('measure metres, not cells: at 60 degrees north a cell in degrees is half as wide', () => {
    const narrow = { width: 5, height: 10 };
    assert.deepEqual(structural([0, 0, 3, 0, 3, 3, 0, 3], narrow), []);
    assert.deepEqual(structural([0, 0, 6, 0, 6, 3, 0, 3], narrow), [0, 1, 2, 3]);
  });

  it('are found in every ring', () => {
    const rings = {
      coords: Int32Array.of(0, 0, 9, 0, 9, 9, 0, 9, 2, 2, 2, 3, 3, 3, 3, 2),
      starts: Int32Array.of(0, 4, 8),
    };
    assert.deepEqual([...findStructuralCorners(rings, CELL, 30)], [1, 1, 1, 1, 0, 0, 0, 0]);
  });
});
