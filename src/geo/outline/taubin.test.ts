import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { taubin } from './taubin.ts';

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
