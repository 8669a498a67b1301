import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { indexParquet, type IndexRow } from '../../../../test/contracts/embeddings/index-file.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { openAefIndexCache, type AefIndexCache } from './cache.ts';

const DAY = 86_400_000;
const signal = new AbortController().signal;

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'firstmile-index-'));
});
after(() => rm(root, { recursive: true, force: true }));

const ROW: IndexRow = {
  path: 'a.tiff',
  year: 2023,
  epsg: 32_616,
  utm: [499_000, 4_900_000, 501_000, 4_902_000],
  wgs84: [-87.01, 44.25, -86.99, 44.27],
};
const PLACE = [-87, 44.26] as const;

/** An index that can be exchanged, break and be counted, a clock, and caches over one folder. */
async function setUp() {
  const folder = await mkdtemp(join(root, 'copy-'));
  const state = {
    bytes: indexParquet([ROW]),
    version: 'v1',
    fault: null as Error | null,
    stats: 0,
    fetches: 0,
    now: Date.now(),
    failures: [] as string[],
  };
  const source: ByteSource = {
    id: 'index',
    async stat(options) {
      state.stats += 1;
      if (state.fault !== null) throw state.fault;
      return memorySource('index', state.bytes, state.version).stat(options);
    },
    async fetch(offset, length, options) {
      state.fetches += 1;
      if (state.fault !== null) throw state.fault;
      return memorySource('index', state.bytes).fetch(offset, length, options);
    },
  };
  const open = (over: { prefixes?: string[]; patienceMs?: number } = {}): AefIndexCache =>
    openAefIndexCache({
      dataset: 'aef',
      folder,
      source,
      prefixes: [],
      patienceMs: 10_000,
      now: () => state.now,
      reportFailure: (dataset, error) => void state.failures.push(`${dataset} ${(error as Error).message}`),
      ...over,
    });
  return { folder, state, open };
}

async function yearOf(cache: AefIndexCache): Promise<number | undefined> {
  return (await cache.get(signal)).at(...PLACE)?.year;
}

/** Waits for what happens while lookups go on. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

const down = new ByteSourceError('transport', 'index', 'no network');

test('the index is read once, kept as a slim copy, and the copy is enough from then on', async () => {
  const { folder, state, open } = await setUp();
  const first = open();
  assert.deepEqual(await Promise.all([yearOf(first), yearOf(first), yearOf(first)]), [2023, 2023, 2023]);
  await first.close();
  assert.deepEqual(await readdir(folder), ['index.pack']);
  const { fetches } = state;
  state.fault = down;
  const second = open();
  assert.equal(await yearOf(second), 2023);
  await second.close();
  assert.equal(state.fetches, fetches);
});

test('processes that need the index at the same time make it once', async () => {
  const { folder, state, open } = await setUp();
  const alone = await setUp();
  await yearOf(alone.open());
  assert.deepEqual(await Promise.all([yearOf(open()), yearOf(open()), yearOf(open())]), [2023, 2023, 2023]);
  assert.equal(state.fetches, alone.state.fetches);
  assert.deepEqual(await readdir(folder), ['index.pack']);
});

test('a process that died while it made the index holds nobody up', async () => {
  const { folder, open } = await setUp();
  const lock = join(folder, 'index.pack.lock');
  await writeFile(lock, '');
  await utimes(lock, 0, 0);
  assert.equal(await yearOf(open()), 2023);
  assert.deepEqual(await readdir(folder), ['index.pack']);
});

test('a day later the source is queried for its version, while lookups go on', async () => {
  const { folder, state, open } = await setUp();
  await yearOf(open());
  const cache = open();
  const { stats, fetches } = state;
  assert.equal(await yearOf(cache), 2023);
  assert.equal(state.stats, stats);
  const path = join(folder, 'index.pack');
  state.now = (await stat(path)).mtimeMs + DAY + 1_000;
  assert.equal(await yearOf(cache), 2023);
  await cache.close();
  assert.deepEqual([state.stats, state.fetches], [stats + 1, fetches]);
  assert.ok(Math.abs((await stat(path)).mtimeMs - state.now) < 10, 'the copy does not say when it was checked');
});

test('a newer version of the index takes the place of the copy', async () => {
  const { state, open } = await setUp();
  const cache = open();
  await yearOf(cache);
  state.bytes = indexParquet([ROW, { ...ROW, path: 'b.tiff', year: 2024 }]);
  state.version = 'v2';
  state.now += DAY + 1_000;
  assert.equal(await yearOf(cache), 2023);
  await until(async () => (await yearOf(cache)) === 2024);
  await until(async () => (await yearOf(open())) === 2024);
  await cache.close();
});

test('a check that fails leaves the copy in use and is tried again later', async () => {
  const { state, open } = await setUp();
  const cache = open();
  await yearOf(cache);
  state.fault = down;
  state.now += DAY + 1_000;
  assert.equal(await yearOf(cache), 2023);
  await new Promise(setImmediate);
  const { stats } = state;
  assert.deepEqual(state.failures, ['aef index: it could not be checked for a newer version']);
  assert.equal(await yearOf(cache), 2023);
  await new Promise(setImmediate);
  assert.equal(state.stats, stats);
  state.now += 600_001;
  assert.equal(await yearOf(cache), 2023);
  await new Promise(setImmediate);
  assert.equal(state.stats, stats + 1);
  await cache.close();
});

test('a newer index that is broken leaves the copy in use', async () => {
  const { state, open } = await setUp();
  const cache = open();
  await yearOf(cache);
  state.bytes = new TextEncoder().encode('<html>we are moving house</html>');
  state.version = 'v2';
  state.now += DAY + 1_000;
  await yearOf(cache);
  await until(async () => state.failures.length > 0);
  assert.deepEqual(state.failures, ['aef index: it could not be checked for a newer version']);
  assert.deepEqual([await yearOf(cache), await yearOf(open())], [2023, 2023]);
  await cache.close();
});

test('a copy that is damaged, or was made with another prefix, is made again', async () => {
  const { folder, state, open } = await setUp();
  await yearOf(open());
  await writeFile(join(folder, 'index.pack'), 'rubbish');
  let { fetches } = state;
  assert.equal(await yearOf(open()), 2023);
  assert.ok(state.fetches > fetches);
  ({ fetches } = state);
  assert.equal(await yearOf(open({ prefixes: ['s3://other/'] })), 2023);
  assert.ok(state.fetches > fetches);
});

test('without a copy and without a network a lookup fails at once for a while, then tries again', async () => {
  const { state, open } = await setUp();
  state.fault = down;
  const cache = open();
  await assert.rejects(cache.get(signal), down);
  const { stats } = state;
  await assert.rejects(cache.get(signal), down);
  assert.equal(state.stats, stats);
  state.now += 10_001;
  state.fault = null;
  assert.equal(await yearOf(cache), 2023);
  await cache.close();
});

test('an index that takes long fails the lookups that wait, and serves those after it has come', async () => {
  const { folder, state } = await setUp();
  const gate = Promise.withResolvers<void>();
  const slow: ByteSource = {
    ...memorySource('index', state.bytes, 'v1'),
    async fetch(offset, length, options) {
      await gate.promise;
      return memorySource('index', state.bytes).fetch(offset, length, options);
    },
  };
  const cache = openAefIndexCache({ dataset: 'aef', folder, source: slow, prefixes: [], patienceMs: 30 });
  const late = { name: 'ByteSourceError', kind: 'timeout' };
  await assert.rejects(cache.get(signal), late);
  // The waiting began with the first lookup; this one has no time left.
  await assert.rejects(cache.get(signal), late);
  gate.resolve();
  await until(async () => (await yearOf(cache).catch(() => null)) === 2023);
  await cache.close();
});

test('a copy of long ago is used at once', async () => {
  const { folder, state, open } = await setUp();
  await yearOf(open());
  await utimes(join(folder, 'index.pack'), 0, 0);
  state.fault = down;
  const cache = open();
  assert.equal(await yearOf(cache), 2023);
  await cache.close();
});
