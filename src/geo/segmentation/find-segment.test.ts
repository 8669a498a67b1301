import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { type CodeSource, windowOfGrid } from './code-window.ts';
import { edgeStrength } from './kernels/edge-kernel.ts';
import { findSegment, type FoundSegment } from './find-segment.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';
import { segmentEdges } from './segment-edges.ts';
import { runs } from '../../../test/property-runs.ts';

const RUNS = runs(400);
function sourceOf(grid: Grid, x: 0 | 1 = 0, y: 0 | 1 = 0): CodeSource & { readonly windows: number[] } {
  const windows: number[] = [];
  return {
    windows,
    phase: { x, y },
    window: (x0, y0, width, height) => {
      windows.push(width);
      return Promise.resolve(windowOfGrid(grid, x0, y0, width, height));
    },
  };
}

/** 2 x 2 blocks of equal pixels, each block one of `kinds` vectors; `kindAt` says which, or -1 for no data. */
function gridOf(width: number, height: number, kindAt: (column: number, row: number) => number): Grid {
  const codes = new Int8Array(4 * width * height * BANDS);
  for (let pixel = 0; pixel < 4 * width * height; pixel++) {
    const kind = kindAt((pixel % (2 * width)) >> 1, Math.floor(pixel / (4 * width)));
    for (let band = 0; band < BANDS; band++) {
      codes[pixel * BANDS + band] = kind < 0 ? NODATA : Math.round(60 * Math.sin((kind + 1) * (band + 1) * 0.37));
    }
  }
  return { width: 2 * width, height: 2 * height, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

/** Cells of a found segment as `row * 10000 + column` on the lattice. */
function cellsOf(found: FoundSegment | null): number[] {
  if (found === null) return [];
  return [...found.mask.keys()]
    .filter((cell) => found.mask[cell] === 1)
    .map((cell) => (found.row + Math.floor(cell / found.width)) * 10_000 + found.column + (cell % found.width));
}

test('on any raster, a proven segment is that of the whole raster', async () => {
  const rasters = fc.tuple(fc.integer({ min: 6, max: 26 }), fc.integer({ min: 6, max: 26 })).chain(([width, height]) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      kinds: fc.array(fc.integer({ min: -1, max: 25 }), { minLength: width * height, maxLength: width * height }),
      at: fc.nat(width * height - 1),
      depth: fc.constantFrom(0.02, 0.2, 0.5),
    }),
  );
  let proven = 0;
  await fc.assert(
    fc.asyncProperty(rasters, async ({ width, height, kinds, at, depth }) => {
      const grid = gridOf(width, height, (column, row) => kinds[row * width + column]);
      const whole = segmentEdges(edgeStrength(windowOfGrid(grid)), depth);
      const [x, y] = [2 * (at % width), 2 * Math.floor(at / width)];
      const found = await findSegment(sourceOf(grid), x, y, { depth, sides: [6, 12, 20] });
      assert.equal(found === null, whole.labels[at] === 0);
      if (found === null || !found.proven) return;
      proven++;
      assert.equal(found.truncated, false);
      const label = whole.labels[at];
      const expected = [...whole.labels.keys()].filter((cell) => whole.labels[cell] === label);
      assert.deepEqual(
        cellsOf(found),
        expected.map((cell) => Math.floor(cell / width) * 10_000 + (cell % width)),
      );
      assert.equal(found.area, expected.length);
      assert.equal(found.marker[1] * width + found.marker[0], whole.markers[label - 1]);
    }),
    { numRuns: RUNS },
  );
  assert.ok(proven > RUNS / 4, `only ${proven} of ${RUNS} were proven`);
});

test('on a real raster, segments from growing windows are those of the whole raster', async (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const whole = segmentEdges(edgeStrength(windowOfGrid(grid)), 0.005);
  const source = sourceOf(grid);
  for (let i = 0; i < 120; i++) {
    const x: number = (i * 331) % grid.width;
    const y: number = (i * 577) % grid.height;
    const found = await findSegment(source, x, y);
    assert.ok(found?.proven);
    const label: number = whole.labels[(y >> 1) * whole.width + (x >> 1)];
    const cells = cellsOf(found);
    assert.equal(cells.length, whole.labels.filter((other) => other === label).length);
    for (const cell of cells)
      assert.equal(whole.labels[Math.floor(cell / 10_000) * whole.width + (cell % 10_000)], label);
  }
});

test('every cell of a segment finds the same segment with the same marker', async () => {
  const grid = gridOf(30, 30, (column, row) => Math.floor(column / 10) + 3 * Math.floor(row / 10));
  const source = sourceOf(grid);
  const found = await findSegment(source, 30, 30, { sides: [8, 40] });
  for (const cell of cellsOf(found)) {
    const other = await findSegment(source, 2 * (cell % 10_000), 2 * Math.floor(cell / 10_000), {
      sides: [12, 24, 40],
    });
    assert.deepEqual(cellsOf(other), cellsOf(found));
    assert.deepEqual(other?.marker, found?.marker);
  }
});

test('the lattice begins at the phase of the source', async () => {
  const grid = gridOf(12, 12, (column) => (column < 6 ? 0 : 9));
  const shifted: Grid = { ...grid, codes: new Int8Array(grid.codes.length) };
  for (let y = 0; y < 24; y++) windowOfGrid(grid, -1, -1, 24, 24).copyRow(y, shifted.codes.subarray(y * 24 * BANDS));
  const plain = await findSegment(sourceOf(grid), 4, 4);
  const moved = await findSegment(sourceOf(shifted, 1, 1), 5, 5);
  assert.deepEqual(moved?.marker, plain?.marker);
  assert.equal(moved?.column, plain?.column);
});

test('the window grows until the segment is proven, and no further', async () => {
  const source = sourceOf(gridOf(60, 60, (column, row) => (Math.hypot(column - 30, row - 30) < 8 ? 0 : 9)));
  const found = await findSegment(source, 60, 60, { sides: [8, 20, 100, 200] });
  assert.equal(Math.max(...source.windows), 2 * (100 + 2));
  assert.equal(found?.proven, true);
});

test('the window grows to the sides on which the proof is wanting, and to no others', async () => {
  const source = sourceOf(gridOf(120, 120, (column) => (column < 40 || column > 100 ? -1 : column < 60 ? 2 : 7)));
  const asked: number[][] = [];
  const recording: CodeSource = {
    ...source,
    window: (...rectangle) => {
      asked.push(rectangle.slice(0, 4) as number[]);
      return source.window(...rectangle);
    },
  };
  const found = await findSegment(recording, 100, 120, { sides: [16, 32, 64, 512] });
  assert.equal(found?.proven, true);
  assert.equal(found?.area, 20 * 120);
  // West of the nodata there is nothing to prove: the window never reaches there, although it reaches all of north and south.
  const west = Math.min(...asked.map(([x]) => x));
  assert.ok(west >= 2 * (50 - 16 - 1), `reads from pixel ${west}`);
  assert.ok(Math.min(...asked.map(([, y]) => y)) < 0);
});

test('growing reads hardly more pixels than the last window has', async () => {
  const grid = gridOf(80, 80, () => 4);
  const source = sourceOf(grid);
  let pixels = 0;
  const counting: CodeSource = {
    ...source,
    window: (x0, y0, width, height, signal) => {
      pixels += width * height;
      return source.window(x0, y0, width, height, signal);
    },
  };
  const sides = [16, 24, 32, 48, 64, 96, 128, 200];
  const found = await findSegment(counting, 80, 80, { sides });
  assert.equal(found?.area, 80 * 80);
  const last = (2 * (200 + 2)) ** 2;
  const segment = (2 * 80) ** 2;
  assert.ok(pixels - segment < 1.2 * last, `${pixels - segment} pixels for a window of ${last}`);
});

test('a segment larger than the largest window is truncated and says so', async () => {
  const found = await findSegment(sourceOf(gridOf(60, 60, () => 3)), 60, 60, { sides: [8, 16] });
  assert.equal(found?.truncated, true);
  assert.equal(found?.proven, false);
  assert.equal(found?.area, 16 * 16);
});

test('the edge of the raster does not truncate', async () => {
  const found = await findSegment(sourceOf(gridOf(20, 10, () => 3)), 0, 0, { sides: [8, 64] });
  assert.deepEqual([found?.proven, found?.truncated, found?.area, found?.column, found?.row], [true, false, 200, 0, 0]);
});

test('a lone cell amid no data is a segment of one cell', async () => {
  const source = sourceOf(gridOf(9, 9, (column, row) => (column === 4 && row === 4 ? 0 : -1)));
  const found = await findSegment(source, 9, 8);
  assert.deepEqual(cellsOf(found), [40_004]);
  assert.deepEqual(found?.marker, [4, 4]);
});

test('a segment may have holes', async () => {
  const source = sourceOf(gridOf(15, 15, (column, row) => (column % 4 === 2 && row % 4 === 2 ? -1 : 5)));
  const found = await findSegment(source, 0, 0);
  assert.equal(found?.area, 15 * 15 - 16);
  assert.equal(found?.mask[2 * 15 + 2], 0);
});

test('where there is no data there is no segment', async () => {
  const source = sourceOf(gridOf(8, 8, (column) => (column < 4 ? -1 : 2)));
  assert.equal(await findSegment(source, 2, 2), null);
  assert.equal(await findSegment(source, -50, 3), null);
  assert.equal(await findSegment(source, 3, 5000), null);
});

test('sides that do not grow are refused', async () => {
  const source = sourceOf(gridOf(8, 8, () => 1));
  for (const [sides, got] of [
    [[], 'none'],
    [[8, 8], '8, 8'],
    [[16, 8], '16, 8'],
    [[0.5], '0.5'],
  ] as const) {
    await assert.rejects(findSegment(source, 2, 2, { sides }), {
      name: 'RangeError',
      message: new RegExp(`got ${got}$`),
    });
  }
});

test('an aborted search stops before the next window', async () => {
  const source = sourceOf(gridOf(8, 8, () => 1));
  const signal = AbortSignal.abort(new Error('given up'));
  await assert.rejects(findSegment(source, 2, 2, { signal }), /given up/);
  assert.deepEqual(source.windows, []);
});
