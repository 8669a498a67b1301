import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { clipRing } from './clip-ring.ts';
import { roundCorners } from './round-corners.ts';
import { createSharedEdges } from './shared-edges.ts';
import { simplifyLine } from './simplify-line.ts';

const vertex = fc.tuple(fc.integer({ min: -180_000, max: 180_000 }), fc.integer({ min: -90_000, max: 90_000 }));
const ring = fc
  .array(vertex, { minLength: 3, maxLength: 30 })
  .map((vertices) => [...vertices, vertices[0] ?? [0, 0]].flat());

/** Twice the area by the shoelace formula. */
function area(vertices: Int32Array | readonly number[]): number {
  let sum = 0;
  for (let i = 0; i + 3 < vertices.length; i += 2)
    sum += vertices[i] * vertices[i + 3] - vertices[i + 2] * vertices[i + 1];
  return sum;
}

describe('clipping a ring', () => {
  it('parts it into two sides whose areas add up and that stay on their side', () => {
    fc.assert(
      fc.property(
        ring,
        fc.integer({ min: -90_000, max: 90_000 }),
        fc.constantFrom(0 as const, 1 as const),
        (r, edge, axis) => {
          const [below, above] = [clipRing(r, axis, edge, -1), clipRing(r, axis, edge, 1)];
          for (let i = axis; i < below.length; i += 2) assert.ok(below[i] <= edge);
          for (let i = axis; i < above.length; i += 2) assert.ok(above[i] >= edge);
          // Crossings are rounded to whole thousandths, each by half a one along at most the whole world.
          assert.ok(Math.abs(area(below) + area(above) - area(r)) <= r.length * 400_000);
        },
      ),
    );
  });

  it('leaves a ring of one side as it is, and nothing on the other', () => {
    const square = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0];
    assert.deepEqual(clipRing(square, 0, 20, -1), square);
    assert.deepEqual(clipRing(square, 0, 20, 1), []);
    assert.deepEqual(clipRing(square, 1, 4, 1), [10, 4, 10, 10, 0, 10, 0, 4, 10, 4]);
  });
});

describe('simplifying a line', () => {
  it('keeps its ends and strays nowhere farther than the tolerance', () => {
    fc.assert(
      fc.property(
        fc.array(vertex, { minLength: 2, maxLength: 40 }),
        fc.integer({ min: 1, max: 5000 }),
        (vertices, by) => {
          const line = vertices.flat();
          const out = simplifyLine(line, by);
          assert.deepEqual(out.slice(0, 2), line.slice(0, 2));
          assert.deepEqual(out.slice(-2), line.slice(-2));
          for (const [x, y] of vertices) assert.ok(distanceToLine(x, y, out) <= by + 1e-6);
        },
      ),
    );
  });
});

describe('rounding corners', () => {
  it('cuts sharp ones of a ring, strays nowhere far and leaves the rest', () => {
    assert.deepEqual(
      roundCorners([0, 0, 10, 0, 10, 10, 0, 10, 0, 0]),
      [0, 3, 3, 0, 7, 0, 10, 3, 10, 7, 7, 10, 3, 10, 0, 7, 0, 3],
    );
    // The vertex at the middle of the lower edge turns by 11 degrees.
    assert.deepEqual(roundCorners([0, 0, 100, 10, 200, 0, 200, 200, 0, 200, 0, 0]).slice(4, 6), [100, 10]);
    fc.assert(
      fc.property(ring, (r) => {
        const out = roundCorners(r);
        assert.deepEqual(out.slice(0, 2), out.slice(-2));
        for (let i = 0; i < out.length; i += 2) assert.ok(distanceToLine(out[i], out[i + 1], r) <= 1);
        for (let i = 0; i < r.length; i += 2) assert.ok(distanceToLine(r[i], r[i + 1], out) <= 7);
      }),
    );
  });
});

describe('shared edges', () => {
  it('are those that two rings have, each its own way round, and no coast', () => {
    const edges = createSharedEdges();
    assert.deepEqual(edges.add([0, 0, 10, 0, 10, 10, 0, 10, 0, 0]), []);
    assert.deepEqual(edges.add([10, 0, 20, 0, 20, 10, 10, 10, 10, 0]), [[10, 10, 10, 0]]);
  });

  it('are none of an islet that two countries have, and the whole of a country in another', () => {
    const edges = createSharedEdges();
    const islet = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0];
    assert.deepEqual([edges.add(islet), edges.add(islet)], [[], []]);
    assert.deepEqual(edges.add([0, 0, 0, 10, 10, 10, 10, 0, 0, 0]), [[0, 0, 0, 10, 10, 10, 10, 0, 0, 0]]);
  });

  it('are distinguished by the thousands', () => {
    const edges = createSharedEdges();
    const far = (i: number): number[] => [i, 0, i + 1, 7, i + 1, 9, i, 9, i, 0].map((value) => value * 3);
    for (let i = 0; i < 40_000; i += 2) assert.deepEqual(edges.add(far(i)), []);
    for (let i = 0; i < 40_000; i += 2) assert.equal(edges.add(turned(far(i))).flat().length, 10);
  });
});

function turned(vertices: readonly number[]): number[] {
  return vertices.flatMap((_, i) => (i % 2 === 0 ? vertices.slice(vertices.length - i - 2, vertices.length - i) : []));
}

function distanceToLine(x: number, y: number, line: readonly number[]): number {
  let least = Infinity;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [dx, dy] = [line[i + 2] - line[i], line[i + 3] - line[i + 1]];
    const length = dx * dx + dy * dy;
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - line[i]) * dx + (y - line[i + 1]) * dy) / length));
    least = Math.min(least, Math.hypot(x - line[i] - t * dx, y - line[i + 1] - t * dy));
  }
  return least;
}
