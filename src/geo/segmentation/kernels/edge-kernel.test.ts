import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readRaster } from '../../../../test/oracles/segmentation/read-raster.ts';
import { type CodeWindow, windowOfGrid } from '../code-window.ts';
import { edgeStrength, type LinearHead, loadEdgeKernel, NEAR, nearHead, placeRows } from './edge-kernel.ts';
import weights from '../forest-gate.json' with { type: 'json' };
import { poolCells } from '../pool-cells.ts';
import { seededRandom } from '../../seeded-random.ts';
import { edgeStrengthPlain } from '../../../../test/oracles/segmentation/edge-strength-plain.ts';
import { BANDS, NODATA } from '../grid.ts';
import { runs } from '../../../../test/property-runs.ts';

const ORACLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../test/oracles/segmentation/segmentation.json'), 'utf8'),
);

function windowOf(width: number, height: number, codeAt: (pixel: number, band: number) => number): CodeWindow {
  const codes = Int8Array.from({ length: width * height * BANDS }, (_, i) => codeAt(Math.floor(i / BANDS), i % BANDS));
  return windowOfGrid({ width, height, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' });
}

const bytes = (values: Float32Array) => Buffer.from(values.buffer);

test('the kernel and the plain version give the same bits, whatever the codes', () => {
  const pixel = fc.oneof(
    { weight: 6, arbitrary: fc.int8Array({ min: -127, max: 127, minLength: BANDS, maxLength: BANDS }) },
    { weight: 2, arbitrary: fc.int8Array({ min: -3, max: 3, minLength: BANDS, maxLength: BANDS }) },
    { weight: 2, arbitrary: fc.int8Array({ minLength: BANDS, maxLength: BANDS }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, -1, 127, -127, NODATA).map((c) => new Int8Array(BANDS).fill(c)) },
  );
  const image = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([width, height]) =>
    fc.record({
      width: fc.constant(2 * width),
      height: fc.constant(2 * height),
      pixels: fc.array(pixel, { minLength: 4 * width * height, maxLength: 4 * width * height }),
    }),
  );
  fc.assert(
    fc.property(image, ({ width, height, pixels }) => {
      const window = windowOf(width, height, (at, band) => pixels[at][band]);
      assert.deepEqual(bytes(edgeStrength(window).values), bytes(edgeStrengthPlain(window).values));
    }),
    { numRuns: runs(300) },
  );
});

test('equal pixels have no edges, and opposite ones the strongest', () => {
  assert.deepEqual([...edgeStrength(windowOf(6, 4, () => 16)).values], [0, 0, 0, 0, 0, 0]);
  const opposite = edgeStrength(windowOf(4, 2, (pixel) => (pixel % 4 < 2 ? 16 : -16))).values;
  assert.ok(
    opposite.every((value) => Math.abs(value - 2) < 1e-3),
    String(opposite),
  );
});

test('the length of vectors does not matter', () => {
  const values = edgeStrength(windowOf(4, 4, (pixel) => (pixel % 4 < 2 ? 11 : 97))).values;
  assert.ok(
    values.every((value) => value < 1e-8),
    String(values),
  );
});

test('cells without data, or without direction, are masked and are nobody’s neighbour', () => {
  for (const code of [NODATA, 0]) {
    const values = edgeStrength(windowOf(6, 2, (pixel) => (pixel % 6 < 2 ? code : 16))).values;
    assert.deepEqual([...values], [Number.NaN, 0, 0]);
  }
});

test('a pixel with one masked band is left out of its cell', () => {
  const whole = windowOf(4, 2, (pixel) => (pixel % 4 < 2 ? 16 : 20));
  const holed = windowOf(4, 2, (pixel, band) =>
    pixel === 0 ? (band === 63 ? NODATA : 90 - band) : pixel % 4 < 2 ? 16 : 20,
  );
  assert.deepEqual(edgeStrength(holed), edgeStrength(whole));
});

test('a lone cell has strength 0', () => {
  assert.deepEqual([...edgeStrength(windowOf(2, 2, () => 16)).values], [0]);
});

test('an odd window is refused with its size', () => {
  for (const [width, height] of [
    [3, 2],
    [2, 5],
    [0, 2],
  ]) {
    const message = new RegExp(`got ${width} x ${height}`);
    assert.throws(() => edgeStrength(windowOf(width, height, () => 1)), { name: 'RangeError', message });
  }
});

test('a smaller window after a larger one sees nothing of it', () => {
  edgeStrength(windowOf(64, 8, (pixel, band) => ((pixel * band) % 255) - 127));
  const small = windowOf(4, 4, (pixel, band) => ((pixel + band) % 200) - 100);
  assert.deepEqual(edgeStrength(small), edgeStrengthPlain(small));
});

for (const { raster, edges, samples } of ORACLE.real) {
  test(`edge strengths of ${raster} are those of numpy, to the bit and to the definition`, (t) => {
    const grid = readRaster(raster);
    if (grid === null) return t.skip('sample rasters are not there');
    const { values } = edgeStrength(windowOfGrid(grid, 0, 0, grid.width & ~1, grid.height & ~1));
    for (const [cell, strength] of samples) assert.ok(Math.abs(values[cell] - strength) < 2e-5);
    const masked = values.map((value) => (Number.isNaN(value) ? -1 : value));
    assert.equal(createHash('sha256').update(bytes(masked)).digest('hex'), edges);
  });
}

/** What the kernel gives cells, by vectors of length one: in full and near. */
function ratesOf(units: Int16Array, head: LinearHead): { readonly full: Float64Array; readonly near: Float32Array } {
  const cells = units.length / BANDS;
  const kernel = loadEdgeKernel();
  const places = placeRows(cells);
  kernel.memory.grow(Math.ceil(places.end / 65_536));
  const { buffer } = kernel.memory;
  new Int16Array(buffer, places.first, units.length).set(units);
  new Float64Array(buffer, places.weights, BANDS).set(head.weights);
  kernel.rate(cells, places.first, places.weights, head.bias, places.rates);
  const full = new Float64Array(buffer, places.rates, cells).slice();
  const near = nearHead(head);
  new Int16Array(buffer, places.weights, near.weights.length).set(near.weights);
  kernel.rateNear(cells, places.first, places.weights, near.scale, head.bias, places.rates);
  return { full, near: new Float32Array(buffer, places.rates, cells).slice() };
}

function assertNear({ full, near }: ReturnType<typeof ratesOf>, bound: number): void {
  const furthest = full.reduce((most, value, cell) => Math.max(most, Math.abs(value - near[cell])), 0);
  assert.ok(furthest < bound, `${furthest} away`);
}

test('near probabilities of a real raster are those of the gate to a fourth of what is said', (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const { units } = poolCells(windowOfGrid(grid, 0, 0, grid.width & ~1, 200));
  assertNear(ratesOf(units, weights), NEAR / 4);
});

test('near probabilities are near for any head, with any number of cells', () => {
  for (let cells = 1; cells <= 9; cells++) {
    for (const size of [0, 1e-9, 0.01, 1, 5, 10.5]) {
      const random = seededRandom(cells);
      const head = { weights: Array.from({ length: BANDS }, () => size * (2 * random() - 1)), bias: 4 * random() - 2 };
      const window = windowOf(2 * cells, 2, () => Math.round(254 * random() - 127));
      assertNear(ratesOf(poolCells(window).units, head), NEAR);
    }
  }
});

test('heads of the largest weights do not overflow: vectors that agree with them in every band', () => {
  for (const weight of [10.9, -10.9]) {
    const head = { weights: Array.from({ length: BANDS }, () => weight), bias: 0 };
    const { full, near } = ratesOf(poolCells(windowOf(4, 2, () => 127)).units, head);
    assert.ok(Math.abs(full[0] - (weight > 0 ? 1 : 0)) < 1e-9);
    assert.ok(Math.abs(near[0] - full[0]) < NEAR);
  }
});
