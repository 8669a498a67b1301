import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellMetres, latticeProjection, placeOnLattice } from './lattice.ts';

const PIXEL = 8.983111749910169e-5;

describe('placing a raster on its lattice', () => {
  it('counts cells from x = 0, y = 0, rows south', () => {
    const { lattice, column, row } = placeOnLattice([20, 0, 500_000, 0, -20, 4_900_000], 'EPSG:32615');
    assert.deepEqual([column, row], [25_000, -245_000]);
    assert.deepEqual([lattice.originX, Math.abs(lattice.originY)], [0, 0]);
  });

  it('keeps the phase of blocks that begin off the lattice', () => {
    const { lattice, column, row } = placeOnLattice([20, 0, 500_010, 0, -20, 4_900_010], 'EPSG:32615');
    assert.equal(lattice.originX + column * 20, 500_010);
    assert.equal(lattice.originY - row * 20, 4_900_010);
  });

  it('is one lattice for all windows of a raster whose cells are no round number', () => {
    const [west, north] = [-180, 83.68570533713473];
    const whole = placeOnLattice([PIXEL, 0, west, 0, -PIXEL, north], 'EPSG:4326');
    for (const [dx, dy] of [
      [1, 1],
      [1_234_567, 765_432],
      [3_999_999, 1_800_001],
    ]) {
      const part = placeOnLattice([PIXEL, 0, west + dx * PIXEL, 0, -PIXEL, north - dy * PIXEL], 'EPSG:4326');
      assert.deepEqual(part, { lattice: whole.lattice, column: whole.column + dx, row: whole.row + dy });
    }
  });

  it('refuses rasters that are rotated or bottom-up', () => {
    assert.throws(() => placeOnLattice([10, 0, 0, 0, 10, 0], 'EPSG:32615'), /wanted a north-up transform/);
    assert.throws(() => placeOnLattice([10, 1, 0, 1, -10, 0], 'EPSG:32615'), /wanted a north-up transform/);
  });

  it('refuses a CRS that no raster of segments has', () => {
    for (const crs of ['EPSG:3857', 'EPSG:32661', 'OGC:CRS84', '']) {
      assert.throws(() => latticeProjection(crs), /wanted a raster in EPSG:4326 or a WGS84 UTM zone/);
    }
  });

  it('knows the metres of a cell in degrees at its latitude', () => {
    const { lattice, row } = placeOnLattice([PIXEL, 0, 20, 0, -PIXEL, 60], 'EPSG:4326');
    const { width, height } = cellMetres(lattice, row);
    assert.ok(Math.abs(width - 5.01) < 0.01 && Math.abs(height - 10.01) < 0.01, `${width} ${height}`);
  });
});
