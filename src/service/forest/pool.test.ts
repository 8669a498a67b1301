import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { Problem } from '../../errors.ts';
import { type PointQuestion, questionOf } from '../../forest/find-patches.ts';
import type { WrittenPatch } from '../../forest/feature-text.ts';
import { createLog } from '../../log.ts';
import { openForestPool, type ForestPool, type ForestPoolOptions } from './pool.ts';

const ENTRY = new URL('../../../test/forest-thread.fixture.ts', import.meta.url);
type Place = readonly [lon: number, lat: number];
/** Inside the raster of the fixture. */
const FOREST: Place = [-88.825, 44.337];
/** Where the fixture misbehaves. */
const DIES: Place = [101, 10];
const LOOPS: Place = [102, 10];
const HANGS: Place = [103, 10];
const SLOW: Place = [104, 10];
const FAILS: Place = [105, 10];

/** Deadlines are far off where a test does not need one: a busy machine must not be taken for a fault. */
function open(options: Partial<ForestPoolOptions> = {}): ForestPool & AsyncDisposable {
  const { pointTimeoutMs = 60_000 } = options;
  const log = createLog({ level: 'silent', json: true, stream: process.stderr });
  const pool = openForestPool({
    entry: ENTRY,
    data: { pointTimeoutMs },
    heapMb: 128,
    threads: 2,
    maxWaiting: 100,
    pointTimeoutMs,
    log,
    ...options,
  });
  return { ...pool, [Symbol.asyncDispose]: pool.close };
}

function questions(points: readonly Place[]): PointQuestion[] {
  return points.map((coordinates) => questionOf({ type: 'Feature', geometry: { type: 'Point', coordinates } }));
}

function run(
  pool: ForestPool,
  points: readonly Place[],
  signal = new AbortController().signal,
  userId = 'ana',
): Promise<readonly WrittenPatch[]> {
  return pool.run(questions(points), { userId, crs: 'EPSG:4326', timeoutMs: 120_000, signal });
}

const outcome = ({ geometry, properties }: WrittenPatch): string =>
  geometry === null ? (properties.warnings[0]?.code ?? '') : 'patch';

describe('the forest pool', () => {
  it('answers in the order of the questions, refused ones among them', async () => {
    await using pool = open();
    const asked = [...questions([FOREST, [10, 10]]), questionOf('nonsense'), ...questions([FOREST, SLOW])];
    const patches = await pool.run(asked, {
      userId: 'ana',
      crs: 'EPSG:32616',
      timeoutMs: 120_000,
      signal: new AbortController().signal,
    });
    assert.deepEqual(patches.map(outcome), ['patch', 'outside_coverage', 'invalid_point', 'patch', 'outside_coverage']);
    assert.deepEqual(patches[3], patches[0]);
    assert.match(patches[0]?.geometry ?? '', /^\{"type":"Polygon","coordinates":\[\[\[354/);
  });

  it('starts no more threads than allowed, none before it is queried, and ends idle ones', async () => {
    await using pool = open({ idleMs: 50 });
    assert.equal(pool.status().threads, 0);
    const many = run(
      pool,
      Array.from({ length: 40 }, () => FOREST),
    );
    assert.equal(pool.status().threads, 2);
    await many;
    while (pool.status().threads > 0) await wait(10);
    assert.equal(outcome((await run(pool, [FOREST]))[0]!), 'patch');
  });

  it('replaces a thread that dies; the lookup that kills fails after three crashes, the others are answered', async () => {
    await using pool = open();
    const patches = await run(pool, [FOREST, DIES, FOREST, SLOW, FOREST]);
    assert.deepEqual(patches.map(outcome), ['patch', 'source_unavailable', 'patch', 'outside_coverage', 'patch']);
    assert.match(patches[1]?.properties.warnings[0]?.message ?? '', /its worker crashed 3 times/);
    assert.deepEqual(patches[1]?.properties.input_point, DIES);
  });

  it('ends a thread that computes without end, and goes on', async () => {
    await using pool = open({ threads: 1, pointTimeoutMs: 2_500, graceMs: 2_500 });
    const patches = await run(pool, [LOOPS, FOREST]);
    assert.deepEqual(patches.map(outcome), ['source_unavailable', 'patch']);
  });

  it('does not wait for a source that hangs, nor fails with one that fails', async () => {
    await using pool = open({ threads: 1, pointTimeoutMs: 3_000 });
    const patches = await run(pool, [HANGS, FAILS, FOREST]);
    assert.deepEqual(patches.map(outcome), ['source_unavailable', 'source_unavailable', 'patch']);
  });

  it('answers a single point before a batch that came first has ended', async () => {
    await using pool = open({ threads: 1 });
    const ended: string[] = [];
    const batch = run(
      pool,
      Array.from({ length: 60 }, () => SLOW),
    ).then(() => ended.push('batch'));
    await run(pool, [FOREST]).then(() => ended.push('single'));
    await batch;
    assert.deepEqual(ended, ['single', 'batch']);
  });

  it('answers the single point of another user after at most one lookup of each thread, whatever number of requests came first', async () => {
    const threads = 2;
    /** Lookups that a thread works on at the same time. */
    const inFlight = 4;
    await using pool = open({ threads });
    let answered = 0;
    const requests = Array.from({ length: 50 }, () => run(pool, [SLOW]).then(() => answered++));
    while (pool.status().working < threads * inFlight) await wait(1);
    await run(pool, [SLOW], undefined, 'ben');
    // What was at work when the point came, and what took the other places while it was looked up itself.
    assert.ok(answered <= 2 * threads * inFlight, `${answered} of 50 requests were answered first`);
    await Promise.all(requests);
    assert.equal(answered, 50);
  });

  it('refuses more than may wait, without harm to those that do', async () => {
    await using pool = open({ threads: 1, maxWaiting: 100 });
    const first = run(
      pool,
      Array.from({ length: 60 }, () => SLOW),
    );
    await assert.rejects(
      run(
        pool,
        Array.from({ length: 60 }, () => SLOW),
      ),
      (error) => error instanceof Problem && error.code === 'queue_full' && error.retryAfterS === 5,
    );
    assert.equal((await first).length, 60);
  });

  it('forgets the lookups of a client that left', async () => {
    await using pool = open({ threads: 1 });
    const left = new AbortController();
    const lost = run(
      pool,
      Array.from({ length: 90 }, () => HANGS),
      left.signal,
    );
    while (pool.status().working === 0) await wait(5);
    left.abort(new Error('gone'));
    await assert.rejects(lost, /gone/);
    assert.equal(pool.status().waiting, 0);
    assert.equal(outcome((await run(pool, [FOREST]))[0]!), 'patch');
    while (pool.status().working > 0) await wait(5);
  });

  it('answers what it has when the time of the batch is over', async () => {
    await using pool = open({ threads: 1 });
    const patches = await pool.run(questions([FOREST, ...Array.from({ length: 30 }, () => SLOW)]), {
      userId: 'ana',
      crs: 'EPSG:4326',
      timeoutMs: 1,
      signal: new AbortController().signal,
    });
    assert.equal(patches.length, 31);
    assert.match(patches.at(-1)?.properties.warnings[0]?.message ?? '', /the batch took longer than 0.001 s/);
  });

  it('refuses when it is closed, and lets nobody wait for ever', async () => {
    const pool = open();
    const waiting = run(pool, [HANGS]);
    const refused = assert.rejects(waiting, (error) => error instanceof Problem && error.code === 'shutting_down');
    while (pool.status().working === 0) await wait(5);
    await pool.close();
    await refused;
    await assert.rejects(run(pool, [FOREST]), /stopping/);
  });
});
