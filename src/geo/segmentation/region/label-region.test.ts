import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readRaster } from '../../../../test/oracles/segmentation/read-raster.ts';
import { seededRandom } from '../../seeded-random.ts';
import type { CellArea } from '../cell-area.ts';
import { type CodeSource, windowOfGrid } from '../code-window.ts';
import { edgeStrength } from '../kernels/edge-kernel.ts';
import { findSegment } from '../find-segment.ts';
import weights from '../forest-gate.json' with { type: 'json' };
import { forestGate } from '../forest-gate.ts';
import { BANDS, type Grid, NODATA } from '../grid.ts';
import { CELL_STATUS } from './label-region-cut.ts';
import { countMarkers, labelRegion, segmentNumber, type LabelRegionOptions } from './label-region.ts';
import { segmentEdges } from '../segment-edges.ts';
import { runs } from '../../../../test/property-runs.ts';

const RUNS = runs(300);
function sourceOf(grid: Grid, x: 0 | 1 = 0, y: 0 | 1 = 0): CodeSource & { readonly rows: number[] } {
  const rows: number[] = [];
  return {
    rows,
    phase: { x, y },
    window: (x0, y0, width, height) => {
      rows.push(y0);
      return Promise.resolve(windowOfGrid(grid, x0, y0, width, height));
    },
  };
}

/** 2 x 2 blocks of equal pixels, each block one of 26 vectors, every other one leaning to forest; -1 for no data. */
function gridOf(width: number, height: number, kindAt: (column: number, row: number) => number): Grid {
  const codes = new Int8Array(4 * width * height * BANDS);
  const vectors = new Map<number, Int8Array>();
  for (let pixel = 0; pixel < 4 * width * height; pixel++) {
    const kind = kindAt((pixel % (2 * width)) >> 1, Math.floor(pixel / (4 * width)));
    codes.set(vectors.getOrInsertComputed(kind, vectorOf), pixel * BANDS);
  }
  return { width: 2 * width, height: 2 * height, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

const vectorOf = (kind: number): Int8Array =>
  Int8Array.from({ length: BANDS }, (_, band) => {
    const lean = kind % 2 === 0 ? 0 : 40 * Math.sign(weights.weights[band]);
    return kind < 0 ? NODATA : Math.round(60 * Math.sin((kind + 1) * (band + 1) * 0.37) + lean);
  });

const all = ({ width, height }: Grid): CellArea => ({ column: 0, row: 0, width: width / 2, height: height / 2 });

function label(grid: Grid, options: Partial<LabelRegionOptions> = {}, area = all(grid)) {
  return labelRegion(sourceOf(grid), area, { bounds: all(grid), origin: { column: 0, row: 0 }, ...options });
}

/** The cells that carry the label of a cell. */
function alike(labels: ArrayLike<number>, cell: number): number[] {
  const cells: number[] = [];
  for (let other = 0; other < labels.length; other++) if (labels[other] === labels[cell]) cells.push(other);
  return cells;
}

const rasters = fc.tuple(fc.integer({ min: 8, max: 40 }), fc.integer({ min: 8, max: 40 })).chain(([width, height]) =>
  fc.record({
    width: fc.constant(width),
    height: fc.constant(height),
    kinds: fc.array(fc.integer({ min: -1, max: 25 }), { minLength: width * height, maxLength: width * height }),
    depth: fc.constantFrom(0.02, 0.2, 0.5),
    block: fc.integer({ min: 3, max: 20 }),
    parts: fc.record({
      side: fc.integer({ min: 1, max: 12 }),
      margins: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
    }),
  }),
);

test('on any raster, a resolved segment is that of the whole raster, whole, however the raster is divided', async () => {
  let [resolved, unresolved] = [0, 0];
  await fc.assert(
    fc.asyncProperty(rasters, async ({ width, height, kinds, depth, block, parts }) => {
      const grid = gridOf(width, height, (column, row) => kinds[row * width + column]);
      const whole = segmentEdges(edgeStrength(windowOfGrid(grid)), depth);
      const { labels, status } = await label(grid, { depth, block, parts, sides: [6, 10] });
      for (let cell = 0; cell < labels.length; cell++) {
        if (whole.labels[cell] === 0) {
          assert.equal(status[cell], CELL_STATUS.nodata);
          assert.equal(labels[cell], 0);
          continue;
        }
        // All cells of a segment fare alike, on both sides of every edge of a block.
        const marker = whole.markers[whole.labels[cell] - 1];
        assert.equal(status[cell], status[marker]);
        if (status[cell] === CELL_STATUS.unresolved) {
          unresolved++;
          assert.equal(labels[cell], 0);
          continue;
        }
        resolved++;
        assert.equal(labels[cell], segmentNumber(marker % width, Math.floor(marker / width)));
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(resolved > 10 * RUNS && unresolved > 10 * RUNS, `${resolved} resolved, ${unresolved} not`);
});

test('on any raster, cuts of parts write what one cut of each block with its surroundings writes', async () => {
  const uncut = { side: 1000, margins: [1000] };
  await fc.assert(
    fc.asyncProperty(rasters, async ({ width, height, kinds, depth, block, parts }) => {
      const grid = gridOf(width, height, (column, row) => kinds[row * width + column]);
      const options = { depth, block, sides: [6, 16] };
      assert.deepEqual(await label(grid, { ...options, parts }), await label(grid, { ...options, parts: uncut }));
    }),
    { numRuns: RUNS },
  );
});

test('on any raster, forest is what the gate says of the segment found for a cell', async () => {
  let [forest, background] = [0, 0];
  await fc.assert(
    fc.asyncProperty(rasters, fc.nat(), async ({ width, height, kinds, depth, block }, pick) => {
      const grid = gridOf(width, height, (column, row) => kinds[row * width + column]);
      const { labels, status } = await label(grid, { depth, block, sides: [10, 30] });
      const cell = pick % (width * height);
      if (labels[cell] === 0) return;
      const found = await findSegment(sourceOf(grid), 2 * (cell % width), 2 * Math.floor(cell / width), { depth });
      assert.ok(found?.proven);
      assert.equal(found.area, alike(labels, cell).length);
      const { isForest } = forestGate(found);
      assert.equal(status[cell], isForest ? CELL_STATUS.forest : CELL_STATUS.background);
      if (isForest) forest++;
      else background++;
    }),
    // Few segments of such rasters are background.
    { numRuns: 5 * RUNS },
  );
  assert.ok(forest > RUNS / 100 && background > RUNS / 100, `${forest} forest, ${background} background`);
});

test('on a real raster every division gives the same labels, and they are those of single lookups', async (t) => {
  const grid = readRaster('wisconsin_west');
  if (grid === null) return t.skip('sample rasters are not there');
  const whole = await label(grid);
  const { width, height } = all(grid);
  assert.equal(whole.status.includes(CELL_STATUS.unresolved), false);
  for (const block of [111, 200]) {
    const divided = await label(grid, { block, parts: { side: 70, margins: [24, 60] } });
    assert.deepEqual(divided.labels, whole.labels);
    assert.deepEqual(divided.status, whole.status);
    assert.equal(divided.segments, whole.segments);
  }
  const part = { column: 31, row: 47, width: 120, height: 90 };
  const { labels } = await label(grid, { block: 100 }, part);
  for (let row = 0; row < part.height; row++) {
    const from = (part.row + row) * width + part.column;
    assert.deepEqual(
      labels.slice(row * part.width, (row + 1) * part.width),
      whole.labels.slice(from, from + part.width),
    );
  }
  const random = seededRandom(5);
  for (let i = 0; i < 100; i++) {
    const cell = Math.floor(random() * width * height);
    const found = await findSegment(sourceOf(grid), 2 * (cell % width), 2 * Math.floor(cell / width));
    assert.ok(found?.proven);
    assert.equal(whole.labels[cell], segmentNumber(...found.marker));
    assert.equal(alike(whole.labels, cell).length, found.area);
    assert.equal(whole.status[cell] === CELL_STATUS.forest, forestGate(found).isForest);
  }
});

test('every number is one segment, and as many are counted', async () => {
  const random = seededRandom(3);
  const grid = gridOf(60, 50, () => Math.floor(random() * 27) - 1);
  const { labels, status, segments } = await label(grid, { depth: 0.1, sides: [40, 80] });
  assert.equal(status.includes(CELL_STATUS.unresolved), false);
  assert.equal(new Set(labels.filter((number) => number > 0)).size, segments);
});

test('the phase of the source moves the lattice, and the half cells at its edge are labelled', async () => {
  const grid = gridOf(12, 12, (column) => (column < 6 ? 0 : 9));
  const shifted: Grid = { ...grid, codes: new Int8Array(grid.codes.length) };
  for (let y = 0; y < 24; y++) windowOfGrid(grid, -1, -1, 24, 24).copyRow(y, shifted.codes.subarray(y * 24 * BANDS));
  const plain = await label(grid);
  const bounds = { column: -1, row: -1, width: 13, height: 13 };
  const moved = await labelRegion(sourceOf(shifted, 1, 1), bounds, { bounds, origin: { column: -1, row: -1 } });
  // The first row and column of the shifted raster have no data: its cell 0 is the plain raster's.
  assert.equal(moved.status[0], CELL_STATUS.nodata);
  const inner = [...plain.status.keys()].filter((cell) => cell % 12 < 11 && cell < 11 * 12);
  for (const cell of inner) {
    assert.equal(moved.status[(Math.floor(cell / 12) + 1) * 13 + (cell % 12) + 1], plain.status[cell]);
  }
});

test('a segment wider than the largest proof is left unresolved in every block', async () => {
  const { status, labels, segments } = await label(
    gridOf(80, 80, () => 3),
    { block: 20, sides: [8, 16] },
  );
  assert.ok(status.every((state) => state === CELL_STATUS.unresolved));
  assert.ok(labels.every((number) => number === 0));
  assert.equal(segments, 0);
});

test('a segment that ends with the raster is resolved', async () => {
  const { status } = await label(
    gridOf(30, 20, () => 3),
    { block: 16, sides: [80] },
  );
  assert.ok(status.every((state) => state === status[0] && state !== CELL_STATUS.unresolved));
});

test('cells beyond the raster have no data', async () => {
  const grid = gridOf(8, 8, () => 3);
  const { status } = await label(grid, {}, { column: -5, row: 4, width: 10, height: 10 });
  assert.deepEqual([status[0], status[4], status[5], status[59]], [1, 1, status[9], 1]);
  assert.notEqual(status[5], CELL_STATUS.nodata);
  const far = await label(grid, {}, { column: 5_000, row: 5_000, width: 4, height: 4 });
  assert.ok(far.status.every((state) => state === CELL_STATUS.nodata));
});

test('pixels are requested once, in strips that end where blocks of 256 do', async () => {
  const grid = gridOf(20, 600, (column, row) => (column + row) % 20);
  const source = sourceOf(grid);
  const done: number[] = [];
  await labelRegion(
    source,
    { column: 0, row: 100, width: 20, height: 200 },
    {
      bounds: all(grid),
      origin: { column: 0, row: 0 },
      sides: [20],
      block: 64,
      onProgress: (cells) => void done.push(cells),
    },
  );
  assert.deepEqual(source.rows, [160, 256, 512]);
  assert.deepEqual(done, [64 * 20, 128 * 20, 192 * 20, 200 * 20]);
});

test('a marker before the origin of the numbers is refused', async () => {
  await assert.rejects(
    label(
      gridOf(8, 8, () => 1),
      { origin: { column: 1, row: 0 } },
    ),
    /wanted markers from the origin/,
  );
});

test('numbers are whole, above zero and below 2 to the power of 32', () => {
  assert.equal(segmentNumber(0, 0), 1);
  assert.equal(segmentNumber(65_535, 65_534), 65_534 * 65_536 + 65_536);
  assert.ok(segmentNumber(65_535, 65_534) < 2 ** 32);
});

test('cells that have their own number are counted, also where numbers of columns and rows begin again', () => {
  for (const [column, row] of [
    [0, 0],
    [65_533, 65_533],
    [131_068, 131_066],
  ]) {
    const own = Uint32Array.from({ length: 48 }, (_, i) => segmentNumber(column + (i % 8), row + Math.floor(i / 8)));
    assert.equal(countMarkers(own, 8, column, row), 48);
    const some = own.map((number, i) => (i % 3 === 0 ? number : own[0] + 2));
    assert.equal(countMarkers(some, 8, column, row), some.filter((number, i) => number === own[i]).length);
  }
});

test('a source that fails fails the region, and an abort stops it', async () => {
  const grid = gridOf(8, 8, () => 1);
  const bounds = all(grid);
  const broken: CodeSource = { phase: { x: 0, y: 0 }, window: () => Promise.reject(new Error('no bytes')) };
  await assert.rejects(labelRegion(broken, bounds, { bounds, origin: bounds }), /no bytes/);
  const signal = AbortSignal.abort(new Error('given up'));
  await assert.rejects(label(grid, { signal }), /given up/);
});
