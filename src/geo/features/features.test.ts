import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { seededRandom } from '../seeded-random.ts';
import { geodesicDistanceM } from '../ellipsoid.ts';
import { createHits } from '../packed-tree.ts';
import { pointShape, type Shape } from '../shapes/shape.ts';
import { toShape } from '../shapes/to-shape.ts';
import { countWithin } from './count-within.ts';
import { createProbe } from './create-probe.ts';
import { curveKey } from '../hilbert.ts';
import { FeatureBuilder } from './feature-builder.ts';
import { AREA, LINE, POINT, type IndexedFeatures } from './feature-set.ts';
import { FootprintSums } from './built-up-grid.ts';
import { gatherWithin } from './gather-within.ts';
import { nearestFeature, nearestInRings } from './nearest-feature.ts';
import { runs } from '../../../test/property-runs.ts';

describe('nearestFeature', () => {
  it('agrees with the geodesic to the nearest of many points along every line', () => {
    for (const [lon, lat] of [
      [0, 0],
      [101.5, 3.2],
      [-73.03, 5.82],
      [25, -62],
      [-179.98, 66],
    ] as const) {
      const random = seededRandom(lon * 7 + lat);
      const lines = Array.from({ length: 40 }, () => randomLine(random, lon, lat, 0.03));
      const set = setOf(lines.map((line) => ({ type: LINE, parts: [line] })));
      for (let i = 0; i < 15; i++) {
        const x = turned(lon + (random() - 0.5) * 0.06);
        const y = lat + (random() - 0.5) * 0.06;
        const found = nearestFeature(set, createProbe(pointShape(x, y)), 5_000);
        const wanted = lines.map((line) => sampledDistance(x, y, line));
        const least = Math.min(...wanted);
        if (least > 5_000) continue;
        assert.ok(found !== null, `nothing within 5 km of ${x}, ${y}; wanted ${least} m`);
        const allowed = 0.02 + least * 1e-4;
        assert.ok(
          Math.abs(found.distanceM - least) < allowed,
          `at ${x}, ${y}: got ${found.distanceM}, wanted ${least}`,
        );
        assert.ok(wanted[found.id] < least + allowed, 'another line is nearer');
      }
    }
  });

  it('is right to a centimetre next to a side of many kilometres', () => {
    const line = [10, 50, 10.8, 50.5];
    const set = setOf([{ type: LINE, parts: [line] }]);
    for (let t = 0.05; t < 1; t += 0.1) {
      const [x, y] = [10 + 0.8 * t + 0.004, 50 + 0.5 * t - 0.006];
      const { distanceM } = nearestFeature(set, createProbe(pointShape(x, y)), 5_000) ?? { distanceM: -1 };
      assert.ok(Math.abs(distanceM - sampledDistance(x, y, line, 400_000)) < 0.01, `${distanceM} at ${t}`);
    }
  });

  it('is 0 inside an area, the way to its edge in a hole, and to a second polygon of the same area', () => {
    const outer = square(0, 0, 0.02);
    const hole = square(0.005, 0.005, 0.01);
    const island = square(0.03, 0, 0.01);
    const set = setOf([{ type: AREA, parts: [outer, hole, island] }]);
    const at = (x: number, y: number): number | undefined =>
      nearestFeature(set, createProbe(pointShape(x, y)), 5_000)?.distanceM;
    assert.equal(at(0.001, 0.001), 0);
    assert.equal(at(0.035, 0.005), 0);
    const inHole = at(0.006, 0.01) ?? -1;
    assert.ok(Math.abs(inHole - geodesicDistanceM(0.006, 0.01, 0.005, 0.01)) < 0.001, `${inHole}`);
  });

  it('takes an area cut at the antimeridian for one, from either side', () => {
    const [east, west] = [square(179.99, -17, 0.01), square(-180, -17, 0.01)];
    for (const parts of [
      [east, west],
      [west, east],
    ]) {
      const set = setOf([{ type: AREA, parts }]);
      const hits = createHits();
      const all = { accepts: () => true, countOf: (first: number, end: number) => end - first };
      for (const [x, distanceM] of [
        [179.995, 0],
        [-179.995, 0],
        [-179.985, geodesicDistanceM(-179.985, -16.995, -179.99, -16.995)],
        [179.985, geodesicDistanceM(179.985, -16.995, 179.99, -16.995)],
      ] as const) {
        const probe = createProbe(pointShape(x, -16.995));
        const found = nearestFeature(set, probe, 2_000)?.distanceM ?? -1;
        assert.ok(Math.abs(found - distanceM) < 0.001, `${found} at ${x}`);
        gatherWithin(set, probe, 2_000, hits);
        assert.equal(hits.count, 1);
        assert.equal(countWithin(set, probe, 2_000, all).count, 1);
      }
    }
  });

  it('finds over the antimeridian, from either side', () => {
    const set = setOf([{ type: POINT, parts: [[-179.999, -17]] }]);
    const found = nearestFeature(set, createProbe(pointShape(179.999, -17)), 1_000);
    const wanted = geodesicDistanceM(179.999, -17, -179.999, -17);
    assert.ok(found !== null && Math.abs(found.distanceM - wanted) < 0.001);
  });

  it('decides by the geodesic at the limit itself', () => {
    const wanted = geodesicDistanceM(8, 45, 8.01, 45.005);
    const set = setOf([{ type: POINT, parts: [[8.01, 45.005]] }]);
    const probe = createProbe(pointShape(8, 45));
    assert.notEqual(nearestFeature(set, probe, wanted + 1e-4), null);
    assert.equal(nearestFeature(set, probe, wanted - 1e-4), null);
  });

  it('takes the lower number among equals', () => {
    const set = setOf([
      { type: POINT, parts: [[1.001, 0]] },
      { type: POINT, parts: [[1.001, 0]] },
    ]);
    assert.equal(nearestFeature(set, createProbe(pointShape(1, 0)), 1_000)?.id, 0);
  });
});

describe('distances from shapes', () => {
  it('agree with those from the nearest of many points of the shape', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 20; round++) {
      const [lon, lat] = [random() * 300 - 150, random() * 120 - 60];
      const line = randomLine(random, lon, lat, 0.02);
      const feature = randomLine(random, lon, lat, 0.02).map((value, i) => value + (i % 2 === 0 ? 0.03 : 0));
      const set = setOf([{ type: LINE, parts: [feature] }]);
      const shape = shapeOf({ type: 'LineString', coordinates: pairs(line) });
      const { distanceM } = nearestFeature(set, createProbe(shape), 50_000) ?? { distanceM: -1 };
      const wanted = Math.min(...pairs(sampled(line, 100)).map(([x, y]) => sampledDistance(x, y, feature, 100)));
      assert.ok(Math.abs(distanceM - wanted) < 1 + wanted * 1e-3, `got ${distanceM}, wanted ${wanted}`);
    }
  });

  it('are 0 when one lies inside the other and when sides cross', () => {
    const area = setOf([{ type: AREA, parts: [square(0, 0, 0.1)] }]);
    const small = polygonShape(square(0.04, 0.04, 0.01));
    const large = polygonShape(square(-1, -1, 3));
    const crossing = shapeOf({
      type: 'LineString',
      coordinates: [
        [-0.05, 0.05],
        [0.15, 0.05],
      ],
    });
    for (const shape of [small, large, crossing])
      assert.equal(nearestFeature(area, createProbe(shape), 1_000)?.distanceM, 0);
  });
});

describe('nearestFeature and the search by growing windows', () => {
  it('find the same, at any latitude and reach', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 10, max: 50_000 }), (seed, withinM) => {
        const random = seededRandom(seed);
        const [lon, lat, size] = [random() * 340 - 170, random() * 150 - 75, withinM / 60_000];
        const lines = Array.from({ length: 300 }, () =>
          randomLine(random, lon + (random() - 0.5) * size, lat + (random() - 0.5) * size, 0.004),
        );
        const set = setOf(lines.map((line) => ({ type: LINE, parts: [line] })));
        for (let i = 0; i < 10; i++) {
          const probe = createProbe(pointShape(lon + (random() - 0.5) * size, lat + (random() - 0.5) * size));
          assert.deepEqual(nearestFeature(set, probe, withinM), nearestInRings(set, probe, withinM));
        }
      }),
      { numRuns: runs(50, 20) },
    );
  });
});

describe('gatherWithin', () => {
  it('finds what measuring every feature finds, and the nearest of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 10, max: 3_000 }), (seed, withinM) => {
        const random = seededRandom(seed);
        const boxes = Array.from({ length: 200 }, () =>
          square(random() * 0.05, 10 + random() * 0.05, random() * 0.002),
        );
        const set = setOf(boxes.map((box) => ({ type: AREA, parts: [box] })));
        const probe = createProbe(pointShape(random() * 0.05, 10 + random() * 0.05));
        const hits = createHits();
        const nearestM = gatherWithin(set, probe, withinM, hits);
        const distances = boxes.map((_, id) => probe.distanceM(set, id, 1e6));
        const wanted = [...distances.keys()].filter((id) => distances[id] <= withinM);
        assert.deepEqual(
          [...hits.ids.subarray(0, hits.count)].sort((a, b) => a - b),
          wanted,
        );
        const least = Math.min(Infinity, ...wanted.map((id) => distances[id]));
        assert.ok(nearestM === least || Math.abs(nearestM - least) < 1e-3, `got ${nearestM}, wanted ${least}`);
      }),
      { numRuns: runs(100, 30) },
    );
  });
});

describe('countWithin', () => {
  it('counts what measuring every accepted point counts, and names the nearest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 10, max: 2_500 }), (seed, withinM) => {
        const random = seededRandom(seed);
        const [lon, lat] = [random() * 360 - 180, random() * 150 - 75];
        // Whole steps, so that some places are equal.
        const step = (): number => Math.round((random() - 0.5) * 300) * 1e-4;
        const points = Array.from({ length: 700 }, () => [turned(lon + step()), lat + step()]);
        const set = setOf(points.map((point) => ({ type: POINT, parts: [point] })));
        const probe = createProbe(pointShape(turned(lon + step() / 2), lat + step() / 2));
        // Some, all, and all of some nodes of the tree and none of others.
        const chosen = [(id: number) => id % 3 !== 0, () => true, (id: number) => id < 90];
        const accepts: (id: number) => boolean = chosen[seed % 3];
        const countOf = (first: number, end: number): number =>
          Array.from({ length: end - first }, (_, i) => first + i).filter(accepts).length;
        const got = countWithin(set, probe, withinM, { accepts, countOf });
        const distances = points.map((_, id) => probe.distanceM(set, id, withinM));
        const wanted = [...distances.keys()].filter((id) => accepts(id) && distances[id] <= withinM);
        assert.equal(got.count, wanted.length);
        const least = Math.min(Infinity, ...wanted.map((id) => distances[id]));
        assert.ok(got.nearestM === least || Math.abs(got.nearestM - least) < 1e-3);
        if (wanted.length > 0) assert.ok(Math.abs(distances[got.nearest] - least) < 1e-6);
        else assert.equal(got.nearest, -1);
      }),
      { numRuns: runs(200) },
    );
  });

  it('names the lower number among equals', () => {
    const set = setOf(Array.from({ length: 40 }, () => ({ type: POINT, parts: [[1.001, 0]] })));
    const counted = {
      accepts: (id: number) => id > 4,
      countOf: (first: number, end: number) => end - Math.max(first, 5),
    };
    const { count, nearest } = countWithin(set, createProbe(pointShape(1, 0)), 1_000, counted);
    assert.deepEqual([count, nearest], [35, 5]);
  });
});

describe('curveKey', () => {
  it('gives near places near keys and every cell its own', () => {
    const keys = new Set<number>();
    for (let x = 0; x < 32; x++) for (let y = 0; y < 32; y++) keys.add(curveKey(x * 1e-5, y * 1e-5));
    assert.equal(keys.size, 32 * 32);
    assert.ok([...keys].every((key) => Number.isSafeInteger(key) && key >= 0 && key < 2 ** 52));
  });

  it('visits neighbours one after the other: a walk along it never jumps', () => {
    const cell = 360 / 2 ** 26;
    const near = Array.from({ length: 64 * 64 }, (_, i) => [(i % 64) * cell, Math.floor(i / 64) * (cell / 2)]);
    const walk = near.toSorted(
      ([a, b], [c, d]) => curveKey(a + cell / 2, b + cell / 4) - curveKey(c + cell / 2, d + cell / 4),
    );
    for (let i = 1; i < walk.length; i++) {
      const steps = Math.abs(walk[i][0] - walk[i - 1][0]) / cell + Math.abs(walk[i][1] - walk[i - 1][1]) / (cell / 2);
      assert.ok(Math.abs(steps - 1) < 1e-6, `a jump of ${steps} cells`);
    }
  });
});

describe('FootprintSums', () => {
  it('adds up more cells than one run takes, whatever their order', () => {
    const sums = new FootprintSums();
    const count = 700_000;
    // 7,919 is prime, so that every cell comes once each time, far from its neighbours.
    for (let round = 0; round < 2; round++) for (let i = 0; i < count; i++) sums.add((i * 7_919) % count, i % 10);
    const { cells, m2 } = sums.finish();
    assert.equal(cells.length, count);
    assert.ok(cells.every((cell, i) => cell === i));
    assert.equal(
      m2.reduce((a, b) => a + b, 0),
      9 * count,
    );
    assert.equal(sums.finish().cells.length, 0);
  });
});

interface Drawn {
  readonly type: number;
  readonly parts: readonly (readonly number[])[];
}

function setOf(features: readonly Drawn[]): IndexedFeatures {
  const builder = new FeatureBuilder();
  for (const { type, parts } of features) {
    builder.begin(type);
    for (const part of parts) {
      for (const [x, y] of pairs(part)) builder.vertex(x, y);
      builder.endPart();
    }
    assert.ok(builder.end());
  }
  return builder.finish() as IndexedFeatures;
}

function pairs(flat: readonly number[]): [number, number][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
}

function square(x: number, y: number, size: number): number[] {
  return [x, y, x + size, y, x + size, y + size, x, y + size, x, y];
}

function polygonShape(ring: readonly number[]): Shape {
  return shapeOf({ type: 'Polygon', coordinates: [pairs(ring)] });
}

function shapeOf(geometry: unknown): Shape {
  const { shape } = toShape(geometry);
  assert.ok(shape !== null);
  return shape;
}

function randomLine(random: () => number, lon: number, lat: number, size: number): number[] {
  const scale = 1e7;
  const near = (middle: number): number => Math.round((middle + (random() - 0.5) * size) * scale) / scale;
  return [near(lon), near(lat), near(lon), near(lat), near(lon), near(lat)].map((v, i) =>
    i % 2 === 0 ? turned(v) : v,
  );
}

function turned(lon: number): number {
  return lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon;
}

/** Points along a line, `steps` to a side. */
function sampled(line: readonly number[], steps: number): number[] {
  const out: number[] = [];
  for (let i = 0; i + 3 < line.length; i += 2)
    for (let step = 0; step <= steps; step++) {
      const t = step / steps;
      out.push(line[i] + t * (line[i + 2] - line[i]), line[i + 1] + t * (line[i + 3] - line[i + 1]));
    }
  return out;
}

/** Least geodesic to points along a line, first coarsely, then finely around the best. */
function sampledDistance(x: number, y: number, line: readonly number[], steps = 20_000): number {
  let least = Infinity;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const at = (t: number): number =>
      geodesicDistanceM(x, y, line[i] + t * (line[i + 2] - line[i]), line[i + 1] + t * (line[i + 3] - line[i + 1]));
    let [low, high] = [0, 1];
    for (let width = 1; width > 1 / steps; width /= 5) {
      const ts = Array.from({ length: 11 }, (_, k) => low + ((high - low) * k) / 10);
      const distances = ts.map(at);
      const nearest = Math.min(...distances);
      const best = ts[distances.indexOf(nearest)]!;
      [low, high] = [Math.max(0, best - (high - low) / 10), Math.min(1, best + (high - low) / 10)];
      least = Math.min(least, nearest);
    }
  }
  return least;
}
