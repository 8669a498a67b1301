import assert from 'node:assert/strict';
import { test } from 'node:test';

import { giveWindowMemory, takeWindowMemory } from './window-memory.ts';

test('memory that was given back is taken again, for as many bytes as are wanted', () => {
  const first = takeWindowMemory(1_100_000);
  assert.equal(first.length, 1_100_000);
  const other = takeWindowMemory(1_100_000);
  assert.notEqual(other.buffer, first.buffer);
  giveWindowMemory(first);
  const again = takeWindowMemory(400_000);
  assert.equal(again.buffer, first.buffer);
  assert.equal(again.length, 400_000);
  assert.notEqual(takeWindowMemory(400_000).buffer, first.buffer);
});

test('a few bytes take no large memory, and large ones do not stay', () => {
  const large = takeWindowMemory(9_000_000);
  giveWindowMemory(large);
  assert.notEqual(takeWindowMemory(9_000_000).buffer, large.buffer);
  const kept = takeWindowMemory(2_000_000);
  giveWindowMemory(kept);
  assert.equal(takeWindowMemory(64).buffer.byteLength, 64);
  assert.equal(takeWindowMemory(2_000_000).buffer, kept.buffer);
});

test('no more than 8 MB lie idle', () => {
  const taken = Array.from({ length: 12 }, () => takeWindowMemory(1_000_000));
  for (const one of taken) giveWindowMemory(one);
  const again = Array.from({ length: 12 }, () => takeWindowMemory(1_000_000));
  const before = new Set(taken.map(({ buffer }) => buffer));
  assert.equal(again.filter(({ buffer }) => before.has(buffer)).length, 8);
});
