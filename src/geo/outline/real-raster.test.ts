import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { runs } from '../../../test/property-runs.ts';
import { seededRandom } from '../seeded-random.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import { type CodeSource, windowOfGrid } from '../segmentation/code-window.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../segmentation/find-segment.ts';
import { forestGate } from '../segmentation/forest-gate.ts';
import type { Grid } from '../segmentation/grid.ts';
import { segmentInWindow } from '../segmentation/segment-in-window.ts';
import type { LonLat } from '../shapes/shape.ts';
import { latticeProjection, placeOnLattice } from './lattice.ts';
import { outlineSegment } from './outline.ts';
import { traceSegment } from './trace-segment.ts';

const POINTS = runs(500);
/** Sizes of windows, in cells, that are not those of `findSegment`. */
const LADDER = [50, 120, 200, 400, 700];
/** Cells of 20 m of the raster's pixel blocks, which begin at its first pixel. */
const PLACE = placeOnLattice([20, 0, 354_030, 0, -20, 4_911_010], 'EPSG:32616');
/** Windows of 3.84 km, moved by so many cells east and south of the one around the point. */
const SIDE = 192;
const SHIFTS = [
  [9, 7],
  [-13, 5],
  [-40, -60],
] as const;

interface Sample {
  readonly x: number;
  readonly y: number;
  readonly found: FoundSegment;
}

describe('forest points of a real raster', needsSharedData('aef/wisconsin_west.tif'), () => {
  let grid: Grid;
  let samples: Sample[];
  let geos: Awaited<ReturnType<typeof initGeosJs>>;

  before(async () => {
    grid = readRaster('wisconsin_west') as Grid;
    samples = await forestSamples(grid);
    geos = await initGeosJs();
  });

  it('lie in valid polygons that contain them and keep the area of their segments', () => {
    for (const { x, y, found } of samples) {
      const point = centreOf(x, y);
      const image = { width: found.width, height: found.height, labels: found.mask };
      const [dx, dy] = [found.column + PLACE.column, found.row + PLACE.row];
      const traced = traceSegment(image, (x >> 1) - found.column, (y >> 1) - found.row, dx, dy);
      assert.ok(traced);
      assert.equal(traced.pixels, found.area);
      const { polygon, areaChangePct, area, smoothingSkipped } = outlineSegment(traced.rings, PLACE.lattice, point);
      const shape = geojsonToGeosGeom(polygon, geos);
      const place = geojsonToGeosGeom({ type: 'Point', coordinates: [...point] }, geos);
      assert.equal(geos.GEOSisValid(shape), 1, `invalid at ${point}`);
      assert.equal(geos.GEOSContains(shape, place), 1, `${point} is outside`);
      geos.GEOSGeom_destroy(shape);
      geos.GEOSGeom_destroy(place);
      assert.ok(Math.abs(areaChangePct) <= 1);
      assert.equal(smoothingSkipped, false);
      // Grid metres of UTM are up to 0.08 % of an area off.
      assert.ok(Math.abs(area / (400 * found.area) - 1) < 0.011);
    }
  });

  it('have the same segment when it is looked for from its other cells, in windows of other sizes', async () => {
    const random = seededRandom(7);
    const source = sourceOf(grid);
    for (const { found } of samples) {
      const [column, row] = anotherCell(found, random);
      const again = await findSegment(source, 2 * column, 2 * row, { sides: LADDER });
      assert.deepEqual(pick(again), pick(found));
    }
  });

  it('have the same segment in single windows that lie elsewhere, unless those cut it off', () => {
    const overlaps: number[] = [];
    let proven = 0;
    for (const { x, y, found } of samples) {
      assert.equal(found.proven, true);
      for (const [east, south] of SHIFTS) {
        const left = (x >> 1) - SIDE / 2 + east;
        const top = (y >> 1) - SIDE / 2 + south;
        const window = windowOfGrid(grid, 2 * left, 2 * top, 2 * SIDE, 2 * SIDE);
        const shown = segmentInWindow(window, (x >> 1) - left, (y >> 1) - top, DEFAULT_DEPTH);
        assert.ok(shown);
        if (shown.truncated) continue;
        const moved = { ...shown, column: shown.column + left, row: shown.row + top };
        overlaps.push(intersectionOverUnion(found, moved));
        if (!shown.proven) continue;
        proven++;
        assert.ok(Buffer.from(moved.mask).equals(found.mask));
        assert.deepEqual([moved.column, moved.row], [found.column, found.row]);
      }
    }
    assert.ok(proven > 2.4 * POINTS, `only ${proven} windows prove their segment`);
    const mean = overlaps.reduce((a, b) => a + b) / overlaps.length;
    assert.ok(overlaps.length > 2.8 * POINTS && mean >= 0.999, `${mean} in ${overlaps.length} windows`);
  });
});

const pick = (found: FoundSegment | null) =>
  found && { at: [found.column, found.row], mask: found.mask, marker: found.marker, proven: found.proven };

/** A cell of the segment, every one as likely. */
function anotherCell({ mask, area, column, row, width }: FoundSegment, random: () => number): [number, number] {
  let left = Math.floor(random() * area);
  const at = mask.findIndex((value) => value === 1 && left-- === 0);
  return [column + (at % width), row + Math.floor(at / width)];
}

type Cells = Pick<FoundSegment, 'column' | 'row' | 'width' | 'height' | 'mask' | 'area'>;

function intersectionOverUnion(a: Cells, b: Cells): number {
  let both = 0;
  for (let i = 0; i < b.mask.length; i++) {
    if (b.mask[i] === 0) continue;
    const column = b.column + (i % b.width) - a.column;
    const row = b.row + Math.floor(i / b.width) - a.row;
    if (column >= 0 && row >= 0 && column < a.width && row < a.height) both += a.mask[row * a.width + column];
  }
  return both / (a.area + b.area - both);
}

function sourceOf(grid: Grid): CodeSource {
  return {
    phase: { x: 0, y: 0 },
    window: (x0, y0, width, height) => Promise.resolve(windowOfGrid(grid, x0, y0, width, height)),
  };
}

async function forestSamples(grid: Grid): Promise<Sample[]> {
  const random = seededRandom(500);
  const source = sourceOf(grid);
  const samples: Sample[] = [];
  while (samples.length < POINTS) {
    const x = Math.floor(random() * grid.width);
    const y = Math.floor(random() * grid.height);
    const found = await findSegment(source, x, y);
    assert.ok(found);
    if (forestGate(found).isForest) samples.push({ x, y, found });
  }
  return samples;
}

/** The middle of a pixel of 10 m. */
function centreOf(x: number, y: number): LonLat {
  const out = new Float64Array(2);
  latticeProjection(PLACE.lattice.crs).toLonLat(354_030 + 10 * (x + 0.5), 4_911_010 - 10 * (y + 0.5), out, 0);
  return [out[0], out[1]];
}
