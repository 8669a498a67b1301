import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../seeded-random.ts';
import { BANDS, NODATA } from '../segmentation/grid.ts';
import { falseColours, NODATA_RGB } from './false-colours.ts';

/** A window of 8 x 8 pixels that gives the codes of each. */
function windowOf(codesOf: (x: number, y: number) => Int8Array) {
  return {
    width: 8,
    height: 8,
    copyRow: (y: number, out: Int8Array) => {
      for (let x = 0; x < 8; x++) out.set(codesOf(x, y), x * BANDS);
    },
  };
}

const random = seededRandom(3);
const [field, wood, water] = Array.from({ length: 3 }, () =>
  Int8Array.from({ length: BANDS }, () => Math.round(random() * 200 - 100)),
);
const rgbOf = ({ rgb }: { readonly rgb: Uint8Array }, pixel: number): readonly number[] => [
  ...rgb.subarray(3 * pixel, 3 * pixel + 3),
];

describe('false colours', () => {
  it('are the same for the same ground in each window, and others for other ground', () => {
    const { images, explained } = falseColours([
      windowOf((x) => (x < 4 ? field : wood)),
      windowOf((_, y) => (y < 4 ? wood : water)),
    ]);
    const [first, second] = images;
    assert.deepEqual(rgbOf(first, 0), rgbOf(first, 3));
    assert.deepEqual(rgbOf(first, 7), rgbOf(second, 0));
    assert.notDeepEqual(rgbOf(first, 0), rgbOf(first, 7));
    assert.notDeepEqual(rgbOf(second, 0), rgbOf(second, 63));
    assert.ok(explained !== null && explained > 0.999, String(explained));
  });

  it('leave out pixels without data, one missing band included', () => {
    const torn = field.slice();
    torn[9] = NODATA;
    const { images } = falseColours([windowOf((x, y) => (x === 2 && y === 3 ? torn : x < 4 ? field : wood))]);
    assert.equal(images[0].nodata, 1);
    assert.deepEqual(rgbOf(images[0], 3 * 8 + 2), [...NODATA_RGB]);
    const empty = falseColours([windowOf(() => new Int8Array(BANDS).fill(NODATA))]);
    assert.equal(empty.images[0].nodata, 64);
    assert.equal(empty.explained, null);
    assert.deepEqual(rgbOf(empty.images[0], 10), [...NODATA_RGB]);
  });

  it('are grey where all ground is alike', () => {
    const { images, explained } = falseColours([windowOf(() => field)]);
    assert.deepEqual(rgbOf(images[0], 0), [128, 128, 128]);
    assert.equal(explained, null);
  });
});
