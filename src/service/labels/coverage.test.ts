import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { BuiltTile } from '../../readers/label-store/built-tiles.ts';
import { coverageOf } from './coverage.ts';

const sizes = { chunk: 2, shard: 6 };

function tileOf(column: number, row: number, chunks: string): BuiltTile {
  const cells = { outside: 0, nodata: 0, background: 0, forest: 0, unresolved: 0 };
  return { column, row, chunks: Uint8Array.from(chunks, Number), cells, segments: 0, seconds: 0, builtAt: '' };
}

test('chunks side by side, over the edges of shards, become one box', () => {
  assert.deepEqual(coverageOf(sizes, [tileOf(0, 0, '111111111'), tileOf(1, 0, '110110110')]), [[0, 0, 10, 6]]);
});

test('rows that differ begin a new box, and a gap ends one', () => {
  assert.deepEqual(coverageOf(sizes, [tileOf(0, 0, '110110111'), tileOf(0, 2, '110000000')]), [
    [0, 0, 4, 4],
    [0, 4, 6, 2],
    [0, 12, 4, 2],
  ]);
});

test('boxes cover what was built, once, and nothing else', () => {
  const chunks = fc.string({ unit: fc.constantFrom('0', '1'), minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(chunks, chunks, chunks, (a, b, c) => {
      const tiles = [tileOf(0, 0, a), tileOf(1, 0, b), tileOf(0, 1, c)];
      const counts = new Map<string, number>();
      for (const [column, row, width, height] of coverageOf(sizes, tiles))
        for (let x = column; x < column + width; x += 2)
          for (let y = row; y < row + height; y += 2) counts.set(`${x},${y}`, (counts.get(`${x},${y}`) ?? 0) + 1);
      const built = tiles.flatMap(({ column, row, chunks: bits }) =>
        [...bits.keys()]
          .filter((i) => bits[i] === 1)
          .map((i) => `${column * 6 + (i % 3) * 2},${row * 6 + Math.floor(i / 3) * 2}`),
      );
      assert.deepEqual(new Map(built.toSorted().map((place) => [place, 1])), new Map([...counts].toSorted()));
    }),
  );
});
