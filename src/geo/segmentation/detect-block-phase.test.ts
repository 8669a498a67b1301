import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { windowOfGrid } from './code-window.ts';
import { detectBlockPhase, MIN_BLOCK_CONFIDENCE } from './detect-block-phase.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';

/** A raster whose pixels come in 2 x 2 blocks that begin at column `x`, row `y`, plus a little of each pixel's own. */
function blocks(x: number, y: number, own: number): Grid {
  const size = 40;
  const codes = new Int8Array(size * size * BANDS);
  const noise = (a: number, b: number, c: number) => Math.sin(a * 12.9898 + b * 78.233 + c * 37.719) * 43_758.5453;
  const within = (value: number) => (value - Math.floor(value)) * 2 - 1;
  for (let pixel = 0; pixel < size * size; pixel++) {
    const column = pixel % size;
    const row = Math.floor(pixel / size);
    for (let band = 0; band < BANDS; band++) {
      const block = within(noise(Math.floor((column - x) / 2), Math.floor((row - y) / 2), band));
      codes[pixel * BANDS + band] = Math.round(60 * block + own * within(noise(pixel, band, 1)));
    }
  }
  return { width: size, height: size, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

for (const x of [0, 1] as const) {
  for (const y of [0, 1] as const) {
    test(`blocks that begin at ${x}, ${y} are found`, () => {
      const phase = detectBlockPhase(windowOfGrid(blocks(x, y, 5)));
      assert.deepEqual([phase.x, phase.y], [x, y]);
      assert.ok(phase.confidence > MIN_BLOCK_CONFIDENCE);
    });
  }
}

test('pixels without data are left out', () => {
  const grid = blocks(1, 0, 5);
  for (let pixel = 0; pixel < 1600; pixel += 3) grid.codes[pixel * BANDS + (pixel % BANDS)] = NODATA;
  const phase = detectBlockPhase(windowOfGrid(grid));
  assert.deepEqual([phase.x, phase.y], [1, 0]);
});

test('blocks of equal pixels are certain', () => {
  assert.deepEqual(detectBlockPhase(windowOfGrid(blocks(0, 1, 0))), { x: 0, y: 1, confidence: Infinity });
});

test('pixels that are all their own have no blocks', () => {
  assert.ok(detectBlockPhase(windowOfGrid(blocks(0, 0, 4000))).confidence < MIN_BLOCK_CONFIDENCE);
});

test('a constant raster and one without data give phase 0, 0 with confidence 1', () => {
  const grid = blocks(0, 0, 0);
  const none = { x: 0, y: 0, confidence: 1 };
  assert.deepEqual(detectBlockPhase(windowOfGrid({ ...grid, codes: grid.codes.map(() => 7) })), none);
  assert.deepEqual(detectBlockPhase(windowOfGrid({ ...grid, codes: grid.codes.map(() => NODATA) })), none);
  assert.deepEqual(detectBlockPhase(windowOfGrid(grid, 0, 0, 1, 1)), none);
});

test('real blocks are found wherever one looks', (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  for (const [x, y] of [
    [0, 0],
    [101, 300],
    [300, 701],
  ]) {
    const phase = detectBlockPhase(windowOfGrid(grid, x, y, 128, 128));
    assert.deepEqual([phase.x, phase.y], [x & 1, y & 1]);
    assert.ok(phase.confidence > MIN_BLOCK_CONFIDENCE, `confidence ${phase.confidence}`);
  }
});
