import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../seeded-random.ts';
import type { CutWindow } from './cut-area.ts';
import { CELL_STATUS, cutBlock, type MaskedArea } from './label-region-cut.ts';

const SIZE = 40;

/** A window of many small segments, whose cells all have the same probability of forest. */
function windowOf(probability: number): CutWindow {
  const random = seededRandom(4);
  return {
    width: SIZE,
    height: SIZE,
    values: Float32Array.from({ length: SIZE * SIZE }, () => random()),
    probabilities: new Float32Array(SIZE * SIZE).fill(probability),
    start: 0,
    stride: SIZE,
    ends: { west: true, north: true, east: true, south: true },
  };
}

async function cut(window: CutWindow, meanOf: (segment: MaskedArea) => number) {
  const block = { column: 0, row: 0, width: SIZE, height: SIZE };
  const labels = new Uint32Array(SIZE * SIZE);
  const status = new Uint8Array(SIZE * SIZE).fill(CELL_STATUS.nodata);
  const asked: MaskedArea[] = [];
  const options = {
    depth: 0.3,
    sides: [24, 40],
    parts: { side: 13, margins: [4, 8, 16] },
    labelOf: (column: number, row: number) => row * SIZE + column + 1,
    proofs: new Map<number, number>(),
    meanOf: async (segment: MaskedArea) => {
      asked.push(segment);
      return meanOf(segment);
    },
  };
  await cutBlock(window, block, options, { labels, status, start: 0, stride: SIZE });
  return { labels, status, asked };
}

test('a segment whose mean is too close to the threshold for near probabilities gets the state of its true mean', async () => {
  for (const [near, isForestNear] of [
    [0.500001, true],
    [0.499999, false],
  ] as const) {
    // The true mean says the opposite, of every other segment.
    const isTurned = ({ column, row }: MaskedArea): boolean => (column + row) % 2 === 0;
    const { labels, status, asked } = await cut(windowOf(near), (segment) =>
      isTurned(segment) === isForestNear ? 0.4 : 0.6,
    );
    const settled = new Set<number>();
    for (const segment of asked) {
      const cells = [...segment.mask.keys()].filter((at) => segment.mask[at] === 1);
      assert.equal(cells.length, segment.area);
      const places = cells.map(
        (at) => (segment.row + Math.floor(at / segment.width)) * SIZE + segment.column + (at % segment.width),
      );
      const number = labels[places[0]];
      settled.add(number);
      assert.ok(places.every((place) => labels[place] === number));
      assert.equal(labels.filter((other) => other === number).length, segment.area);
      const wanted = isTurned(segment) === isForestNear ? CELL_STATUS.background : CELL_STATUS.forest;
      for (const place of places) assert.equal(status[place], wanted);
    }
    const resolved = new Set(labels.filter((number) => number > 0));
    assert.ok(resolved.size > 20);
    assert.deepEqual(settled, resolved);
  }
});

test('of other segments no true mean is wanted', async () => {
  for (const [near, state] of [
    [0.50001, CELL_STATUS.forest],
    [0.49999, CELL_STATUS.background],
  ] as const) {
    const { labels, status, asked } = await cut(windowOf(near), () => assert.fail('a mean was wanted'));
    assert.equal(asked.length, 0);
    assert.ok(labels.some((number) => number > 0));
    for (const [cell, number] of labels.entries()) if (number > 0) assert.equal(status[cell], state);
  }
});
