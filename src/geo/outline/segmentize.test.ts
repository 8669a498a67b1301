import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { geodesicDistanceM } from '../geodesic.ts';
import { latticeProjection, placeOnLattice } from './lattice.ts';
import { segmentize } from './segmentize.ts';

const { lattice, column, row } = placeOnLattice([20, 0, 640_000, 0, -20, 7_200_000], 'EPSG:32633');
const CELL = { width: 20, height: 20 };
/** A long thin field of 500 x 1 cells with a notch, at 64.9 degrees north. */
const RING = Int32Array.from([0, 0, 500, 0, 500, 1, 4, 1, 4, 2, 0, 2], (v, i) => v + (i % 2 === 0 ? column : row));
const CORNERS = { coords: RING, starts: Int32Array.of(0, 6) };
const STRUCTURAL = Uint8Array.of(1, 0, 1, 0, 0, 1);

describe('segmentizing', () => {
  const { coords, starts, pinned } = segmentize(CORNERS, STRUCTURAL, lattice, { cell: CELL, maxLength: 10 });

  it('leaves no edge longer than asked for, on the ground of the grid', () => {
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
