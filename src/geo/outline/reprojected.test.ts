import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { seededRandom } from '../seeded-random.ts';
import { type Crs, findCrs } from '../crs/find-crs.ts';
import { openProjection } from '../crs/open-projection.ts';
import { reprojectPolygon } from '../crs/reproject-polygon.ts';
import type { Polygon, Position } from '../geometry.ts';
import type { LonLat } from '../shapes/shape.ts';
import { latticeProjection, placeOnLattice, type LatticePlace } from './lattice.ts';
import { outlineSegment } from './outline.ts';
import { traceSegment } from './trace-segment.ts';
import { runs } from '../../../test/property-runs.ts';

const DEGREE_CELL = 2 * 8.983111749910169e-5;
/** Rasters and CRS in use where they lie: the zone's own and its neighbour, national grids, equal areas, Web Mercator. */
const PLACES: readonly { readonly place: LatticePlace; readonly systems: readonly string[] }[] = [
  {
    place: placeOnLattice([20, 0, 500_010, 0, -20, 4_900_010], 'EPSG:32615'),
    systems: ['EPSG:32615', 'EPSG:32616', 'EPSG:5070', 'EPSG:26915', 'EPSG:3857', 'EPSG:6933'],
  },
  {
    place: placeOnLattice([20, 0, 300_000, 0, -20, 7_210_000], 'EPSG:32633'),
    systems: ['EPSG:32633', 'EPSG:3035', 'EPSG:3034', 'EPSG:3857', 'EPSG:6933'],
  },
  {
    place: placeOnLattice([DEGREE_CELL, 0, 24.0001, 0, -DEGREE_CELL, 65], 'EPSG:4326'),
    systems: ['EPSG:32634', 'EPSG:3067', 'EPSG:3035', 'EPSG:3857', 'EPSG:6933'],
  },
  {
    place: placeOnLattice([DEGREE_CELL, 0, -56.0001, 0, -DEGREE_CELL, -5], 'EPSG:4326'),
    systems: ['EPSG:32721', 'EPSG:31981', 'EPSG:5880', 'EPSG:3857', 'EPSG:6933'],
  },
];
const EQUAL_AREA = new Set(['EPSG:5070', 'EPSG:3035', 'EPSG:6933']);

interface Lookup {
  readonly place: LatticePlace;
  readonly crs: Crs;
  readonly size: number;
  readonly texture: number;
  readonly seed: number;
  readonly column: number;
  readonly row: number;
  /** Where in its cell the point lies, as shares. */
  readonly within: readonly [number, number];
}

/** Shares of a cell, every other one on its edge or a few millimetres from it. */
const share = () => fc.oneof(fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.constantFrom(0, 1e-4, 0.9999));
const places = fc
  .constantFrom(...PLACES)
  .chain(({ place, systems }) => fc.record({ place: fc.constant(place), crs: fc.constantFrom(...systems).map(crsOf) }));
const lookups = fc
  .tuple(
    places,
    fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 3, max: 40 }) }, fc.integer({ min: 200, max: 500 })),
  )
  .chain(([{ place, crs }, size]) =>
    fc.record({
      place: fc.constant(place),
      crs: fc.constant(crs),
      size: fc.constant(size),
      // Large ones are full, and have the long edges that a projection bends.
      texture: size > 40 ? fc.constant(1) : fc.constantFrom(0.6, 0.9, 1),
      seed: fc.integer(),
      column: fc.oneof(fc.nat(size - 1), fc.constantFrom(0, size - 1)),
      row: fc.oneof(fc.nat(size - 1), fc.constantFrom(0, size - 1)),
      within: fc.tuple(share(), share()),
    }),
  );

describe('an outline taken to another CRS', () => {
  let geos: Awaited<ReturnType<typeof initGeosJs>>;
  before(async () => {
    geos = await initGeosJs();
  });

  it('stays valid, keeps its point inside and its area, whatever the segment', () => {
    fc.assert(
      fc.property(lookups, (lookup) => {
        const { place, crs } = lookup;
        const point = pointOf(lookup);
        const outline = outlineSegment(cornersOf(lookup), place.lattice, point);
        assertHolds(outline.polygon, point);
        assert.ok(Math.abs(outline.areaChangePct) <= 1);
        const polygon = reprojectPolygon(outline.polygon, crs);
        assert.ok(polygon);
        const out = new Float64Array(2);
        openProjection(crs).toXY(...point, out, 0);
        assertHolds(polygon, [out[0], out[1]]);
        // The edges that were measured are geodesics, 2 m off a straight line in degrees where they are 10 km long.
        if (EQUAL_AREA.has(crs.name)) assert.ok(Math.abs(areaOf(polygon) / outline.area - 1) < 5e-4);
      }),
      { numRuns: runs(1200) },
    );
  });

  function assertHolds(polygon: Polygon, point: readonly [number, number]): void {
    const shape = geojsonToGeosGeom(polygon, geos);
    const spot = geojsonToGeosGeom({ type: 'Point', coordinates: [...point] }, geos);
    const [valid, contains] = [geos.GEOSisValid(shape), geos.GEOSContains(shape, spot)];
    geos.GEOSGeom_destroy(shape);
    geos.GEOSGeom_destroy(spot);
    assert.equal(valid, 1, 'GEOS finds it invalid');
    assert.equal(contains, 1, `${point} is outside`);
  }
});

function crsOf(text: string): Crs {
  const crs = findCrs(text);
  assert.ok(!('refused' in crs), text);
  return crs;
}

function cornersOf({ place, size, texture, seed, column, row }: Lookup) {
  const random = seededRandom(seed);
  const labels = Uint8Array.from({ length: size * size }, () => (random() <= texture ? 1 : 0));
  labels[row * size + column] = 1;
  const traced = traceSegment({ width: size, height: size, labels }, column, row, place.column, place.row);
  assert.ok(traced);
  return traced.rings;
}

function pointOf({ place, column, row, within }: Lookup): LonLat {
  const { originX, originY, cellWidth, cellHeight, crs } = place.lattice;
  const x = originX + (place.column + column + within[0]) * cellWidth;
  const y = originY - (place.row + row + within[1]) * cellHeight;
  const out = new Float64Array(2);
  latticeProjection(crs).toLonLat(x, y, out, 0);
  return [out[0], out[1]];
}

/** In the square of the polygon's unit, holes taken off. */
function areaOf({ coordinates }: Polygon): number {
  const signed = (ring: readonly Position[]): number => {
    const [x0, y0] = ring[0];
    let twice = 0;
    for (let i = 1; i < ring.length; i++) {
      twice += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
    }
    return twice / 2;
  };
  return coordinates.reduce((sum, ring) => sum + signed(ring), 0);
}
