import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OWN_HEADS } from '../detection/heads.ts';
import type { RatingHelper } from '../facilities/rating-helper.ts';
import { helpersOf } from './open-helpers.ts';
import type { FileThreadData } from './threads.ts';

interface Helper extends RatingHelper {
  isOpen: boolean;
}

/** A thread of files on a service with so many helpers; `rated` is the number of files at work. */
function thread(fileHelpers: number, detection: object = { heads: OWN_HEADS, maps: [] }) {
  const started: Helper[] = [];
  const rated = new Int32Array(new SharedArrayBuffer(4)).fill(1);
  const open = (): RatingHelper => {
    const helper: Helper = {
      isOpen: true,
      rate: () => Promise.reject(new Error('nothing is rated here')),
      normalize: () => Promise.reject(new Error('nothing is normalised here')),
      close: async () => void (helper.isOpen = false),
    };
    started.push(helper);
    return helper;
  };
  const data = { config: { fileHelpers }, data: { detection }, compileCache: null, rated };
  return { lend: helpersOf(data as unknown as FileThreadData, open), started, rated };
}

test('lends helpers by the size of a file, and no more than the settings allow', () => {
  const { lend } = thread(3);
  assert.deepEqual(
    [0, 1_999, 2_000, 5_000, 1_000_000].map((features) => lend(features).helpers.length),
    [0, 0, 1, 2, 3],
  );
  assert.equal(thread(0).lend(1_000_000).helpers.length, 0);
});

test('divides the threads among the files at work', () => {
  const { lend, rated } = thread(7);
  const shares = [1, 2, 3, 4, 5, 9].map((files) => {
    rated[0] = files;
    return lend(1_000_000).helpers.length;
  });
  assert.deepEqual(shares, [7, 3, 1, 1, 0, 0]);
});

test('keeps helpers for the next file, but for those that ended and those of a file that was broken off', async () => {
  const { lend, started } = thread(2);
  const first = lend(10_000);
  await first.giveBack(true);
  const second = lend(10_000);
  assert.deepEqual(new Set(second.helpers), new Set(first.helpers));
  started[0].isOpen = false;
  await second.giveBack(true);
  const third = lend(10_000);
  assert.equal(started.length, 3);
  assert.ok(third.helpers.every(({ isOpen }) => isOpen));
  await third.giveBack(false);
  assert.ok(started.every(({ isOpen }) => !isOpen));
  assert.equal(lend(10_000).helpers.length, 2);
  assert.equal(started.length, 5);
});

test('lends none for ratings where one thread measures for all, and the map is a real one', () => {
  const [own] = OWN_HEADS;
  const map = (synthetic: boolean) => ({ dataset: { id: 'm', version: '1', synthetic } });
  const countWith = (detection: object) => thread(2, detection).lend(10_000).helpers.length;
  assert.equal(countWith({ heads: [own, { ...own, id: 'palm' }], maps: [] }), 0);
  assert.equal(countWith({ heads: OWN_HEADS, maps: [map(false)] }), 0);
  assert.equal(countWith({ heads: OWN_HEADS, maps: [map(true)] }), 2);
  assert.equal(thread(2, { heads: OWN_HEADS, maps: [map(false)] }).lend(10_000, false).helpers.length, 2);
});
