import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOfGrid } from './code-window.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';

/** 3 x 2 pixels; every band of a pixel holds its number. */
const GRID: Grid = {
  width: 3,
  height: 2,
  codes: Int8Array.from({ length: 3 * 2 * BANDS }, (_, i) => Math.floor(i / BANDS)),
  transform: [10, 0, 0, 0, -10, 0],
  crs: 'EPSG:32616',
};

function pixels(x0: number, y0: number, width: number, height: number): number[][] {
  const window = windowOfGrid(GRID, x0, y0, width, height);
  const row = new Int8Array(width * BANDS);
  return Array.from({ length: height }, (_, y) => {
    window.copyRow(y, row);
    return Array.from({ length: width }, (_, x) => {
      const codes = new Set(row.subarray(x * BANDS, (x + 1) * BANDS));
      assert.equal(codes.size, 1);
      return [...codes][0];
    });
  });
}

test('a window of a grid hands over the rows of the rectangle', () => {
  assert.deepEqual(pixels(1, 0, 2, 2), [
    [1, 2],
    [4, 5],
  ]);
});

test('what a grid does not cover is no data', () => {
  assert.deepEqual(pixels(-1, -1, 5, 4), [
    [NODATA, NODATA, NODATA, NODATA, NODATA],
    [NODATA, 0, 1, 2, NODATA],
    [NODATA, 3, 4, 5, NODATA],
    [NODATA, NODATA, NODATA, NODATA, NODATA],
  ]);
});

test('a window next to a grid has no data, on any side', () => {
  const none = [[NODATA, NODATA]];
  for (const [x, y] of [
    [3, 0],
    [-2, 0],
    [40, 1],
    [-40, 1],
    [0, 2],
    [0, -1],
  ]) {
    assert.deepEqual(pixels(x, y, 2, 1), none);
  }
});
