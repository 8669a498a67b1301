import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { samplePixels } from './sample-pixels.ts';
import { runs } from '../../../test/property-runs.ts';
import { shareAbove } from './share.ts';

const disc = (x: number, y: number, radius: number) => (column: number, row: number) =>
  Math.hypot(column + 0.5 - x, row + 0.5 - y) <= radius;

test('a sample holds wanted pixels of the box only, none twice, and no more than requested', () => {
  const side = fc.integer({ min: 0, max: 90 });
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), side, side, fc.integer({ min: 1, max: 300 }), (at, w, h, most) => {
      const box = { left: at, top: -at, right: at + w, bottom: h - at };
      const isWanted = (column: number, row: number): boolean => (column + 2 * row) % 3 !== 0;
      const { positions, isComplete } = samplePixels(box, most, isWanted);
      const keys = new Set<string>();
      for (let i = 0; i < positions.length; i += 2) {
        const [column, row] = [positions[i], positions[i + 1]];
        assert.ok(column >= box.left && column < box.right && row >= box.top && row < box.bottom);
        assert.ok(isWanted(column, row));
        keys.add(`${column} ${row}`);
      }
      assert.equal(keys.size, positions.length / 2);
      assert.ok(keys.size <= most);
      let wanted = 0;
      for (let row = box.top; row < box.bottom; row++)
        for (let column = box.left; column < box.right; column++) if (isWanted(column, row)) wanted++;
      if (isComplete) assert.equal(keys.size, wanted);
      else assert.ok(wanted > most / 4);
    }),
  );
});

test('of a place with few pixels every one is taken', () => {
  const { positions, isComplete } = samplePixels({ left: 0, top: 0, right: 40, bottom: 40 }, 1024, disc(20, 20, 17));
  assert.ok(isComplete);
  assert.ok(positions.length / 2 > 850 && positions.length / 2 <= 1024);
});

/** The pixels of a sample of a disc, as `column row`. */
function sampleOf(x: number, y: number, radius: number, most = 1024): ReadonlySet<string> {
  const box = { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius };
  const { positions } = samplePixels(box, most, disc(x, y, radius));
  return new Set(Array.from({ length: positions.length / 2 }, (_, i) => `${positions[2 * i]} ${positions[2 * i + 1]}`));
}

test('the same place gives the same sample, whatever box it was looked for in', () => {
  const box = { left: 1000, top: 2000, right: 2000, bottom: 3000 };
  const near = disc(1500, 2500, 500);
  const first = samplePixels(box, 1024, near);
  assert.ok(first.positions.length / 2 > 800, `${first.positions.length / 2} pixels`);
  assert.deepEqual(samplePixels(box, 1024, near), first);
  const moved = samplePixels({ ...box, left: 990, right: 2010 }, 1024, near);
  assert.deepEqual(moved, first);
});

test('samples of any size are parts of each other, and neighbours share their pixels', () => {
  const place = fc.integer({ min: -20_000, max: 20_000 });
  const radius = fc.integer({ min: 10, max: 700 });
  fc.assert(
    fc.property(place, place, radius, radius, fc.integer({ min: 16, max: 1024 }), (x, y, one, other, most) => {
      const [small, large] = [sampleOf(x, y, Math.min(one, other), most), sampleOf(x, y, Math.max(one, other), most)];
      for (const pixel of large) {
        const [column, row] = pixel.split(' ').map(Number);
        if (disc(x, y, Math.min(one, other))(column, row))
          assert.ok(small.has(pixel), `${pixel} of the sparser sample`);
      }
      const isInBoth = (pixel: string): boolean => {
        const [column, row] = pixel.split(' ').map(Number);
        return disc(x, y, one)(column, row) && disc(x + 7, y - 3, one)(column, row);
      };
      const own = new Set([...sampleOf(x, y, one, most)].filter(isInBoth));
      const next = new Set([...sampleOf(x + 7, y - 3, one, most)].filter(isInBoth));
      // One of the two may be a step denser, and then it has all of the other.
      assert.ok(own.isSubsetOf(next) || next.isSubsetOf(own));
    }),
    { numRuns: runs(100) },
  );
});

test('shares of many places are right on average, and as far off as the standard error says', () => {
  let bias = 0;
  let spread = 0;
  const places = 200;
  for (let place = 0; place < places; place++) {
    const [x, y] = [place * 1013, place * 577];
    const box = { left: x, top: y, right: x + 300, bottom: y + 300 };
    const { positions } = samplePixels(box, 400, disc(x + 150, y + 150, 150));
    // Stripes three pixels wide of every ten: 30 % of the ground.
    const found = Float64Array.from({ length: positions.length / 2 }, (_, i) => (positions[2 * i] % 10 < 3 ? 1 : 0));
    const { share, standardError } = shareAbove(found, 0.5, false);
    bias += share - 0.3;
    spread += ((share - 0.3) / standardError) ** 2;
  }
  assert.ok(Math.abs(bias / places) < 0.006, `bias ${bias / places}`);
  assert.ok(spread / places < 1.3, `squared standard scores ${spread / places}`);
});

test('pixels without data count neither way, and a complete count has no error', () => {
  assert.deepEqual(shareAbove([0.9, 0.1, Number.NaN, 0.5], 0.5, true), {
    n: 3,
    masked: 1,
    share: 2 / 3,
    standardError: 0,
  });
  const { standardError } = shareAbove([1, 0, 0, 0, 1], 0.5, false);
  assert.ok(Math.abs(standardError - Math.sqrt(0.24 / 4)) < 1e-12);
  assert.ok(Number.isNaN(shareAbove([Number.NaN], 0.5, true).share));
});
