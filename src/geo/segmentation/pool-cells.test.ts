import assert from 'node:assert/strict';
import { test } from 'node:test';

import { seededRandom } from '../seeded-random.ts';
import { windowOfGrid } from './code-window.ts';
import { BANDS } from './grid.ts';
import { poolCells, UNIT } from './pool-cells.ts';

/** A code for each band of a vector of a norm, in a random direction. */
function codesOf(norm: number, random: () => number): Int8Array {
  const vector = Array.from({ length: BANDS }, () => random() - 0.5);
  const scale = norm / Math.hypot(...vector);
  return Int8Array.from(vector, (value) => Math.sign(value) * Math.round(Math.sqrt(Math.abs(value * scale)) * 127.5));
}

test('a cell has length one whatever the norm of its pixels, which averaging of codes leaves between 0.9 and 1.1', () => {
  const random = seededRandom(5);
  const cells = 200;
  const codes = new Int8Array(cells * 4 * BANDS);
  for (let cell = 0; cell < cells; cell++) {
    const pixel = codesOf(0.9 + 0.2 * random(), random);
    for (const place of [2 * cell, 2 * cell + 1, 2 * (cells + cell), 2 * (cells + cell) + 1])
      codes.set(pixel, place * BANDS);
  }
  const grid = { width: 2 * cells, height: 2, codes, transform: [10, 0, 0, 0, -10, 0] as const, crs: 'EPSG:32616' };
  const { units, valid } = poolCells(windowOfGrid(grid));
  for (let cell = 0; cell < cells; cell++) {
    assert.equal(valid[cell], 1);
    const length = Math.hypot(...units.subarray(cell * BANDS, (cell + 1) * BANDS));
    assert.ok(Math.abs(length / UNIT - 1) < 5e-4, `${length / UNIT}`);
  }
});

test('pixels of one direction and different norms are one vector', () => {
  const random = seededRandom(6);
  const direction = Array.from({ length: BANDS }, () => 20 + Math.floor(60 * random()));
  const cellOf = (factor: number) => {
    // Values go with the square of codes.
    const pixel = Int8Array.from(direction, (code) => Math.round(code * Math.sqrt(factor)));
    const codes = new Int8Array(4 * BANDS);
    for (let i = 0; i < 4; i++) codes.set(pixel, i * BANDS);
    const grid = { width: 2, height: 2, codes, transform: [10, 0, 0, 0, -10, 0] as const, crs: 'EPSG:32616' };
    return poolCells(windowOfGrid(grid)).units;
  };
  const one = cellOf(1);
  for (const factor of [0.9, 1.1]) {
    const other = cellOf(factor);
    let dot = 0;
    for (let band = 0; band < BANDS; band++) dot += (one[band] / UNIT) * (other[band] / UNIT);
    assert.ok(1 - dot < 2e-4, String(1 - dot));
  }
});
