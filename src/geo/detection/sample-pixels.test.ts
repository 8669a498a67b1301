import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { samplePixels } from './sample-pixels.ts';
import { shareAbove } from './share.ts';

const disc = (x: number, y: number, radius: number) => (column: number, row: number) =>
  Math.hypot(column + 0.5 - x, row + 0.5 - y) <= radius;

test('a sample holds wanted pixels of the box only, none twice, and no more than requested', () => {
  const side = fc.integer({ min: 0, max: 90 });
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), side, side, fc.integer({ min: 1, max: 300 }), (at, w, h, most) => {
      const box = { left: at, top: -at, right: at + w, bottom: h - at };
      const isWanted = (column: number, row: number): boolean => (column + 2 * row) % 3 !== 0;
      const { positions, stratum } = samplePixels(box, most, isWanted);
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
      if (stratum === 1) assert.equal(keys.size, wanted);
    }),
  );
});

test('of a place with few pixels every one is taken', () => {
  const { positions, stratum } = samplePixels({ left: 0, top: 0, right: 40, bottom: 40 }, 1024, disc(20, 20, 17));
  assert.equal(stratum, 1);
  assert.ok(positions.length / 2 > 850 && positions.length / 2 <= 1024);
});

test('the same place gives the same sample, and most of it when the box has moved', () => {
  const box = { left: 1000, top: 2000, right: 2000, bottom: 3000 };
  const near = disc(1500, 2500, 500);
  const first = samplePixels(box, 1024, near);
  assert.ok(first.positions.length / 2 > 600, `${first.positions.length / 2} pixels`);
  assert.deepEqual(samplePixels(box, 1024, near), first);
  const moved = samplePixels({ ...box, left: 990, right: 2010 }, 1024, near);
  assert.deepEqual(moved, first);
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
