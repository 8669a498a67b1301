import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { cutCorners, findStructuralCorners, taubin } from './smooth-rings.ts';
import type { PinnedRings } from './segmentize.ts';

const CELL = { width: 10, height: 10 };

/** Pins of one ring, as the list of its structural vertices. */
function structural(ring: number[], cell = CELL, minRun = 30): number[] {
  const rings = { coords: Int32Array.from(ring), starts: Int32Array.of(0, ring.length / 2) };
  return [...findStructuralCorners(rings, cell, minRun)].flatMap((pin, v) => (pin === 1 ? [v] : []));
}

describe('structural corners', () => {
  it('are those between two runs of at least three pixels', () => {
    assert.deepEqual(structural([0, 0, 3, 0, 3, 3, 0, 3]), [0, 1, 2, 3]);
    assert.deepEqual(structural([0, 0, 3, 0, 3, 2, 0, 2]), []);
  });

  it('are not the steps of a staircase', () => {
    assert.deepEqual(structural([0, 0, 5, 0, 5, 1, 6, 1, 6, 2, 7, 2, 7, 8, 0, 8]), [0, 6, 7]);
  });

  it('measure metres, not cells: at 60 degrees north a cell in degrees is half as wide', () => {
    const narrow = { width: 5, height: 10 };
    assert.deepEqual(structural([0, 0, 3, 0, 3, 3, 0, 3], narrow), []);
    assert.deepEqual(structural([0, 0, 6, 0, 6, 3, 0, 3], narrow), [0, 1, 2, 3]);
  });

  it('are found in every ring', () => {
    const rings = {
      coords: Int32Array.of(0, 0, 9, 0, 9, 9, 0, 9, 2, 2, 2, 3, 3, 3, 3, 2),
      starts: Int32Array.of(0, 4, 8),
    };
    assert.deepEqual([...findStructuralCorners(rings, CELL, 30)], [1, 1, 1, 1, 0, 0, 0, 0]);
  });
});

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

const OPTIONS = { lambda: 0.5, mu: -0.53, steps: 5 };

/** A circle of radius 1 with a ripple of four vertices. */
function rippled(count: number, ripple: number): Float64Array {
  return Float64Array.from({ length: count * 2 }, (_, i) => {
    const v = i >> 1;
    const radius = 1 + (v % 4 < 2 ? ripple : -ripple);
    const angle = (2 * Math.PI * v) / count;
    return radius * (i % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
  });
}

function radii(coords: Float64Array): number[] {
  return Array.from({ length: coords.length / 2 }, (_, v) => Math.hypot(coords[2 * v], coords[2 * v + 1]));
}

describe("Taubin's filter", () => {
  it('takes ripples out and keeps the size', () => {
    const rings = { coords: rippled(80, 0.02), starts: Int32Array.of(0, 80), pinned: new Uint8Array(80) };
    const after = radii(taubin(rings, OPTIONS).coords);
    const mean = after.reduce((sum, r) => sum + r, 0) / 80;
    assert.ok(Math.max(...after) - Math.min(...after) < 0.3 * 0.04, 'ripples stay');
    assert.ok(Math.abs(mean - 1) < 0.002, `mean radius ${mean}`);
  });

  it('leaves pinned vertices where they are, and its input as it was', () => {
    const coords = rippled(40, 0.05);
    const pinned = Uint8Array.from({ length: 40 }, (_, v) => (v % 10 === 0 ? 1 : 0));
    const copy = coords.slice();
    const after = taubin({ coords, starts: Int32Array.of(0, 40), pinned }, OPTIONS).coords;
    assert.deepEqual(coords, copy);
    for (let v = 0; v < 40; v++) assert.equal(after[2 * v] === coords[2 * v], v % 10 === 0);
  });

  it('does nothing in no steps', () => {
    const rings = { coords: rippled(12, 0.1), starts: Int32Array.of(0, 12), pinned: new Uint8Array(12) };
    assert.deepEqual(taubin(rings, { ...OPTIONS, steps: 0 }).coords, rings.coords);
  });

  it('smooths each ring by itself', () => {
    const one = rippled(20, 0.05);
    const alone = taubin({ coords: one, starts: Int32Array.of(0, 20), pinned: new Uint8Array(20) }, OPTIONS);
    const both = {
      coords: Float64Array.of(...one, ...one),
      starts: Int32Array.of(0, 20, 40),
      pinned: new Uint8Array(40),
    };
    assert.deepEqual(taubin(both, OPTIONS).coords, Float64Array.of(...alone.coords, ...alone.coords));
  });
});
