import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ByteSource } from './byte-source.ts';
import { withCoalescing } from './coalescing.ts';

const MIB = 1_048_576;
const { signal } = new AbortController();

/** Bytes that tell their place, into memory that is given or else new memory. */
function openSource() {
  const fetched: (readonly [offset: number, length: number])[] = [];
  const source: ByteSource = {
    id: 'memory',
    stat: async () => ({ size: 8 * MIB, version: '1' }),
    async fetch(offset, length, { into = new Uint8Array(length) }) {
      fetched.push([offset, length]);
      return into.fill(offset / MIB + 1);
    },
  };
  return { source: withCoalescing(source), fetched };
}

it('joins ranges side by side, but for long ones that have memory of their own', async () => {
  const { source, fetched } = openSource();
  const memories = [new Uint8Array(MIB), new Uint8Array(MIB)];
  const reads = memories.map((into, i) => source.fetch(i * MIB, MIB, { signal, into }));
  const others = [4, 5].map((i) => source.fetch(i * MIB, MIB, { signal }));
  const bytes = await Promise.all(reads);
  await Promise.all(others);
  assert.deepEqual(
    fetched.toSorted(([a], [b]) => a - b),
    [
      [0, MIB],
      [MIB, MIB],
      [4 * MIB, 2 * MIB],
    ],
  );
  for (const [i, read] of bytes.entries()) {
    assert.equal(read?.buffer, memories[i].buffer);
    assert.equal(read?.[0], i + 1);
  }
});

it('joins short ranges although they have memory, which it leaves alone', async () => {
  const { source, fetched } = openSource();
  const memories = [new Uint8Array(1000), new Uint8Array(1000)];
  await Promise.all(memories.map((into, i) => source.fetch(i * 1000, 1000, { signal, into })));
  assert.deepEqual(fetched, [[0, 2000]]);
  assert.deepEqual(memories[0], new Uint8Array(1000));
});
