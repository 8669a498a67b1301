import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { findCrossings } from './find-crossings.ts';
import type { Rings } from './rings.ts';
import { runs } from '../../../test/property-runs.ts';

describe('finding crossings', () => {
  it('finds none in a square with a hole', () => {
    assert.deepEqual(findCrossings(rings([0, 0, 0, 4, 4, 4, 4, 0], [1, 1, 2, 1, 2, 2, 1, 2])), []);
  });

  it('finds a ring that crosses itself', () => {
    assert.ok(findCrossings(rings([0, 0, 4, 4, 4, 0, 0, 4])).length > 0);
  });

  it('finds a hole that crosses the exterior', () => {
    assert.ok(findCrossings(rings([0, 0, 0, 4, 4, 4, 4, 0], [3, 1, 5, 1, 5, 2, 3, 2])).length > 0);
  });

  it('finds a vertex on another edge and edges that lie on each other', () => {
    assert.ok(findCrossings(rings([0, 0, 0, 4, 4, 4, 4, 0], [0, 2, 1, 1, 1, 3])).length > 0);
    assert.ok(findCrossings(rings([0, 0, 0, 4, 4, 4, 4, 0], [4, 1, 4, 2, 3, 2, 3, 1])).length > 0);
    assert.ok(findCrossings(rings([0, 0, 0, 4, 0, 2, 4, 2])).length > 0);
  });

  it('lets two rings share a vertex', () => {
    assert.deepEqual(findCrossings(rings([0, 0, 0, 4, 4, 4, 4, 0], [1, 1, 2, 1, 2, 2], [2, 2, 3, 2, 3, 3])), []);
  });

  it('finds a ring that passes one place twice', () => {
    assert.ok(findCrossings(rings([0, 0, 0, 4, 4, 4, 2, 2, 3, 1, 1, 1, 2, 2, 4, 0])).length > 0);
  });

  it('lets a ring repeat a vertex at once, at its end too', () => {
    assert.deepEqual(findCrossings(rings([0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0])), []);
  });

  it('says what a comparison of all edges says', () => {
    const place = fc.integer({ min: 0, max: 12 });
    const ring = fc.array(fc.tuple(place, place), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(ring, { minLength: 1, maxLength: 3 }),
        fc.double({ min: 0.01, max: 3, noNaN: true }),
        (all, scale) => {
          const shape = rings(...all.map((points) => points.flatMap(([x, y]) => [x * scale, y])));
          assert.equal(findCrossings(shape).length > 0, anyTwoMeet(shape));
        },
      ),
      { numRuns: runs(2000) },
    );
  });
});

function rings(...all: number[][]): Rings {
  const starts = Int32Array.from({ length: all.length + 1 }, (_, r) => all.slice(0, r).flat().length / 2);
  return { coords: Float64Array.from(all.flat()), starts };
}

/**
 * Every pair of edges, by the parameters of the crossing; pairs that share an end meet only along a line. Vertices that a ring
 * repeats other than at once meet too.
 */
function anyTwoMeet({ coords, starts }: Rings): boolean {
  const edges: number[][] = [];
  for (let r = 0; r + 1 < starts.length; r++) {
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const next = v + 1 < starts[r + 1] ? v + 1 : starts[r];
      edges.push([coords[2 * v], coords[2 * v + 1], coords[2 * next], coords[2 * next + 1]]);
    }
  }
  for (let r = 0; r + 1 < starts.length; r++) {
    const places = Array.from({ length: starts[r + 1] - starts[r] }, (_, i) =>
      coords.subarray(2 * (starts[r] + i), 2 * (starts[r] + i) + 2).join(' '),
    );
    const visits = places.filter((here, i) => here !== places.at(i - 1));
    if (new Set(visits).size < visits.length) return true;
  }
  return edges.some((a, i) => edges.slice(i + 1).some((b) => meets(a, b)));
}

function meets([ax, ay, bx, by]: number[], [cx, cy, dx, dy]: number[]): boolean {
  const shared = [
    [ax, ay, bx, by, cx, cy, dx, dy],
    [ax, ay, bx, by, dx, dy, cx, cy],
    [bx, by, ax, ay, cx, cy, dx, dy],
    [bx, by, ax, ay, dx, dy, cx, cy],
  ].find(([px, py, , , rx, ry]) => px === rx && py === ry);
  if (shared) {
    const [px, py, qx, qy, , , sx, sy] = shared;
    const [ux, uy, wx, wy] = [qx - px, qy - py, sx - px, sy - py];
    return ux * wy - uy * wx === 0 && ux * wx + uy * wy > 0;
  }
  const side = (px: number, py: number, qx: number, qy: number, rx: number, ry: number) =>
    Math.sign((qx - px) * (ry - py) - (qy - py) * (rx - px));
  const [c, d] = [side(ax, ay, bx, by, cx, cy), side(ax, ay, bx, by, dx, dy)];
  const [e, f] = [side(cx, cy, dx, dy, ax, ay), side(cx, cy, dx, dy, bx, by)];
  const apart =
    Math.max(ax, bx) < Math.min(cx, dx) ||
    Math.max(cx, dx) < Math.min(ax, bx) ||
    Math.max(ay, by) < Math.min(cy, dy) ||
    Math.max(cy, dy) < Math.min(ay, by);
  return !apart && c * d <= 0 && e * f <= 0;
}
