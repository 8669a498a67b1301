import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRaster } from './read-raster.ts';
import { windowOfGrid } from '../../../src/geo/segmentation/code-window.ts';
import { type EdgeImage, edgeStrength } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';
import { hMinima } from './h-minima.ts';
import { labelComponents } from './label-components.ts';
import { watershed } from './watershed.ts';

const ORACLE = JSON.parse(readFileSync(join(import.meta.dirname, 'segmentation.json'), 'utf8'));

const digest = (array: Uint8Array | Int32Array) => createHash('sha256').update(Buffer.from(array.buffer)).digest('hex');

for (const { name, width, height, depth, steps, minima, labels } of ORACLE.synthetic) {
  test(`minima and labels are scikit-image's: ${name}`, () => {
    const values = Float32Array.from(steps, (step: number) => (step < 0 ? Number.NaN : step / 1024));
    const image: EdgeImage = { width, height, values };
    const found = hMinima(image, depth);
    assert.deepEqual(
      [...found.keys()].filter((cell) => found[cell] === 1),
      minima,
    );
    assert.deepEqual([...watershed(image, labelComponents(found, width))], labels);
  });
}

for (const { raster, floods } of ORACLE.real) {
  test(`minima and labels are scikit-image's: ${raster}`, (t) => {
    const grid = readRaster(raster);
    if (grid === null) return t.skip('sample rasters are not there');
    const image = edgeStrength(windowOfGrid(grid, 0, 0, grid.width & ~1, grid.height & ~1));
    for (const flood of floods) {
      const minima = hMinima(image, flood.depth);
      assert.equal(digest(minima), flood.minima);
      const markers = labelComponents(minima, image.width);
      assert.equal(
        markers.reduce((a, b) => Math.max(a, b)),
        flood.segments,
      );
      assert.equal(digest(watershed(image, markers)), flood.labels);
    }
  });
}

test('the lowest cells of an image shallower than the depth are marked', () => {
  const image = { width: 3, height: 1, values: Float32Array.of(0.1, 0.2, 0.1) };
  assert.deepEqual([...hMinima(image, 0.5)], [1, 0, 1]);
});

test('cells that no marker reaches stay without label', () => {
  const image = { width: 3, height: 1, values: Float32Array.of(0, Number.NaN, 0) };
  assert.deepEqual([...watershed(image, Int32Array.of(0, 0, 5))], [0, 0, 5]);
});
