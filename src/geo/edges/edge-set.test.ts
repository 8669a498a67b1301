import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { nearestOnSegment } from '../rings/nearest-on-segment.ts';
import { pointInRing } from '../rings/point-in-polygon.ts';
import { pointShape, type Shape } from '../shapes/shape.ts';
import { EdgeSetBuilder } from './build-edge-set.ts';
import { EdgeHolders } from './edge-holders.ts';
import { type EdgeSet, openEdgeSet } from './edge-set.ts';
import { NearestEdge } from './nearest-edge.ts';
import { OwnersNear } from './owners-near.ts';
import { runs } from '../../../test/property-runs.ts';

interface Ring {
  readonly owner: number;
  readonly vertices: readonly number[];
}

const SCALE = 100;

/** Star-shaped rings with whole vertices, large and small, some over the edge of the map. */
const ring = fc
  .record({
    owner: fc.integer({ min: 0, max: 4 }),
    lon: fc.oneof(fc.integer({ min: -18_000, max: 18_000 }), fc.integer({ min: -300, max: 300 })),
    lat: fc.oneof(fc.integer({ min: -8_500, max: 8_500 }), fc.integer({ min: -300, max: 300 })),
    radii: fc.array(fc.integer({ min: 5, max: 500 }), { minLength: 3, maxLength: 90 }),
  })
  .map(({ owner, lon, lat, radii }): Ring => {
    const vertices = radii.flatMap((radius, i) => {
      const angle = (i / radii.length) * 2 * Math.PI;
      const x = Math.round(lon + Math.cos(angle) * radius);
      return [
        Math.max(-18_000, Math.min(18_000, x)),
        Math.max(-9_000, Math.min(9_000, Math.round(lat + Math.sin(angle) * radius))),
      ];
    });
    return { owner, vertices: [...vertices, vertices[0], vertices[1]] };
  });

function build(rings: readonly Ring[]): EdgeSet {
  const builder = new EdgeSetBuilder({ scale: SCALE });
  builder.addRing(Int32Array.of(17_000, 8_000, 17_001, 8_000, 17_001, 8_001, 17_000, 8_000), 4, 5, false);
  for (const { owner, vertices } of rings)
    builder.addRing(Int32Array.from(vertices), vertices.length / 2, owner, false);
  return openEdgeSet(builder.finish());
}

/** Rings the builder keeps. */
function hasGround({ vertices }: Ring): boolean {
  let area = 0;
  for (let i = 0; i < vertices.length - 2; i += 2)
    area += vertices[i] * vertices[i + 3] - vertices[i + 2] * vertices[i + 1];
  return area !== 0;
}

test('the owners of a point are those with a ring round it', () => {
  fc.assert(
    fc.property(
      fc.array(ring, { maxLength: 12 }),
      fc.array(fc.tuple(fc.integer({ min: -900, max: 900 }), fc.integer({ min: -900, max: 900 })), { maxLength: 40 }),
      (rings, offsets) => {
        const holders = new EdgeHolders(build(rings));
        const kept = rings.filter(hasGround);
        const out = new Int32Array(8);
        offsets.forEach(([dx, dy], i) => {
          const around = rings[i % Math.max(1, rings.length)]?.vertices ?? [0, 0];
          const x = Math.max(-17_999.5, Math.min(17_999.5, around[0] + dx + (i % 3 === 0 ? 0 : 0.37)));
          const y = Math.max(-8_999.5, Math.min(8_999.5, around[1] + dy + (i % 2 === 0 ? 0 : 0.41)));
          const inside = kept.filter(({ vertices }) => pointInRing(vertices, x, y)).map(({ owner }) => owner);
          const wanted = [...new Set(inside)].sort();
          const count = holders.allAt(x / SCALE, y / SCALE, out);
          // Rings that touch themselves wind differently from even-odd; stars do not.
          if (!onSomeEdge(kept, x, y)) assert.deepEqual([...out.subarray(0, count)], wanted, `at ${x} ${y}`);
        });
      },
    ),
    { numRuns: runs(250) },
  );
});

function onSomeEdge(rings: readonly Ring[], x: number, y: number): boolean {
  return rings.some(({ vertices }) => {
    for (let i = 0; i < vertices.length - 2; i += 2) {
      const [ax, ay, bx, by] = vertices.slice(i, i + 4);
      if (
        (bx - ax) * (y - ay) === (by - ay) * (x - ax) &&
        x >= Math.min(ax, bx) &&
        x <= Math.max(ax, bx) &&
        y >= Math.min(ay, by) &&
        y <= Math.max(ay, by)
      )
        return true;
    }
    return false;
  });
}

test('a point on the border of two owners belongs to exactly one of them', () => {
  const left = { owner: 0, vertices: [0, 0, 300, 40, 290, 500, 0, 500, 0, 0] };
  const right = { owner: 1, vertices: [300, 40, 700, 0, 700, 500, 290, 500, 300, 40] };
  const upper = { owner: 2, vertices: [0, 500, 290, 500, 700, 500, 700, 900, 0, 900, 0, 500] };
  const holders = new EdgeHolders(build([left, right, upper]));
  const out = new Int32Array(8);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (t, level) => {
      const [x, y] = level ? [1 + t * 698, 500] : [300 - t * 10, 40 + t * 460];
      assert.equal(holders.allAt(x / SCALE, y / SCALE, out), 1, `at ${x} ${y}`);
    }),
    { numRuns: runs(1000) },
  );
});

test('an edge through the very anchor of a cell leaves points on either side with the right owner', () => {
  // Anchors of cells of 25 units lie half a unit above their middles, at 12.5, 37.5, ...
  for (const [ax, ay, bx, by] of [
    [0, 0, 25, 25],
    [10, 12, 15, 13],
    [12, 5, 13, 20],
    [12, 12, 13, 13],
    [25, 0, 0, 25],
    [7, 9, 18, 16],
    [-88, -88, 113, 113],
  ]) {
    const x = ax + ((12.5 - ay) / (by - ay)) * (bx - ax);
    assert.equal(x, 12.5);
    const holders = new EdgeHolders(build([{ owner: 1, vertices: [ax, ay, bx, by, 300, by, 300, ay, ax, ay] }]));
    const west = pointInRing([ax, ay, bx, by, 300, by, 300, ay, ax, ay], 12.3, 12.5);
    assert.deepEqual([holders.firstAt(0.123, 0.125), holders.firstAt(0.127, 0.125)], [west ? 1 : -1, 1]);
  }
});

test('holes take ground away, overlapping rings of one owner do not cancel out', () => {
  const builder = new EdgeSetBuilder({ scale: SCALE });
  builder.addRing(Int32Array.of(0, 0, 1000, 0, 1000, 1000, 0, 1000, 0, 0), 5, 0, false);
  builder.addRing(Int32Array.of(500, 500, 1500, 500, 1500, 1500, 500, 1500, 500, 500), 5, 0, false);
  builder.addRing(Int32Array.of(100, 100, 200, 100, 200, 200, 100, 200, 100, 100), 5, 0, true);
  const holders = new EdgeHolders(openEdgeSet(builder.finish()));
  assert.equal(holders.firstAt(7, 7), 0);
  assert.equal(holders.firstAt(1.5, 1.5), -1);
  assert.equal(holders.firstAt(12, 12), 0);
  assert.equal(holders.firstAt(12, 2), -1);
});

test('the nearest edge of points anywhere is as near as the nearest of all edges', () => {
  const place = fc.record({
    near: fc.nat(),
    dx: fc.integer({ min: -120, max: 120 }),
    dy: fc.integer({ min: -120, max: 120 }),
  });
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 8 }), fc.array(place, { maxLength: 10 }), (rings, places) => {
      const nearest = new NearestEdge(build(rings));
      const kept = rings.filter(hasGround);
      for (const { near, dx, dy } of places) {
        const around = rings[near % rings.length].vertices;
        const lon = wrapLon((around[0] + dx) / SCALE);
        const lat = Math.max(-90, Math.min(90, (around[1] + dy) / SCALE));
        const found = nearest.find(pointShape(lon, lat), 90_000);
        const wanted = bruteForce(kept, lon, lat);
        if (found === null) assert.ok(wanted > 89_900, `nothing found, but an edge at ${wanted}`);
        else if (found.distanceM > 0)
          assert.ok(
            Math.abs(found.distanceM - wanted) <= Math.max(1, wanted * 0.001),
            `${found.distanceM}, wanted ${wanted}`,
          );
      }
    }),
    { numRuns: runs(150) },
  );
});

function wrapLon(lon: number): number {
  return lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon;
}

function bruteForce(rings: readonly Ring[], lon: number, lat: number): number {
  const all: Ring[] = [...rings, { owner: 5, vertices: [17_000, 8_000, 17_001, 8_000, 17_001, 8_001, 17_000, 8_000] }];
  const spot = { lon: 0, lat: 0 };
  let best = Infinity;
  for (const { vertices } of all) {
    for (let i = 0; i < vertices.length - 2; i += 2) {
      const d2 = nearestOnSegment(
        lon,
        lat,
        vertices[i] / SCALE,
        vertices[i + 1] / SCALE,
        vertices[i + 2] / SCALE,
        vertices[i + 3] / SCALE,
        200_000,
        spot,
      );
      if (d2 < Infinity) best = Math.min(best, geodesicDistanceM(lon, lat, spot.lon, spot.lat));
    }
  }
  return best;
}

const BLOCK = { owner: 3, vertices: [0, 0, 100, 0, 100, 100, 0, 100, 0, 0] };

function polygon(west: number, south: number, east: number, north: number): Shape {
  const ring = Float64Array.of(west, south, east, south, east, north, west, north, west, south);
  return {
    points: new Float64Array(),
    lines: [],
    polygons: [[ring]],
    bbox: [west, south, east, north],
    inside: [(west + east) / 2, (south + north) / 2],
  };
}

function lineShape(line: Float64Array): Shape {
  const [aLon, aLat, bLon, bLat] = line;
  return {
    points: new Float64Array(),
    lines: [line],
    polygons: [],
    bbox: [Math.min(aLon, bLon), Math.min(aLat, bLat), Math.max(aLon, bLon), Math.max(aLat, bLat)],
    inside: [aLon, aLat],
  };
}

test('lines and polygons are 0 m away when they cross, hold or lie inside an owner, else as far as their nearest part', () => {
  const nearest = new NearestEdge(build([BLOCK]));
  assert.equal(nearest.find(polygon(0.2, 0.2, 0.3, 0.3), 1000)?.distanceM, 0);
  assert.equal(nearest.find(polygon(-1, -1, 2, 2), 1000)?.distanceM, 0);
  assert.equal(nearest.find(polygon(0.5, -1, 0.6, 2), 1000)?.distanceM, 0);
  const beside = nearest.find(polygon(1.01, 0.3, 1.5, 0.6), 5000)?.distanceM ?? NaN;
  assert.ok(Math.abs(beside - 1113.2) < 1, `got ${beside}`);
  const line = lineShape(Float64Array.of(-3, 1.01, 5, 1.01));
  const along = nearest.find(line, 5000);
  assert.ok(Math.abs((along?.distanceM ?? NaN) - 1105.7) < 1, `got ${along?.distanceM}`);
  assert.equal(along?.owner, 3);
  assert.equal(nearest.find(line, 1000), null);
  assert.equal(nearest.find(line, 5000, 4), null);
});

test('a polygon is as near as the nearest of its sides', () => {
  const place = fc.record({
    near: fc.nat(),
    dx: fc.integer({ min: -120, max: 120 }),
    dy: fc.integer({ min: -120, max: 120 }),
  });
  fc.assert(
    fc.property(fc.array(ring, { minLength: 1, maxLength: 8 }), fc.array(place, { maxLength: 5 }), (rings, places) => {
      const nearest = new NearestEdge(build(rings));
      for (const { near, dx, dy } of places) {
        const around = rings[near % rings.length].vertices;
        const west = Math.max(-180, Math.min(179.97, (around[0] + dx) / SCALE));
        const south = Math.max(-90, Math.min(89.97, (around[1] + dy) / SCALE));
        const shape = polygon(west, south, west + 0.03, south + 0.03);
        const found = nearest.find(shape, 50_000);
        if (found?.distanceM === 0) continue;
        const [outer] = shape.polygons[0];
        const sides = [0, 2, 4, 6].flatMap((at) => nearest.find(lineShape(outer.slice(at, at + 4)), 50_000) ?? []);
        const wanted = Math.min(...sides.map(({ distanceM }) => distanceM));
        assert.ok(Math.abs((found?.distanceM ?? Infinity) - wanted) < 1 || (found === null && sides.length === 0));
      }
    }),
    { numRuns: runs(150) },
  );
});

test('owners near a place are found on both sides of the antimeridian, nearest first', () => {
  const set = build([
    { owner: 1, vertices: [17_900, 0, 17_990, 0, 17_990, 100, 17_900, 0] },
    { owner: 2, vertices: [-17_990, 0, -17_900, 0, -17_900, 100, -17_990, 0] },
  ]);
  const near = new OwnersNear(set);
  assert.deepEqual(
    near.find(-179.98, 0, 30_000, -1).map(({ owner }) => owner),
    [2, 1],
  );
  assert.deepEqual(
    near.find(179.95, 0.001, 30_000, 1).map(({ owner, distanceM }) => [owner, Math.round(distanceM / 100)]),
    [[2, 167]],
  );
});

test('the same rings in the same order make the same bytes', () => {
  const make = (): EdgeSetBuilder => {
    const builder = new EdgeSetBuilder({ scale: SCALE });
    for (let i = 0; i < 50; i++) builder.addRing(Int32Array.of(i, i, i + 30, i, i + 30, i + 20, i, i), 4, i % 3, false);
    return builder;
  };
  assert.deepEqual(make().finish(), make().finish());
});
