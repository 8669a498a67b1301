import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../seeded-random.ts';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { windowOfGrid } from './code-window.ts';
import { BANDS, dequantise, type Grid, NODATA } from './grid.ts';
import { findSegment, type FoundSegment } from './find-segment.ts';
import { forestGate, meanProbability } from './forest-gate.ts';
import weights from './forest-gate.json' with { type: 'json' };
import { loadEdgeKernel, placeRows } from './kernels/edge-kernel.ts';
import { poolCells, UNIT } from './pool-cells.ts';

/** A segment of the cells in `mask`, 2 x 1 cells in the lower right of a window of 3 x 2 cells. */
function segmentOf(
  mask: readonly number[],
  codeAt: (column: number, row: number, band: number) => number,
): FoundSegment {
  const codes = Int8Array.from({ length: 6 * 4 * BANDS }, (_, i) => {
    const pixel = Math.floor(i / BANDS);
    return codeAt((pixel % 6) >> 1, Math.floor(pixel / 12), i % BANDS);
  });
  const grid: Grid = { width: 6, height: 4, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
  return {
    column: 101,
    row: 51,
    width: 2,
    height: 1,
    mask: Uint8Array.from(mask),
    area: mask.filter((value) => value === 1).length,
    marker: [101, 51],
    truncated: false,
    proven: true,
    within: { column: 100, row: 50, width: 4, height: 3 },
    codes: { window: windowOfGrid(grid), column: 100, row: 50 },
  };
}

const head = { weights: Array.from({ length: BANDS }, (_, band) => (band === 0 ? 3 : 0)), bias: -1 };
const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));

test('the mean is over the cells of the segment alone', () => {
  const oneBand = (column: number, row: number, band: number) =>
    band === (row === 1 && column > 0 ? column - 1 : 5) ? 90 : 0;
  const both = meanProbability(segmentOf([1, 1], oneBand), head);
  assert.ok(Math.abs(both - (sigmoid(2) + sigmoid(-1)) / 2) < 1e-4, String(both));
  const second = meanProbability(segmentOf([0, 1], oneBand), head);
  assert.ok(Math.abs(second - sigmoid(-1)) < 1e-4);
});

test('vectors are taken at length one', () => {
  const faint = (_column: number, _row: number, band: number) => (band === 0 ? 5 : 0);
  assert.ok(Math.abs(meanProbability(segmentOf([1, 1], faint), head) - sigmoid(2)) < 1e-4);
});

test('the kernel gives a probability the bits that plain code gives it', () => {
  const kernel = loadEdgeKernel();
  const { first, weights, rates, end } = placeRows(13);
  kernel.memory.grow(Math.ceil(end / 65_536));
  const { buffer } = kernel.memory;
  const units = new Int16Array(buffer, first, 13 * BANDS);
  const out = new Float64Array(buffer, rates, 13);
  const random = seededRandom(23);
  for (let round = 0; round < 4000; round++) {
    // From sums that e^x knows by its first terms to those at its ends.
    const scale = 10 ** (9 * random() - 7);
    const head = Array.from({ length: BANDS }, () => (scale * (random() - 0.5)) / 8);
    const bias = round % 5 === 0 ? 0 : Math.max(-600, Math.min(600, scale * (random() - 0.5)));
    new Float64Array(buffer, weights, BANDS).set(head);
    for (let i = 0; i < units.length; i++) units[i] = Math.round((random() - 0.5) * 2 * UNIT);
    kernel.rate(13, first, weights, bias, rates);
    for (const [cell, probability] of out.entries()) {
      let logit = 0;
      for (let band = 0; band < BANDS; band++) logit += head[band] * units[cell * BANDS + band];
      assert.equal(probability, sigmoid(bias + logit / UNIT));
    }
  }
  for (const bias of [0, 1, -1, 700, -700, 2 ** -28, -(2 ** -29), 0.5 * Math.LN2, -1.5 * Math.LN2]) {
    units.fill(0);
    kernel.rate(13, first, weights, bias, rates);
    assert.equal(out[12], sigmoid(bias));
  }
});

test('a head whose sums the kernel cannot take is refused', () => {
  const steep = { weights: Array.from({ length: BANDS }, () => 11), bias: 0 };
  const segment = segmentOf([1, 1], () => 1);
  assert.throws(() => meanProbability(segment, steep), /at most 700/);
});

test('a head with another number of weights is refused', () => {
  const short = { weights: [1, 2], bias: 0 };
  assert.throws(
    () =>
      meanProbability(
        segmentOf([1, 1], () => 1),
        short,
      ),
    { message: 'a head must have 64 weights; got 2' },
  );
});

test('the gate on real segments is the logistic regression on each cell, averaged', async (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const source = {
    phase: { x: 0, y: 0 } as const,
    window: async (...at: [number, number, number, number, unknown]) => windowOfGrid(grid, at[0], at[1], at[2], at[3]),
  };
  const outcomes = new Set<boolean>();
  for (let i = 0; i < 20; i++) {
    const found = await findSegment(source, (i * 131) % 560, (i * 277) % 978);
    assert.ok(found);
    const gate = forestGate(found);
    assert.ok(Math.abs(gate.probability - inFloats(grid, found)) < 1e-3);
    outcomes.add(gate.isForest);
  }
  assert.deepEqual(outcomes, new Set([true, false]));
});

function inFloats(grid: Grid, { mask, width, column, row, area }: FoundSegment): number {
  let sum = 0;
  for (const cell of mask.keys()) {
    if (mask[cell] === 0) continue;
    const pixel = 2 * (row + Math.floor(cell / width)) * grid.width + 2 * (column + (cell % width));
    const vector = Array.from({ length: BANDS }, (_, band) =>
      [0, 1, grid.width, grid.width + 1].reduce((v, p) => v + dequantise(grid.codes[(pixel + p) * BANDS + band]), 0),
    );
    const dot = vector.reduce((v, value, band) => v + value * weights.weights[band], 0);
    sum += sigmoid(weights.bias + dot / Math.hypot(...vector));
  }
  return sum / area;
}

test('the sum is that of the plain pooled vectors, to the last bit', () => {
  const random = seededRandom(5);
  for (const nodata of [0, 0.01, 0.3]) {
    const segment = segmentOf([1, 1], () => (random() < nodata ? NODATA : Math.floor(random() * 255) - 127));
    const { units, width } = poolCells(segment.codes.window);
    const each = [1, 2].map((column) => {
      let logit = 0;
      for (let band = 0; band < BANDS; band++) {
        logit += weights.weights[band] * units[(width + column) * BANDS + band];
      }
      return sigmoid(weights.bias + logit / UNIT);
    });
    assert.equal(meanProbability(segment, weights), (each[0] + each[1]) / 2);
  }
});
