import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDecoder } from './decoder.ts';
import { createSpareBlocks, touchPages } from './decode-spares.ts';

const BYTES = 256 * 256 * 64;

test('spare blocks are made while nothing else is to do, four at most, and each is given once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const touched: SharedArrayBuffer[] = [];
  let left = 3;
  const spares = createSpareBlocks(
    () => left > 0,
    async (block) => {
      touched.push(block);
      left -= 1;
    },
  );
  const made = spares.take();
  assert.equal(made.byteLength, BYTES);
  spares.refill();
  spares.refill();
  assert.equal(touched.length, 0);
  await tickAll(t.mock.timers);
  // There was something to do after three.
  assert.equal(touched.length, 3);
  left = 9;
  spares.refill();
  await tickAll(t.mock.timers);
  assert.equal(touched.length, 4);
  spares.refill();
  await tickAll(t.mock.timers);
  assert.equal(touched.length, 4);
  const taken = [1, 2, 3, 4, 5].map(() => spares.take());
  assert.equal(new Set([made, ...taken]).size, 6);
  assert.deepEqual(new Set(taken.slice(0, 4)), new Set(touched));
  spares.refill();
  spares.close();
  await tickAll(t.mock.timers);
  assert.equal(touched.length, 4);
});

test('a spare block that cannot be made is not missed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const spares = createSpareBlocks(
    () => true,
    async () => Promise.reject(new Error('the thread died')),
  );
  spares.refill();
  await tickAll(t.mock.timers);
  assert.equal(spares.take().byteLength, BYTES);
});

test('memory that is given back is given again, four blocks of it at most', () => {
  const spares = createSpareBlocks(
    () => false,
    async () => {},
  );
  const blocks = Array.from({ length: 6 }, () => spares.take());
  for (const block of blocks) spares.give(block);
  spares.give(new SharedArrayBuffer(10));
  const again = Array.from({ length: 6 }, () => spares.take());
  assert.equal(again.filter((block) => blocks.includes(block)).length, 4);
  assert.equal(new Set(again).size, 6);
});

test('one byte of every page is written, and no other', () => {
  const memory = new SharedArrayBuffer(3 * 4096 + 10);
  new Uint8Array(memory).fill(7);
  touchPages(memory);
  const zeros = [...new Uint8Array(memory).entries()].filter(([, byte]) => byte === 0).map(([at]) => at);
  assert.deepEqual(zeros, [0, 4096, 8192, 12_288]);
});

test('a decoder gives a block of its own to every caller, with threads and without', async () => {
  for (const threads of [0, 1]) {
    const decoder = createDecoder({ threads });
    const blocks = Array.from({ length: 6 }, () => decoder.block());
    assert.equal(new Set(blocks).size, 6);
    assert.ok(blocks.every(({ byteLength }) => byteLength === BYTES));
    await decoder.close();
  }
});

/** Lets the timers run and all that follows at once from them. */
async function tickAll(timers: { tick(ms: number): void }): Promise<void> {
  timers.tick(1000);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
