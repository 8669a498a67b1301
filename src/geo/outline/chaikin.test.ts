import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { cutCorners } from './chaikin.ts';
import type { PinnedRings } from './segmentize.ts';

function ring(coords: readonly number[], pins: readonly number[] = []): PinnedRings {
  const pinned = new Uint8Array(coords.length / 2);
  for (const pin of pins) pinned[pin] = 1;
  return { coords: Float64Array.from(coords), starts: Int32Array.of(0, coords.length / 2), pinned };
}

/** Chaikin without keeping straight vertices: two points for every vertex that is not pinned. */
function plainly({ coords, pinned, starts }: PinnedRings): PinnedRings {
  const points: number[] = [];
  const pins: number[] = [];
  const n = pinned.length;
  for (let v = 0; v < n; v++) {
    const at = (w: number) => [coords[2 * ((w + n) % n)], coords[2 * ((w + n) % n) + 1]] as const;
    const [x, y] = at(v);
    if (pinned[v] === 1) {
      points.push(x, y);
      pins.push(1);
      continue;
    }
    for (const [ox, oy] of [at(v - 1), at(v + 1)]) {
      points.push(0.75 * x + 0.25 * ox, 0.75 * y + 0.25 * oy);
      pins.push(0);
    }
  }
  return {
    coords: Float64Array.from(points),
    starts: Int32Array.of(starts[0], pins.length),
    pinned: Uint8Array.from(pins),
  };
}

/** The vertices at which a ring turns. */
function bends({ coords }: PinnedRings): string[] {
  const n = coords.length / 2;
  const found: string[] = [];
  for (let v = 0; v < n; v++) {
    const [a, b] = [(v + n - 1) % n, (v + 1) % n];
    const [ux, uy] = [coords[2 * v] - coords[2 * a], coords[2 * v + 1] - coords[2 * a + 1]];
    const [wx, wy] = [coords[2 * b] - coords[2 * v], coords[2 * b + 1] - coords[2 * v + 1]];
    if (Math.abs(ux * wy - uy * wx) > 1e-9) found.push(`${coords[2 * v].toFixed(9)} ${coords[2 * v + 1].toFixed(9)}`);
  }
  return found.toSorted();
}

describe("Chaikin's corner cutting", () => {
  it('puts two points in the place of a corner', () => {
    assert.deepEqual(
      [...cutCorners(ring([0, 0, 4, 0, 4, 4, 0, 4])).coords],
      [0, 1, 1, 0, 3, 0, 4, 1, 4, 3, 3, 4, 1, 4, 0, 3],
    );
  });

  it('keeps a pinned corner and leaves out the points next to it', () => {
    const cut = cutCorners(ring([0, 0, 4, 0, 4, 4, 0, 4], [1]));
    assert.deepEqual([...cut.coords], [0, 1, 1, 0, 4, 0, 4, 3, 3, 4, 1, 4, 0, 3]);
    assert.deepEqual([...cut.pinned], [0, 0, 1, 0, 0, 0, 0]);
  });

  it('draws the same curve as cutting every vertex, on straight runs with fewer points', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(steps, fc.nat({ max: 3 }), (stairs, pin) => {
        const shape = staircase(stairs, pin);
        const [short, long] = [cutCorners(cutCorners(shape)), plainly(plainly(shape))];
        assert.deepEqual(bends(short), bends(long));
        assert.ok(short.coords.length <= long.coords.length);
      }),
    );
  });
});

/** A staircase up and a straight way back, with a vertex at every unit. */
function staircase(stairs: readonly (readonly [number, number])[], pin: number): PinnedRings {
  const points: number[] = [];
  let [x, y] = [0, 0];
  const go = (dx: number, dy: number, length: number) => {
    for (let k = 0; k < length; k++) {
      points.push(x, y);
      x += dx;
      y += dy;
    }
  };
  for (const [run, rise] of stairs) {
    go(1, 0, run);
    go(0, 1, rise);
  }
  const [width, height] = [x, y];
  go(-1, 0, width);
  go(0, -1, height);
  return ring(points, pin === 0 ? [] : [0]);
}
