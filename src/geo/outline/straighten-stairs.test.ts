import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { utmProjection } from '../crs/utm.ts';
import { placeOnLattice } from './lattice.ts';
import { outlineSegment } from './outline.ts';
import { findStructuralCorners } from './smooth-rings.ts';
import { straightenStairs } from './straighten-stairs.ts';
import { ringsOf, traceLabels } from './trace-labels.ts';

const CELL = { width: 1, height: 1 };
/** Cells of the discs that are cut in half by a slope. */
const SIZE = 200;
/** Cells at the ends of a slope that belong to the disc. */
const ENDS = 25;

describe('stairs drawn as slopes', () => {
  for (const [rise, run, most] of [
    [1, 1, 0.01],
    [1, 2, 0.01],
    [2, 5, 0.01],
    [1, 3, 0.01],
    [2, 7, 0.01],
    [1, 8, 0.01],
    // Its runs are of one cell and two, in no order that middles make a line of.
    [3, 4, 0.3],
    [3, 5, 0.3],
  ] as const) {
    it(`an outline with a slope of ${rise} : ${run} waves by ${most} of a cell at most`, () => {
      const distances = distancesToSlope(rise, run);
      assert.ok(distances.length >= SIZE);
      assert.ok(
        Math.max(...distances) - Math.min(...distances) <= most,
        `${Math.max(...distances) - Math.min(...distances)}`,
      );
      // The slope is that of the land: half a cell of stairs to either side.
      assert.ok(Math.abs((Math.max(...distances) + Math.min(...distances)) / 2) < 0.4);
    });
  }

  it('leaves a square, a single cell and a step in a long border', () => {
    for (const ring of [
      [0, 0, 8, 0, 8, 8, 0, 8],
      [0, 0, 1, 0, 1, 1, 0, 1],
    ]) {
      const rings = { coords: Int32Array.from(ring), starts: Int32Array.of(0, 4) };
      const drawn = straightenStairs(rings, findStructuralCorners(rings, CELL, 3));
      assert.deepEqual([...drawn.coords], ring);
    }
    // A run of 40 goes on in one of 2: the step is as short as the shorter.
    const rings = { coords: Int32Array.from([0, 0, 40, 0, 40, 1, 42, 1, 42, 9, 0, 9]), starts: Int32Array.of(0, 6) };
    const drawn = straightenStairs(rings, findStructuralCorners(rings, CELL, 3));
    assert.deepEqual([...drawn.coords.subarray(0, 8)], [0, 0, 39, 0, 40, 0.5, 41, 1]);
  });

  it('keeps every corner of a traced image within 0.71 cells, and the same ring from wherever it begins', () => {
    const images = fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 144, maxLength: 144 });
    fc.assert(
      fc.property(images, fc.nat(), (labels, turn) => {
        const traced = traceLabels({ width: 12, height: 12, labels: Uint8Array.from(labels) });
        if (traced.labels.length === 0) return;
        const all = ringsOf(traced, turn % traced.labels.length);
        const ring = all.coords.slice(0, 2 * all.starts[1]);
        const drawn = vertices(drawnRing(ring));
        for (const corner of vertices(ring)) assert.ok(distanceTo(corner, drawn) <= Math.SQRT1_2 + 1e-9);
        const by = 2 * (turn % (ring.length / 2));
        const moved = Int32Array.from([...ring.subarray(by), ...ring.subarray(0, by)]);
        assert.deepEqual(new Set(vertices(drawnRing(moved)).map(String)), new Set(drawn.map(String)));
      }),
      { numRuns: runs(500) },
    );
  });
});

function drawnRing(coords: Int32Array): Float64Array {
  const rings = { coords, starts: Int32Array.of(0, coords.length / 2) };
  return straightenStairs(rings, findStructuralCorners(rings, CELL, 3)).coords;
}

type Place = readonly [x: number, y: number];

function vertices(coords: Int32Array | Float64Array): readonly Place[] {
  return Array.from({ length: coords.length / 2 }, (_, v) => [coords[2 * v]!, coords[2 * v + 1]!] as const);
}

function distanceTo([x, y]: Place, ring: readonly Place[]): number {
  return Math.min(
    ...ring.map(([ax, ay], v) => {
      const [bx, by] = ring[(v + 1) % ring.length]!;
      const [dx, dy] = [bx - ax, by - ay];
      const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
      return Math.hypot(ax + along * dx - x, ay + along * dy - y);
    }),
  );
}

/** Half a disc below a slope, outlined: how many cells it lies off the slope every half cell, away from the ends. */
function distancesToSlope(rise: number, run: number): readonly number[] {
  const place = placeOnLattice([10, 0, 500_000, 0, -10, 10_000], 'EPSG:32632');
  const labels = Uint8Array.from({ length: SIZE * SIZE }, (_, p) => {
    const [x, y] = [(p % SIZE) + 0.5 - SIZE / 2, Math.floor(p / SIZE) + 0.5 - SIZE / 2];
    return Number(Math.hypot(x, y) < SIZE / 2 - 2 && run * y - rise * x > 0.01);
  });
  const rings = ringsOf(traceLabels({ width: SIZE, height: SIZE, labels }), 0, place.column, place.row);
  const { toXY } = utmProjection(32, true);
  const xy = new Float64Array(2);
  const length = Math.hypot(rise, run);
  const drawn = outlineSegment(rings, place.lattice, null).polygon.coordinates[0]!.map(([lon, lat]) => {
    toXY(lon!, lat!, xy, 0);
    const [x, y] = [(xy[0]! - 500_000) / 10 - SIZE / 2, (10_000 - xy[1]!) / 10 - SIZE / 2];
    return { off: (run * y - rise * x) / length, along: (run * x + rise * y) / length };
  });
  const found: number[] = [];
  for (let at = ENDS - SIZE / 2 + 0.3; at < SIZE / 2 - ENDS; at += 0.5) {
    for (const [v, to] of drawn.entries()) {
      const from = drawn.at(v - 1)!;
      if (from.along > at === to.along > at) continue;
      const off = from.off + ((to.off - from.off) * (at - from.along)) / (to.along - from.along);
      if (Math.abs(off) < 2) found.push(off);
    }
  }
  return found;
}
