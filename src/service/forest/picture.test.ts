import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawCut } from './picture.ts';

/** 30 cells of 30 pixels each, black but for what is drawn. */
const GROUND = {
  width: 30,
  around: { column: 0, row: 0, width: 30, height: 30 },
  colourOf: () => [0, 0, 0] as const,
  raw: [],
  point: [29, 29] as const,
};

describe('the picture of a lookup', () => {
  it('has a smooth line where the outline runs, with pixels that it covers in part', () => {
    // From the left edge of the picture to the right one, a little downwards, and back along the same way.
    const { width, rgb } = drawCut({
      ...GROUND,
      smooth: [
        [
          [0, 10],
          [30, 13],
        ],
      ],
    });
    const partly = new Set<number>();
    for (let x = 20; x < 700; x++) {
      let [weight, sum] = [0, 0];
      for (let y = 0; y < 500; y++) {
        const blue = rgb[3 * (y * width + x) + 2]!;
        if (blue > 40 && blue < 240) partly.add(blue);
        const share = Math.max(0, blue - 40);
        weight += share;
        sum += share * (y + 0.5);
      }
      const expected = 300 + (x + 0.5) / 10;
      assert.ok(Math.abs(sum / weight - expected) < 0.15, `at ${x} the line is at ${sum / weight}, not ${expected}`);
    }
    assert.ok(partly.size > 5, `${partly.size} shades`);
  });

  it('leaves the cells as they are elsewhere', () => {
    const { width, height, rgb } = drawCut({ ...GROUND, colourOf: (cell) => [cell % 7, 1, 2], smooth: [] });
    const at = (x: number, y: number) => [...rgb.subarray(3 * (y * width + x), 3 * (y * width + x) + 3)];
    assert.deepEqual([width, height], [900, 900]);
    assert.deepEqual(at(0, 0), [0, 1, 2]);
    assert.deepEqual(at(95, 31), [(30 + 3) % 7, 1, 2]);
  });
});
