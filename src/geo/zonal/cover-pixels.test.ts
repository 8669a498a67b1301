import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { coverPixels, type PixelPolygon, type PixelWindow } from './cover-pixels.ts';

const ring = (...places: number[]): Float64Array => Float64Array.from([...places, ...places.slice(0, 2)]);

function shares(polygons: readonly PixelPolygon[], window: PixelWindow): number[] {
  const out = new Float64Array(window.width * window.height);
  coverPixels(polygons, window, out);
  return [...out];
}

const ORACLE = join(import.meta.dirname, '../../../test/oracles/zonal/coverage.json');
const SQUARE = { x0: 0, y0: 0, width: 16, height: 16 };
const WINDOW = { x0: 0, y0: 0, width: 4, height: 3 };

interface Oracle {
  readonly rings: readonly (readonly (readonly [number, number])[])[];
  readonly shares: readonly number[];
}

describe('coverPixels', () => {
  it('agrees with cutting every pixel by GEOS to 1e-12', () => {
    const cases = JSON.parse(readFileSync(ORACLE, 'utf8')) as Oracle[];
    assert.equal(cases.length, 40);
    for (const { rings, shares: wanted } of cases) {
      const got = shares([rings.map((places) => Float64Array.from(places.flat()))], SQUARE);
      for (const [i, share] of got.entries()) assert.ok(Math.abs(share - wanted[i]!) < 1e-12, `${share} ${wanted[i]}`);
    }
  });

  it('counts a pixel by the part of it that is inside', () => {
    const square = ring(0.5, 0.25, 2.5, 0.25, 2.5, 2, 0.5, 2);
    assert.deepEqual(shares([[square]], WINDOW), [0.375, 0.75, 0.375, 0, 0.5, 1, 0.5, 0, 0, 0, 0, 0]);
  });

  it('gives the same whichever way the rings run', () => {
    const backwards = ring(0.5, 2, 2.5, 2, 2.5, 0.25, 0.5, 0.25);
    assert.deepEqual(shares([[backwards]], WINDOW), [0.375, 0.75, 0.375, 0, 0.5, 1, 0.5, 0, 0, 0, 0, 0]);
  });

  it('takes holes off, and adds polygons', () => {
    const outer = ring(0, 0, 3, 0, 3, 3, 0, 3);
    const hole = ring(1, 1, 1.5, 1, 1.5, 2, 1, 2);
    const other = ring(3, 2, 4, 2, 4, 3);
    assert.deepEqual(shares([[outer, hole], [other]], WINDOW), [1, 1, 1, 0, 1, 0.5, 1, 0, 1, 1, 1, 0.5]);
  });

  it('splits a pixel along a slope', () => {
    assert.deepEqual(shares([[ring(0, 0, 2, 0, 0, 1)]], { ...WINDOW, width: 2, height: 1 }), [0.75, 0.25]);
  });

  it('gives nothing for a ring without area and for one next to the window', () => {
    assert.deepEqual(new Set(shares([[ring(0, 0, 2, 2)], [ring(9, 0, 10, 0, 10, 1)]], WINDOW)), new Set([0]));
  });

  it('says when there is no room', () => {
    assert.throws(() => coverPixels([], WINDOW, new Float64Array(11)), /wanted room for 12 pixels, got 11/);
  });

  it('gives each pixel the same share whatever window it is read in', () => {
    fc.assert(
      fc.property(star(), fc.integer({ min: -3, max: 12 }), fc.integer({ min: -3, max: 12 }), (polygon, x0, y0) => {
        const whole = shares([[polygon]], { x0: -4, y0: -4, width: 24, height: 24 });
        const part = shares([[polygon]], { x0, y0, width: 5, height: 4 });
        for (const [i, share] of part.entries()) {
          const [column, row] = [x0 + 4 + (i % 5), y0 + 4 + Math.floor(i / 5)];
          assert.ok(Math.abs(share - whole[row * 24 + column]!) < 1e-9);
        }
      }),
    );
  });

  it('covers as much as the polygon has', () => {
    fc.assert(
      fc.property(star(), (polygon) => {
        const covered = shares([[polygon]], { x0: -4, y0: -4, width: 24, height: 24 });
        assert.ok(covered.every((share) => share >= 0 && share <= 1));
        const sum = covered.reduce((total, share) => total + share, 0);
        assert.ok(Math.abs(sum - area(polygon)) < 1e-9 * 576);
      }),
    );
  });
});

/** A ring around (8, 8) whose vertices lie at growing angles: simple, and concave as a rule. */
function star(): fc.Arbitrary<Float64Array> {
  const reach = fc.double({ min: 0.01, max: 11.9, noNaN: true });
  return fc.array(reach, { minLength: 3, maxLength: 40 }).map((reaches) => {
    const places = reaches.flatMap((r, i) => {
      const angle = (2 * Math.PI * i) / reaches.length;
      return [8 + r * Math.cos(angle), 8 + r * Math.sin(angle)];
    });
    return ring(...places);
  });
}

function area(flat: Float64Array): number {
  let twice = 0;
  for (let i = 0; i + 3 < flat.length; i += 2) twice += flat[i]! * flat[i + 3]! - flat[i + 2]! * flat[i + 1]!;
  return Math.abs(twice / 2);
}
