import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostBreakers, withBreaker } from './breaker.ts';
import { ByteSourceError } from './byte-error.ts';
import type { ByteSource } from './byte-source.ts';

const { signal } = new AbortController();

/** A source that fails as told, and counts how often it was asked. */
function scripted(id: string, faults: readonly (unknown | null)[]): ByteSource & { asked: number } {
  const source = {
    id,
    asked: 0,
    stat: async () => null,
    async fetch() {
      const fault = faults[source.asked++];
      if (fault) throw fault;
      return new Uint8Array(1);
    },
  };
  return source;
}

const down = new ByteSourceError('timeout', 'x', 'no answer');

test('leaves a host alone after three failures, for all its files, and tries again later', async () => {
  let now = 1000;
  const breakerOf = createHostBreakers(() => now);
  const one = scripted('http://a/1', [down, down, down, null]);
  const other = scripted('http://a/2', [null]);
  const elsewhere = scripted('http://b/1', [null]);
  const read = (source: ByteSource) => withBreaker(source, breakerOf(source)).fetch(0, 1, { signal });
  for (let i = 0; i < 3; i++) await assert.rejects(read(one), down);
  await assert.rejects(read(one), /its host failed and is left alone for 30000 ms more/);
  await assert.rejects(read(other), { kind: 'timeout' });
  assert.deepEqual([one.asked, other.asked], [3, 0]);
  await read(elsewhere);
  now += 30_000;
  await read(other);
  await read(one);
  assert.deepEqual([one.asked, other.asked], [4, 1]);
});

test('does not count files that are damaged or gone, nor callers that left', async () => {
  const breakerOf = createHostBreakers(() => 0);
  const notFound = new ByteSourceError('status', 'x', '403', { status: 403 });
  const left = new DOMException('left', 'AbortError');
  const source = scripted('http://a/1', [down, down, notFound, down, down, left, down, down, null]);
  const { fetch } = withBreaker(source, breakerOf(source));
  for (let i = 0; i < 8; i++) await assert.rejects(fetch(0, 1, { signal }));
  await fetch(0, 1, { signal });
  assert.equal(source.asked, 9);
});

test('counts 429 and 5xx and waits as long as the server requires', async () => {
  let now = 0;
  const breakerOf = createHostBreakers(() => now);
  const busy = new ByteSourceError('status', 'x', '429', { status: 429, retryAfterMs: 5_000 });
  const source = scripted('http://a/1', [busy, null]);
  const { fetch } = withBreaker(source, breakerOf(source));
  await assert.rejects(fetch(0, 1, { signal }), busy);
  await assert.rejects(fetch(0, 1, { signal }), /left alone for 5000 ms/);
  now += 5_000;
  await fetch(0, 1, { signal });
});
