import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { latticeProjection, placeOnLattice } from './lattice.ts';
import { dropFlat, segmentize } from './segmentize.ts';

const { lattice, column, row } = placeOnLattice([20, 0, 640_000, 0, -20, 7_200_000], 'EPSG:32633');
const CELL = { width: 20, height: 20 };
/** A long thin field of 500 x 1 cells with a notch, at 64.9 degrees north. */
const RING = Int32Array.from([0, 0, 500, 0, 500, 1, 4, 1, 4, 2, 0, 2], (v, i) => v + (i % 2 === 0 ? column : row));
const CORNERS = { coords: RING, starts: Int32Array.of(0, 6) };
const STRUCTURAL = Uint8Array.of(1, 0, 1, 0, 0, 1);

describe('segmentizing', () => {
  const { coords, starts, pinned } = segmentize(CORNERS, STRUCTURAL, lattice, { cell: CELL, maxLength: 10 });

  it('leaves no edge longer than requested, on the ground of the grid', () => {
    assert.deepEqual([...starts], [0, coords.length / 2]);
    for (let i = 0; i < coords.length; i += 2) {
      const j = (i + 2) % coords.length;
      const length = geodesicDistanceM(coords[i], coords[i + 1], coords[j], coords[j + 1]);
      assert.ok(length > 9.5 && length < 10.01, `${length}`);
    }
  });

  it('moves nothing: every point lies on the raster within a centimetre', () => {
    const { toXY } = latticeProjection(lattice.crs);
    const out = new Float64Array(2);
    for (let i = 0; i < coords.length; i += 2) {
      toXY(coords[i], coords[i + 1], out, 0);
      const [x, y] = [(out[0] - 640_000) / 20, (7_200_000 - out[1]) / 20];
      assert.ok(Math.min(Math.abs(x - Math.round(x)), Math.abs(y - Math.round(y))) < 0.01 / 20, `${x} ${y}`);
    }
  });

  it('keeps the corners and their pins', () => {
    const { toLonLat } = latticeProjection(lattice.crs);
    const out = new Float64Array(2);
    const expected = [
      [0, 0],
      [500, 1],
      [0, 2],
    ].map(([x, y]) => {
      toLonLat(640_000 + x * 20, 7_200_000 - y * 20, out, 0);
      return [...out];
    });
    const pins = [...pinned].flatMap((pin, v) => (pin === 1 ? [[...coords.subarray(2 * v, 2 * v + 2)]] : []));
    assert.deepEqual(pins, expected);
  });
});

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
