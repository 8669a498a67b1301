import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { seededRandom } from '../seeded-random.ts';
import type { Point, Polygon, Position } from '../geometry.ts';
import { metresPerDegreeEast, metresPerDegreeNorth } from '../ellipsoid.ts';
import type { LonLat } from '../shapes/shape.ts';
import { latticeProjection, placeOnLattice, type LatticePlace } from './lattice.ts';
import { outlineSegment, SMOOTHING, type SegmentOutline } from './outline.ts';
import type { Rings } from './rings.ts';
import { segmentId } from './segment-id.ts';
import { ringsOf, traceLabels } from './trace-labels.ts';
import { runs } from '../../../test/property-runs.ts';

interface Case {
  readonly crs: string;
  readonly transform: readonly number[];
  readonly rings: readonly (readonly number[])[];
  readonly rawArea: number;
  readonly area: number;
  readonly perimeter: number;
  readonly smooth: readonly (readonly number[])[];
}
const ORACLE = join(import.meta.dirname, '../../../test/oracles/outline/smooth.json');
const CASES = JSON.parse(readFileSync(ORACLE, 'utf8')) as readonly Case[];

const DEGREE_PIXEL = 8.983111749910169e-5;
/** Rasters all over the world: [transform, crs], edges of zones and of the world included. */
const RASTERS: readonly LatticePlace[] = [
  placeOnLattice([20, 0, 500_010, 0, -20, 4_900_010], 'EPSG:32615'),
  placeOnLattice([10, 0, 300_000, 0, -10, 7_210_000], 'EPSG:32633'),
  placeOnLattice([10, 0, 166_020, 0, -10, 200], 'EPSG:32601'),
  placeOnLattice([10, 0, 833_800, 0, -10, 200], 'EPSG:32660'),
  placeOnLattice([20, 0, 500_000, 0, -20, 9_100_000], 'EPSG:32718'),
  placeOnLattice([DEGREE_PIXEL, 0, -DEGREE_PIXEL * 20, 0, -DEGREE_PIXEL, DEGREE_PIXEL * 20], 'EPSG:4326'),
  placeOnLattice([DEGREE_PIXEL, 0, 20.0001, 0, -DEGREE_PIXEL, 65], 'EPSG:4326'),
  placeOnLattice([DEGREE_PIXEL, 0, 100, 0, -DEGREE_PIXEL, 82], 'EPSG:4326'),
];
/** What shapes a random mask takes: the share of pixels kept, by column, row and a random number. */
const TEXTURES: readonly ((x: number, y: number, n: number, random: number) => boolean)[] = [
  (_x, _y, _n, random) => random < 0.45,
  (_x, _y, _n, random) => random < 0.9,
  (x, y, _n, random) => Math.sin(x / 3) * Math.cos(y / 4) + random * 0.8 > 0.3,
  (x, y, n, random) => Math.hypot(x - n / 2, y - n / 2) < n / 2 - 1 && random < 0.93,
  (x, y) => x === y || x === y + 1,
  (x, y, n) => x === n >> 1 && y === n >> 1,
  (x, y, n) => y === n >> 1 || x % 3 === 0,
  (x, y, _n, random) => (x >> 3) % 2 === (y >> 3) % 2 || random < 0.3,
];

/** A field of which the outline, moved outwards to keep the area, once had a loop in a tight bend that rounding closed. */
const HOLED_FIELD = [
  '####################.##.',
  '#######.##############.#',
  '########################',
  '########################',
  '.###.####..#######.#####',
  '#################.####.#',
  '##.############.########',
  '######.#.#####.###.#####',
  '###################.####',
  '#####.########.#####.###',
  '######.###..##.#########',
  '########################',
  '#.######.###############',
  '####.#.#################',
  '##############.######.##',
  '#######.##.#############',
  '#####################.##',
  '########################',
  '.#######################',
  '####.#.#######.####.####',
  '########.##.############',
  '####.###############.###',
  '#######################.',
  '####.#.######.###.######',
];

interface Segment {
  readonly place: LatticePlace;
  readonly corners: Rings<Int32Array>;
  readonly point: LonLat;
}
/** One segment of a random mask on one of the rasters, with a point in one of its cells, now and then on a cell's edge. */
const segments = fc
  .record({
    seed: fc.integer(),
    size: fc.integer({ min: 3, max: 40 }),
    texture: fc.nat({ max: TEXTURES.length - 1 }),
    raster: fc.nat({ max: RASTERS.length - 1 }),
    pick: fc.nat(),
    cell: fc.nat(),
    within: fc.tuple(share(), share()),
  })
  .map(({ seed, size, texture, raster, pick, cell, within }): Segment => {
    const random = seededRandom(seed);
    const labels = new Uint8Array(size * size);
    for (let p = 0; p < labels.length; p++) {
      labels[p] = TEXTURES[texture](p % size, Math.floor(p / size), size, random()) ? 1 : 0;
    }
    labels[pick % labels.length] = 1;
    const traced = traceLabels({ width: size, height: size, labels });
    const place = RASTERS[raster];
    const polygon = pick % traced.labels.length;
    const own = cellsOf(ringsOf(traced, polygon), size);
    const at = own[cell % own.length];
    const x = place.column + (at % size) + within[0];
    const y = place.row + Math.floor(at / size) + within[1];
    const out = new Float64Array(2);
    const { originX, originY, cellWidth, cellHeight, crs } = place.lattice;
    latticeProjection(crs).toLonLat(originX + x * cellWidth, originY - y * cellHeight, out, 0);
    return {
      place,
      corners: ringsOf(traced, polygon, place.column, place.row),
      point: [out[0] > 180 ? out[0] - 360 : out[0], out[1]],
    };
  });

describe('the outline of a segment', () => {
  let geos: Awaited<ReturnType<typeof initGeosJs>>;
  before(async () => {
    geos = await initGeosJs();
  });

  it('is valid, contains the point and keeps the area within 1 %, whatever the segment', () => {
    fc.assert(
      fc.property(segments, ({ corners, place, point }) => {
        const outline = outlineSegment(corners, place.lattice, point);
        assert.ok(isValid(outline.polygon), 'GEOS finds it invalid');
        assert.ok(contains(outline.polygon, { type: 'Point', coordinates: point }), 'the point is outside');
        assert.ok(Math.abs(outline.areaChangePct) <= 1, `area changed by ${outline.areaChangePct} %`);
        assert.equal(outline.polygon.coordinates.length, corners.starts.length - 1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has no loop that begins and ends at one rounded place', () => {
    const place = RASTERS[7];
    const size = HOLED_FIELD.length;
    const labels = Uint8Array.from(HOLED_FIELD.join(''), (cell) => Number(cell === '#'));
    const traced = traceLabels({ width: size, height: size, labels });
    const outline = outlineSegment(
      ringsOf(traced, traced.labels.indexOf(1), place.column, place.row),
      place.lattice,
      null,
    );
    assert.equal(outline.polygon.coordinates.length, 37);
    assert.ok(isValid(outline.polygon), 'GEOS finds it invalid');
    assert.equal(outline.smoothingSkipped, false);
  });

  it('runs counter-clockwise outside and clockwise around holes, closed, and the same every time', () => {
    fc.assert(
      fc.property(segments, ({ corners, place, point }) => {
        const { polygon } = outlineSegment(corners, place.lattice, point);
        for (const [r, ring] of polygon.coordinates.entries()) {
          assert.deepEqual(ring[0], ring.at(-1));
          assert.equal(signedArea(ring) > 0, r === 0);
        }
        assert.deepEqual(outlineSegment(corners, place.lattice, point).polygon, polygon);
      }),
      { numRuns: runs(300) },
    );
  });

  it('smooths nearly every segment', () => {
    const skipped = fc
      .sample(segments, 1000)
      .filter(({ corners, place, point }) => outlineSegment(corners, place.lattice, point).smoothingSkipped);
    assert.ok(skipped.length <= 5, `${skipped.length} of 1000 are not smoothed`);
  });

  it('is compared with outlines that keep their area, and with some that are corrected', () => {
    const corrected = CASES.filter(({ area, rawArea }) => Math.abs(area / rawArea - 1) > SMOOTHING.areaChange);
    assert.ok(corrected.length >= 3 && CASES.length - corrected.length >= 3, `${corrected.length} of ${CASES.length}`);
  });

  for (const { crs, transform, rings, rawArea, area, perimeter, smooth } of CASES) {
    it(`follows the plain algorithm in Python within a hundredth of a pixel in ${crs} at ${transform[5]}, ${Math.round(rawArea)} m2`, () => {
      const place = placeOnLattice(transform, crs);
      const outline = outlineSegment(flat(rings, place), place.lattice, null);
      const pixel = crs === 'EPSG:4326' ? 10 : transform[0];
      if (Math.abs(area / rawArea - 1) > SMOOTHING.areaChange) {
        // Beyond the bound the plain algorithm is corrected: less than a tenth of a pixel moves, and the raster's area comes back.
        assert.ok(Math.abs(outline.area / rawArea - 1) < 0.001);
        assert.ok(farthest(outline, smooth) < 0.1 * pixel);
        return;
      }
      assert.ok(Math.abs(outline.area / area - 1) < 5e-4, `${outline.area} m2, wanted ${area}`);
      assert.ok(Math.abs(outline.perimeter / perimeter - 1) < 2e-3, `${outline.perimeter} m, wanted ${perimeter}`);
      assert.ok(farthest(outline, smooth) < 0.01 * pixel, `${farthest(outline, smooth)} m off`);
    });
  }

  it('keeps the corners of a square field and its area', () => {
    const place = RASTERS[0];
    const square = flat([[0, 0, 10, 0, 10, 10, 0, 10]], place);
    const { polygon, areaChangePct, smoothingSkipped } = outlineSegment(square, place.lattice, null);
    assert.equal(polygon.coordinates[0].length, 5);
    assert.equal(smoothingSkipped, false);
    assert.ok(Math.abs(areaChangePct) < 1e-4);
  });

  it('rounds a single cell and gives it its area back', () => {
    const place = RASTERS[0];
    const { polygon, area, areaChangePct } = outlineSegment(
      flat([[0, 0, 1, 0, 1, 1, 0, 1]], place),
      place.lattice,
      null,
    );
    assert.ok(polygon.coordinates[0].length > 8);
    assert.ok(Math.abs(areaChangePct) < 0.1);
    assert.ok(Math.abs(area - 400) < 2);
  });

  it('has longitudes that run on from the point across the antimeridian', () => {
    const place = placeOnLattice([10, 0, 833_900, 0, -10, 100], 'EPSG:32660');
    const out = new Float64Array(2);
    const { toLonLat } = latticeProjection('EPSG:32660');
    toLonLat(834_105, 45, out, 0);
    const corners = flat([[0, 0, 25, 0, 25, 10, 0, 10]], place);
    const { polygon } = outlineSegment(corners, place.lattice, [out[0] - 360, out[1]]);
    const lons = polygon.coordinates[0].map(([lon]) => lon);
    assert.ok(out[0] > 180 && Math.min(...lons) < -180 && Math.max(...lons) > -180 && Math.max(...lons) < -179.9);
  });

  it('is the same for a window that starts elsewhere on the raster', () => {
    const ring = [3, 3, 9, 3, 9, 5, 12, 5, 12, 9, 3, 9];
    const moved = ring.map((value, i) => value - (i % 2 === 0 ? 3 : 2));
    const whole = placeOnLattice([DEGREE_PIXEL, 0, 10, 0, -DEGREE_PIXEL, 5], 'EPSG:4326');
    const part = placeOnLattice(
      [DEGREE_PIXEL, 0, 10 + 3 * DEGREE_PIXEL, 0, -DEGREE_PIXEL, 5 - 2 * DEGREE_PIXEL],
      'EPSG:4326',
    );
    const [a, b] = [flat([ring], whole), flat([moved], part)];
    const origin = { year: 2024, algorithm: 'aef-watershed/1' };
    assert.deepEqual(b.coords, a.coords);
    assert.equal(segmentId(b, part.lattice, origin), segmentId(a, whole.lattice, origin));
    assert.ok(Math.abs(part.lattice.originX - whole.lattice.originX) < 1e-10);
  });

  function isValid(polygon: Polygon): boolean {
    const shape = geojsonToGeosGeom(polygon, geos);
    const valid = geos.GEOSisValid(shape) === 1;
    geos.GEOSGeom_destroy(shape);
    return valid;
  }

  function contains(polygon: Polygon, point: Point): boolean {
    const [outer, inner] = [geojsonToGeosGeom(polygon, geos), geojsonToGeosGeom(point, geos)];
    const within = geos.GEOSContains(outer, inner) === 1;
    geos.GEOSGeom_destroy(outer);
    geos.GEOSGeom_destroy(inner);
    return within;
  }
});

/** A place within a cell, 0 up to 1: every fifth on its edge. */
function share(): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.double({ min: 0, max: 0.999999, noNaN: true }) },
    { weight: 1, arbitrary: fc.constant(0) },
  );
}

function flat(rings: readonly (readonly number[])[], { column, row }: LatticePlace): Rings<Int32Array> {
  const coords = Int32Array.from(rings.flat(), (value, i) => value + (i % 2 === 0 ? column : row));
  const starts = Int32Array.from({ length: rings.length + 1 }, (_, r) => rings.slice(0, r).flat().length / 2);
  return { coords, starts };
}

/** The pixels inside traced rings, by crossings along each row. */
function cellsOf({ coords, starts }: Rings<Int32Array>, size: number): number[] {
  const found: number[] = [];
  for (let p = 0; p < size * size; p++) {
    const [x, y] = [(p % size) + 0.5, Math.floor(p / size) + 0.5];
    let odd = false;
    for (let r = 0; r + 1 < starts.length; r++) {
      for (let v = starts[r], w = starts[r + 1] - 1; v < starts[r + 1]; w = v++) {
        if (coords[2 * v + 1] > y !== coords[2 * w + 1] > y && coords[2 * v] < x) odd = !odd;
      }
    }
    if (odd) found.push(p);
  }
  return found;
}

/** Largest distance in metres from a vertex of either outline to the other's edges (Hausdorff over the vertices). */
function farthest({ polygon }: SegmentOutline, smooth: readonly (readonly number[])[]): number {
  const expected = smooth.map((ring) => {
    const points = ring.flatMap((x, i) => (i % 2 === 0 ? [[x, ring[i + 1]] as const] : []));
    return [...points, points[0]];
  });
  const distances = polygon.coordinates.flatMap((ring, r) => [
    ...ring.map((point) => distanceToLine(point, expected[r])),
    ...expected[r].map((point) => distanceToLine(point, ring)),
  ]);
  return Math.max(...distances);
}

function distanceToLine([lon, lat]: Position, line: readonly Position[]): number {
  const [east, north] = [metresPerDegreeEast(lat), metresPerDegreeNorth(lat)];
  let nearest = Infinity;
  for (let i = 1; i < line.length; i++) {
    const [ax, ay] = [(line[i - 1][0] - lon) * east, (line[i - 1][1] - lat) * north];
    const [dx, dy] = [(line[i][0] - line[i - 1][0]) * east, (line[i][1] - line[i - 1][1]) * north];
    const along = Math.min(1, Math.max(0, -(ax * dx + ay * dy) / (dx * dx + dy * dy || 1)));
    nearest = Math.min(nearest, Math.hypot(ax + along * dx, ay + along * dy));
  }
  return nearest;
}

function signedArea(ring: readonly Position[]): number {
  const [x0, y0] = ring[0];
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    twice += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
  }
  return twice;
}
