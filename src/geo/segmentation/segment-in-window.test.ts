import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { windowOfGrid } from './code-window.ts';
import { type EdgeImage, edgeStrength } from './kernels/edge-kernel.ts';
import { segmentInEdgesPlain } from '../../../test/oracles/segmentation/segment-in-window-plain.ts';
import { segmentInEdges } from './segment-in-window.ts';

const anyStrength = fc.integer({ min: 0, max: 2 ** 22 }).map((step) => step / 2 ** 22);
const fewStrengths = fc.integer({ min: 0, max: 7 }).map((step) => step / 16);

/** Images with walls, many of one strength or none twice. */
const images = fc
  .record({
    width: fc.integer({ min: 1, max: 26 }),
    height: fc.integer({ min: 1, max: 26 }),
    strength: fc.constantFrom(anyStrength, fewStrengths, fc.constantFrom(0, -0, 2, 1e-38)),
    walls: fc.constantFrom(3, 12, 200),
  })
  .chain(({ width, height, strength, walls }) =>
    fc
      .array(fc.option(strength, { freq: walls, nil: Number.NaN }), {
        minLength: width * height,
        maxLength: width * height,
      })
      .map((values): EdgeImage => ({ width, height, values: Float32Array.from(values) })),
  );

test('the kernel and the plain version find the same segment, with the same proof', () => {
  const seen = { none: 0, proven: 0, truncated: 0, doubtful: 0 };
  const same = fc.property(images, fc.nat(), fc.constantFrom(1e-9, 0.05, 0.1, 0.5, 3), (image, pick, depth) => {
    const cell = pick % (image.width * image.height);
    const at = [cell % image.width, Math.floor(cell / image.width)] as const;
    const found = segmentInEdges(image, ...at, depth);
    assert.deepEqual(found, segmentInEdgesPlain(image, ...at, depth));
    if (found === null) seen.none++;
    else seen[found.proven ? 'proven' : found.truncated ? 'truncated' : 'doubtful']++;
  });
  // Small images seldom prove a segment: it goes on until there are enough of each kind.
  for (let round = 0; round < 10 && (round === 0 || Math.min(...Object.values(seen)) <= 20); round++)
    fc.assert(same, { numRuns: 2000 });
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 20, `only ${count} are ${kind}`);
});

test('cells without data next to the ring do not leave a segment elsewhere in doubt', () => {
  const values = new Float32Array(81).fill(0.5);
  for (let row = 3; row < 6; row++) values.fill(Number.NaN, row * 9 + 3, row * 9 + 6);
  for (const cell of [10, 20, 22, 24, 38, 42, 56, 58, 60]) values[cell] = Number.NaN;
  values.fill(Number.NaN, 9 * 2 + 1, 9 * 2 + 8).fill(Number.NaN, 9 * 6 + 1, 9 * 6 + 8);
  for (let row = 2; row < 7; row++)
    values.fill(Number.NaN, row * 9 + 1, row * 9 + 3).fill(Number.NaN, row * 9 + 6, row * 9 + 8);
  values[40] = 0.1;
  const found = segmentInEdges({ width: 9, height: 9, values }, 4, 4, 0.05);
  assert.deepEqual([found?.area, found?.proven, found?.truncated], [1, true, false]);
});

test('a place in the outermost ring or outside the window has no segment', () => {
  const image = { width: 5, height: 4, values: new Float32Array(20).fill(0.25) };
  for (const [column, row] of [
    [0, 1],
    [4, 1],
    [1, 0],
    [1, 3],
    [-1, 1],
    [5, 2],
    [2, 400],
    [Number.NaN, 1],
  ]) {
    assert.equal(segmentInEdges(image, column, row, 0.1), null);
  }
  assert.equal(segmentInEdges(image, 1, 1, 0.1)?.area, 6);
});

test('on a real raster the kernel finds what the plain version finds', (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const image = edgeStrength(windowOfGrid(grid, 100, 100, 200, 160));
  for (let i = 0; i < 40; i++) {
    const at = [1 + ((i * 37) % 98), 1 + ((i * 53) % 78)] as const;
    assert.deepEqual(segmentInEdges(image, ...at, 0.005), segmentInEdgesPlain(image, ...at, 0.005));
  }
});
