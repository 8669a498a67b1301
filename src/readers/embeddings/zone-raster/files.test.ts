import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenFiles } from './files.ts';

const never = new AbortController().signal;

function setUp(max = 2) {
  const log: string[] = [];
  const state = { broken: false };
  const files = createOpenFiles({
    max,
    async open(path, signal) {
      log.push(`open ${path}`);
      await new Promise(setImmediate);
      signal.throwIfAborted();
      if (state.broken) throw new Error(`cannot open ${path}`);
      return { path };
    },
    async close({ path }) {
      log.push(`close ${path}`);
    },
  });
  const nameOf = async ({ path }: { path: string }): Promise<string> => path;
  return { files, log, state, nameOf };
}

test('callers of one file share its opening, and it stays open', async () => {
  const { files, log, nameOf } = setUp();
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => files.use('a', never, nameOf))), ['a', 'a', 'a']);
  await files.use('a', never, nameOf);
  assert.deepEqual(log, ['open a']);
});

test('the file that was used longest ago is closed for another one', async () => {
  const { files, log, nameOf } = setUp();
  for (const path of ['a', 'b', 'a', 'c', 'b']) await files.use(path, never, nameOf);
  assert.deepEqual(log, ['open a', 'open b', 'open c', 'close b', 'open b', 'close a']);
  await files.close();
  assert.deepEqual(log.slice(-2).toSorted(), ['close b', 'close c']);
});

test('a file in use is not closed before its job has ended', async () => {
  const { files, log, nameOf } = setUp(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const using = files.use('a', never, () => promise);
  for (const path of ['b', 'c']) await files.use(path, never, nameOf);
  assert.ok(!log.includes('close a'));
  resolve();
  await using;
  await files.use('d', never, nameOf);
  assert.equal(log.filter((line) => line === 'close a').length, 1);
});

test('an opening that fails is forgotten', async () => {
  const { files, log, state, nameOf } = setUp();
  state.broken = true;
  await assert.rejects(files.use('a', never, nameOf), /cannot open a/);
  state.broken = false;
  assert.equal(await files.use('a', never, nameOf), 'a');
  assert.deepEqual(log, ['open a', 'open a']);
});

test('a file that a job failed on is opened again, after its last job has closed it', async () => {
  const { files, log, nameOf } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  const other = files.use('a', never, () => promise);
  const failure = new Error('it was replaced');
  await assert.rejects(
    files.use('a', never, async () => {
      throw failure;
    }),
    failure,
  );
  assert.equal(await files.use('a', never, nameOf), 'a');
  assert.deepEqual(log, ['open a', 'open a']);
  resolve();
  await other;
  assert.deepEqual(log, ['open a', 'open a', 'close a']);
});

test('a caller that leaves takes neither the file nor the opening from the others', async () => {
  const { files, log, nameOf } = setUp();
  const leaving = new AbortController();
  const left = files.use('a', leaving.signal, nameOf);
  const stayed = files.use('a', never, nameOf);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  assert.equal(await stayed, 'a');
  await assert.rejects(files.use('a', AbortSignal.abort(new Error('gone before')), nameOf), /gone before/);
  await files.use('a', never, nameOf);
  assert.deepEqual(log, ['open a']);
});
