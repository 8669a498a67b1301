import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { readRaster } from '../../../test/oracles/segmentation/read-raster.ts';
import { seededRandom } from '../../../test/seeded-random.ts';
import { needsSharedData } from '../../../test/shared-data.ts';
import { windowOfGrid } from '../segmentation/code-window.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../segmentation/find-segment.ts';
import { forestGate } from '../segmentation/forest-gate.ts';
import type { Grid } from '../segmentation/grid.ts';
import { segmentInWindow } from '../segmentation/segment-in-window.ts';
import type { LonLat } from '../shape.ts';
import { latticeProjection, placeOnLattice } from './lattice.ts';
import { outlineSegment } from './outline.ts';
import { traceSegment } from './trace-segment.ts';

const POINTS = 100;
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

  it('have the same segment in windows that lie elsewhere, unless those cut it off', () => {
    let compared = 0;
    for (const { x, y, found } of samples) {
      assert.equal(found.proven, true);
      for (const [east, south] of SHIFTS) {
        const left = (x >> 1) - SIDE / 2 + east;
        const top = (y >> 1) - SIDE / 2 + south;
        const window = windowOfGrid(grid, 2 * left, 2 * top, 2 * SIDE, 2 * SIDE);
        const shown = segmentInWindow(window, (x >> 1) - left, (y >> 1) - top, DEFAULT_DEPTH);
        assert.ok(shown);
        if (!shown.proven) continue;
        compared++;
        assert.deepEqual([shown.column + left, shown.row + top], [found.column, found.row]);
        assert.deepEqual(shown.mask, found.mask);
      }
    }
    assert.ok(compared > 2.5 * POINTS, `only ${compared} windows prove their segment`);
  });
});

async function forestSamples(grid: Grid): Promise<Sample[]> {
  const random = seededRandom(500);
  const source = {
    phase: { x: 0, y: 0 } as const,
    window: (x0: number, y0: number, width: number, height: number) =>
      Promise.resolve(windowOfGrid(grid, x0, y0, width, height)),
  };
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
