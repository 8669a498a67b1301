import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { withCoalescing } from '../../src/readers/io/coalescing.ts';
import { createHostGates } from '../../src/readers/io/concurrency.ts';
import { createByteCounters } from '../../src/readers/io/counters.ts';
import { remoteSource } from '../../src/readers/io/remote.ts';
import { withRetries } from '../../src/readers/io/retries.ts';
import type { ByteSource } from '../../src/readers/io/byte-source.ts';
import { httpSource } from '../../src/readers/io/http/http-source.ts';
import { faultOf, file, misbehave, openByteSite, options, serve, SIZE, type Handler } from './byte-source-site.ts';

const site = openByteSite();

/** Retries without real waiting; the waits that were requested end up in `waits`. */
function impatient(source: ByteSource, waits: number[], random = () => 1): ByteSource {
  return withRetries(source, { random, wait: async (ms) => void waits.push(ms), deadlineMs: 120_000 });
}

test('tries again after chance failures only, waiting as the server requires', async () => {
  let left: Handler[] = [];
  site.handler = (request, response) => (left.shift() ?? serve)(request, response);
  // The date is that of the answer, however late a busy machine gives it.
  const busyUntil =
    (ms: number): Handler =>
    (request, response) =>
      misbehave(503, { 'retry-after': new Date(Date.now() + ms).toUTCString() })(request, response);
  const cases: [Handler[], (waits: number[]) => void][] = [
    [
      [misbehave(500, {}), misbehave(503, {}), (request) => void request.socket.resetAndDestroy()],
      (waits) => assert.deepEqual(waits, [250, 500, 1_000]),
    ],
    [[misbehave(429, { 'retry-after': '3' })], (waits) => assert.deepEqual(waits, [3_000])],
    [[busyUntil(25_000)], ([wait]) => assert.ok(wait > 0 && wait <= 25_000, String(wait))],
    [[misbehave(503, { 'retry-after': '86400' })], (waits) => assert.deepEqual(waits, [30_000])],
    [[misbehave(503, { 'retry-after': '-5' })], (waits) => assert.deepEqual(waits, [250])],
    [[misbehave(408, {}), misbehave(425, {})], (waits) => assert.deepEqual(waits, [250, 500])],
  ];
  for (const [failures, check] of cases) {
    left = [...failures];
    const waits: number[] = [];
    const bytes = await impatient(httpSource(`${site.base}/f`), waits).fetch(5, 5, options);
    assert.deepEqual(Buffer.from(bytes ?? []), Buffer.from(file.subarray(5, 10)));
    check(waits);
  }
  for (const status of [400, 401, 403, 501]) {
    left = [misbehave(status, {})];
    const waits: number[] = [];
    assert.equal((await faultOf(impatient(httpSource(`${site.base}/f`), waits).fetch(0, 5, options))).status, status);
    assert.deepEqual(waits, []);
  }
  left = Array.from({ length: 9 }, () => misbehave(502, {}));
  const waits: number[] = [];
  assert.equal(
    (await faultOf(impatient(httpSource(`${site.base}/f`), waits, () => 0.5).fetch(0, 5, options))).status,
    502,
  );
  assert.deepEqual([waits, left.length], [[125, 250, 500], 5]);
  left = [misbehave(503, { 'retry-after': '20' })];
  const unbegun: number[] = [];
  const hurried = withRetries(httpSource(`${site.base}/f`), {
    deadlineMs: 15_000,
    wait: async (ms) => void unbegun.push(ms),
  });
  assert.equal((await faultOf(hurried.fetch(0, 5, options))).status, 503);
  assert.deepEqual(unbegun, [], 'a wait longer than the deadline is not begun');
});

test('never has more requests at a host than allowed', async () => {
  site.handler = (request, response) => void setTimeout(serve, 5, request, response);
  const gateOf = createHostGates(3);
  const sources = [0, 1, 2, 3].map((i) => remoteSource(`${site.base}/f${i}`, { gateOf, cache: null }));
  for (const source of sources) await source.stat(options);
  await Promise.all(
    sources.flatMap((source) =>
      Array.from({ length: 5 }, async (_, i) => {
        await sleep(i * 2);
        return source.fetch(i * 70_000, 10, options);
      }),
    ),
  );
  assert.equal(site.mostInFlight, 3);
});

test('joins what is requested in one turn and lets no bad range spoil the good ones', async () => {
  const counters = createByteCounters();
  const source = withCoalescing(httpSource(`${site.base}/f`, { counters }), { maxGap: 100, counters });
  await source.stat(options);
  const reads = [
    [0, 10],
    [50, 10],
    [1_000, 10],
    [5, 10],
  ].map(([offset, length]) => source.fetch(offset, length, options));
  assert.deepEqual(
    (await Promise.all(reads)).map((bytes) => bytes?.length),
    [10, 10, 10, 10],
  );
  assert.deepEqual(site.requests, ['bytes=0-0', 'bytes=0-59', 'bytes=1000-1009']);
  assert.deepEqual([counters.requests, counters.coalesced], [3, 2]);
  const good = source.fetch(SIZE - 10, 10, options);
  const bad = faultOf(source.fetch(SIZE - 5, 10, options));
  assert.deepEqual(Buffer.from((await good) ?? []), Buffer.from(file.subarray(SIZE - 10)));
  assert.equal((await bad).kind, 'past_end');
  const controller = new AbortController();
  const [left, stays] = [source.fetch(0, 10, { signal: controller.signal }), source.fetch(10, 10, options)];
  setImmediate(() => controller.abort(new Error('left')));
  await assert.rejects(left, /left/);
  assert.equal((await stays)?.length, 10);
});
