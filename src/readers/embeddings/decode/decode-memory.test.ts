import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDecodeMemory, type DecodeMemory } from './decode-memory.ts';

const { signal } = new AbortController();
const PAGE = 65_536;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function create(pages: number) {
  const forgotten: number[] = [];
  const loads: string[] = [];
  const memory = createDecodeMemory(pages * PAGE, (id) => forgotten.push(id));
  const load = async (key: string) => {
    loads.push(key);
    await turn();
  };
  return { memory, forgotten, loads, load };
}

function use(memory: DecodeMemory, key: string, load: (key: string) => Promise<void>, pages = 1, until = turn()) {
  return memory.with({ key, bytes: pages * PAGE, signal, load: () => load(key) }, async ({ id }) => {
    await until;
    return id;
  });
}

test('callers of one key share one load, at the same time and later', async () => {
  const { memory, loads, load } = create(4);
  const ids = await Promise.all([use(memory, 'a', load), use(memory, 'a', load)]);
  assert.equal(ids[0], ids[1]);
  assert.equal(await use(memory, 'a', load), ids[0]);
  assert.deepEqual(loads, ['a']);
});

test('the longest unused goes first, and its memory is used again', async () => {
  const { memory, loads, load, forgotten } = create(2);
  const a = await use(memory, 'a', load);
  const b = await use(memory, 'b', load);
  await use(memory, 'a', load);
  assert.equal(await use(memory, 'c', load), b);
  assert.equal(await use(memory, 'a', load), a);
  await use(memory, 'b', load);
  assert.deepEqual(loads, ['a', 'b', 'c', 'b']);
  assert.deepEqual(forgotten, []);
});

test('a caller waits until those at work leave room, the first one first', async () => {
  const { memory, loads, load } = create(2);
  const held = Promise.withResolvers<void>();
  const first = use(memory, 'a', load, 2, held.promise);
  const order: string[] = [];
  const others = ['b', 'c', 'd'].map((key) => use(memory, key, load, 2).then(() => order.push(key)));
  for (let i = 0; i < 5; i++) await turn();
  assert.deepEqual(loads, ['a']);
  held.resolve();
  await Promise.all([first, ...others]);
  assert.deepEqual(order, ['b', 'c', 'd']);
});

test('never more is held than the bound, and what is dropped is said', async () => {
  const { memory, load, forgotten } = create(4);
  await use(memory, 'small', load, 1);
  await use(memory, 'smaller', load, 1);
  await use(memory, 'large', load, 4);
  assert.equal(forgotten.length, 2);
  await assert.rejects(
    use(memory, 'absurd', load, 5),
    /wanted memory of at most 262144 bytes, got a request for 327680/,
  );
});

test('a load that fails is tried again by the next caller', async () => {
  const { memory, load, forgotten } = create(1);
  const failing = async () => {
    throw new Error('cut off');
  };
  await assert.rejects(use(memory, 'a', failing), /cut off/);
  assert.equal(forgotten.length, 1);
  assert.notEqual(await use(memory, 'a', load), forgotten[0]);
});

test('a caller that aborts leaves; the load is aborted when the last one has left', async () => {
  const { memory, load } = create(1);
  const aborted = Promise.withResolvers<void>();
  const slow = (_: unknown, inner: AbortSignal) =>
    new Promise<void>((_resolve, reject) =>
      inner.addEventListener('abort', () => {
        aborted.resolve();
        reject(inner.reason as Error);
      }),
    );
  const [one, two] = [new AbortController(), new AbortController()];
  const reads = [one, two].map((caller) =>
    memory.with({ key: 'a', bytes: PAGE, signal: caller.signal, load: slow }, async () => 0),
  );
  const settled = Promise.allSettled(reads);
  one.abort();
  await assert.rejects(reads[0]);
  two.abort();
  await aborted.promise;
  await settled;
  // Its room is free again.
  await use(memory, 'b', load);
});
