import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dropFlat } from './drop-flat.ts';

const METRE = 1 / 111_319.49;

/** Metres near 0, 0 as one ring. */
function ring(points: readonly number[], pins: readonly number[] = []) {
  const pinned = new Uint8Array(points.length / 2);
  for (const pin of pins) pinned[pin] = 1;
  return { coords: Float64Array.from(points, (v) => v * METRE), starts: Int32Array.of(0, points.length / 2), pinned };
}

describe('dropping flat vertices', () => {
  it('leaves the corners of a square', () => {
    const square = ring([0, 0, 5, 0, 10, 0, 10, 5, 10, 10, 5, 10, 0, 10, 0, 5]);
    assert.equal(dropFlat(square, 0.01).coords.length, 8);
  });

  it('keeps what lies off the line by more than the tolerance, what is pinned, and what turns back', () => {
    assert.equal(dropFlat(ring([0, 0, 5, 0.02, 10, 0, 10, 10, 0, 10]), 0.01).coords.length, 10);
    assert.equal(dropFlat(ring([0, 0, 5, 0.02, 10, 0, 10, 10, 0, 10]), 0.05).coords.length, 8);
    assert.equal(dropFlat(ring([0, 0, 5, 0, 10, 0, 10, 10, 0, 10], [1]), 0.01).coords.length, 10);
    assert.equal(dropFlat(ring([0, 0, 15, 0, 10, 0, 10, 10, 0, 10]), 0.01).coords.length, 10);
  });
});
