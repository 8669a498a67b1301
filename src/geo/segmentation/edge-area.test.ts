import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { seededRandom } from '../seeded-random.ts';
import { type CodeSource, windowOfGrid } from './code-window.ts';
import { readEdgeArea, type EdgeArea } from './edge-area.ts';
import { edgeStrength } from './kernels/edge-kernel.ts';
import { BANDS, type Grid, NODATA } from './grid.ts';
import { runs } from '../../../test/property-runs.ts';

const SIDE = 40;
const random = seededRandom(3);
const GRID: Grid = {
  width: SIDE,
  height: SIDE,
  codes: Int8Array.from({ length: SIDE * SIDE * BANDS }, () => Math.floor(random() * 255) - 127),
  transform: [10, 0, 0, 0, -10, 0],
  crs: 'EPSG:32616',
};
for (let pixel = 0; pixel < SIDE * SIDE; pixel++) {
  if (random() < 0.2) GRID.codes.fill(NODATA, pixel * BANDS, (pixel + 1) * BANDS);
}
const SOURCE: CodeSource = {
  phase: { x: 1, y: 0 },
  window: (x0, y0, width, height) => Promise.resolve(windowOfGrid(GRID, x0, y0, width, height)),
};

/** What `column`, `row`, `width`, `height` cells have when read as one window. */
function inOneWindow(area: { column: number; row: number; width: number; height: number }): EdgeArea {
  const { column, row, width, height } = area;
  const window = windowOfGrid(GRID, 2 * column + 1, 2 * row, 2 * width, 2 * height);
  return { ...area, values: edgeStrength(window).values };
}

/** Only whether the outermost cells have data counts. */
function withoutRing({ width, height, values, ...at }: EdgeArea) {
  const isRing = (cell: number) =>
    cell < width || cell >= width * (height - 1) || cell % width === 0 || cell % width === width - 1;
  return { ...at, width, height, values: [...values].map((v, cell) => (isRing(cell) && !Number.isNaN(v) ? 0 : v)) };
}

const step = () => fc.constantFrom(0, 0, 1, 2, 5);
const areas = fc.record({
  column: fc.integer({ min: -3, max: 12 }),
  row: fc.integer({ min: -3, max: 12 }),
  width: fc.integer({ min: 3, max: 9 }),
  height: fc.integer({ min: 3, max: 9 }),
  steps: fc.array(fc.tuple(step(), step(), step(), step()), { minLength: 1, maxLength: 4 }),
});

test('strengths gathered while an area grows are those of one window, bit for bit', async () => {
  await fc.assert(
    fc.asyncProperty(areas, async ({ steps, ...start }) => {
      let area = start;
      let edges = await readEdgeArea(SOURCE, area, null, undefined);
      assert.deepEqual(edges, inOneWindow(area));
      for (const [west, north, east, south] of steps) {
        area = {
          column: area.column - west,
          row: area.row - north,
          width: area.width + west + east,
          height: area.height + north + south,
        };
        edges = await readEdgeArea(SOURCE, area, edges, undefined);
        assert.deepEqual(withoutRing(edges), withoutRing(inOneWindow(area)));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('a source that fails for one strip fails the area with its reason', async () => {
  const edges = await readEdgeArea(SOURCE, { column: 4, row: 4, width: 6, height: 6 }, null, undefined);
  const broken: CodeSource = {
    ...SOURCE,
    window: (x0, ...rest) => (x0 > 15 ? Promise.reject(new Error('torn')) : SOURCE.window(x0, ...rest)),
  };
  await assert.rejects(readEdgeArea(broken, { column: 2, row: 2, width: 10, height: 10 }, edges, undefined), /torn/);
});
