import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { adjustedRand, canonical } from '../../../test/oracles/segmentation/partition.ts';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { windowOfGrid } from './code-window.ts';
import { type EdgeImage, edgeStrength } from './kernels/edge-kernel.ts';
import { labelComponents } from '../../../test/oracles/segmentation/label-components.ts';
import { floodMarkers } from '../../../test/oracles/segmentation/flood-markers.ts';
import { segmentEdges } from './segment-edges.ts';
import { segmentEdgesPlain } from '../../../test/oracles/segmentation/segment-edges-plain.ts';
import { runs } from '../../../test/property-runs.ts';

const DEPTH = 0.1;

/** Images with walls (null); values of `strength`. */
const images = (strength: fc.Arbitrary<number>, maxSide: number) =>
  fc.tuple(fc.integer({ min: 1, max: maxSide }), fc.integer({ min: 1, max: maxSide })).chain(([width, height]) =>
    fc
      .array(fc.option(strength, { freq: 12, nil: Number.NaN }), {
        minLength: width * height,
        maxLength: width * height,
      })
      .map((values): EdgeImage => ({ width, height, values: Float32Array.from(values) })),
  );

const anyStrength = fc.integer({ min: 0, max: 2 ** 22 }).map((step) => step / 2 ** 22);
const fewStrengths = fc.integer({ min: 0, max: 7 }).map((step) => step / 16);

test('the kernel and the plain version give the same labels and markers, ties or not', () => {
  const strengths = fc.oneof(anyStrength, fewStrengths, fc.constantFrom(0, -0, 2, 1e-38));
  fc.assert(
    fc.property(images(strengths, 30), fc.constantFrom(1e-9, 0.05, DEPTH, 0.5, 3), (image, depth) => {
      assert.deepEqual(segmentEdges(image, depth), segmentEdgesPlain(image, depth));
    }),
    { numRuns: runs(500) },
  );
});

test('an image after a larger one sees nothing of it', () => {
  const image = (width: number, height: number): EdgeImage => ({
    width,
    height,
    values: Float32Array.from({ length: width * height }, (_, cell) => ((cell * 7919) % 1009) / 1009),
  });
  for (const size of [300, 5, 64, 1]) {
    assert.deepEqual(segmentEdges(image(size, size), DEPTH), segmentEdgesPlain(image(size, size), DEPTH));
  }
});

test('where no two strengths are equal, the partition is that of flooding with a queue', () => {
  fc.assert(
    fc.property(images(anyStrength, 24), (image) => {
      const present = image.values.filter((value) => !Number.isNaN(value));
      fc.pre(new Set(present).size === present.length);
      const { labels } = segmentEdges(image, DEPTH);
      assert.deepEqual(canonical(labels), canonical(floodMarkers(image, DEPTH)));
    }),
    { numRuns: runs(300) },
  );
});

test('ties or not: every cell has a label, every segment is connected and holds its marker', () => {
  fc.assert(
    fc.property(images(fewStrengths, 16), (image) => {
      const { labels, markers } = segmentEdges(image, DEPTH);
      assert.deepEqual(
        [...labels].map((label) => label === 0),
        [...image.values].map((value) => Number.isNaN(value)),
      );
      for (let label = 1; label <= markers.length; label++) {
        const parts = labelComponents(
          Uint8Array.from(labels, (other) => (other === label ? 1 : 0)),
          image.width,
        );
        assert.equal(Math.max(...parts), 1);
        assert.equal(labels[markers[label - 1]], label);
      }
      assert.deepEqual(markers, markers.slice().sort());
      const plain = floodMarkers(image, DEPTH);
      assert.ok(markers.length <= plain.reduce((a, b) => Math.max(a, b)));
    }),
    { numRuns: runs(300) },
  );
});

test('the same image moved within a wall of masked cells is cut in the same way', () => {
  fc.assert(
    fc.property(images(fewStrengths, 12), fc.nat(5), fc.nat(5), fc.nat(5), (image, left, top, right) => {
      const width = left + image.width + right;
      const height = top + image.height;
      const values = new Float32Array(width * height).fill(Number.NaN);
      const labels = new Int32Array(width * height);
      const here = segmentEdges(image, DEPTH).labels;
      for (let row = 0; row < image.height; row++) {
        const span = [row * image.width, (row + 1) * image.width] as const;
        values.set(image.values.subarray(...span), (row + top) * width + left);
        labels.set(here.subarray(...span), (row + top) * width + left);
      }
      assert.deepEqual(segmentEdges({ width, height, values }, DEPTH).labels, labels);
    }),
    { numRuns: runs(200) },
  );
});

test('an image that is masked all over has no segments', () => {
  const image = { width: 3, height: 2, values: new Float32Array(6).fill(Number.NaN) };
  assert.deepEqual(segmentEdges(image, DEPTH), {
    width: 3,
    height: 2,
    labels: new Int32Array(6),
    markers: new Int32Array(),
  });
});

test('a constant image is one segment, and its marker is the first cell', () => {
  const { labels, markers } = segmentEdges({ width: 5, height: 4, values: new Float32Array(20).fill(0.25) }, DEPTH);
  assert.deepEqual(labels, new Int32Array(20).fill(1));
  assert.deepEqual(markers, Int32Array.of(0));
});

test('a deep cell among higher ones that fall away from it is a segment of one cell', () => {
  const image = { width: 5, height: 1, values: Float32Array.of(0, 0.9, 0.5, 0.9, 0) };
  assert.deepEqual([...segmentEdges(image, DEPTH).labels], [1, 1, 2, 3, 3]);
});

test('of minima that are equal and not separate, the first in raster order is the marker', () => {
  const image = { width: 1, height: 3, values: Float32Array.of(0.2, 0.25, 0.2) };
  assert.deepEqual(segmentEdges(image, DEPTH).markers, Int32Array.of(0));
});

test('a minimum exactly as deep as requested stands alone, a shallower one does not', () => {
  const image = { width: 3, height: 1, values: Float32Array.of(0, 0.5, 0.25) };
  assert.equal(segmentEdges(image, 0.25).markers.length, 2);
  assert.equal(segmentEdges(image, 0.250_001).markers.length, 1);
});

test('a depth that is not above 0 is refused', () => {
  const image = { width: 1, height: 1, values: Float32Array.of(0) };
  for (const depth of [0, -1, Number.NaN]) {
    for (const cut of [segmentEdges, segmentEdgesPlain])
      assert.throws(() => cut(image, depth), {
        name: 'RangeError',
        message: `depth must be above 0; got ${depth}`,
      });
  }
});

test('an image too large for the kernel is refused with its size', () => {
  const image = { width: 8192, height: 8192, values: new Float32Array() };
  assert.throws(() => segmentEdges(image, DEPTH), { name: 'RangeError', message: /got 8192 x 8192/ });
});

test('on a real raster it agrees with flooding with a queue', (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const image = edgeStrength(windowOfGrid(grid));
  for (const depth of [0.002, 0.005, 0.02]) {
    assert.deepEqual(segmentEdges(image, depth), segmentEdgesPlain(image, depth));
    const index = adjustedRand(segmentEdges(image, depth).labels, floodMarkers(image, depth));
    assert.ok(index >= 0.9995, `adjusted Rand ${index} at depth ${depth}`);
  }
});
