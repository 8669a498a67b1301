import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createSampleMemory } from './sample-memory.ts';

test('drops the blocks used longest ago, but none that is held', () => {
  const memory = createSampleMemory(30);
  for (const key of ['a', 'b', 'c']) memory.keep(key, new Uint8Array(10));
  memory.release('a');
  memory.release('b');
  assert.ok(memory.pin('a'));
  memory.keep('d', new Uint8Array(10));
  assert.equal(memory.pin('b'), undefined);
  memory.keep('e', new Uint8Array(10));
  assert.ok(memory.pin('a') && memory.pin('c') && memory.pin('d') && memory.pin('e'));
  for (const key of ['a', 'a', 'c', 'c', 'd', 'd', 'e', 'e']) memory.release(key);
  assert.throws(() => memory.release('a'), /a is not held/);
});

test('gives memory of a dropped block again, and never that of one that is held', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.boolean()), { maxLength: 60 }), (steps) => {
      const memory = createSampleMemory(64);
      const holding = new Map<string, { readonly bytes: Uint8Array; readonly mark: number }>();
      let mark = 0;
      for (const [name, isRelease] of steps) {
        if (isRelease && holding.delete(name)) memory.release(name);
        else if (!holding.has(name)) {
          const known = memory.pin(name) as Uint8Array | undefined;
          const bytes = known ?? memory.room(32);
          if (known === undefined) {
            bytes.fill(++mark % 251);
            memory.keep(name, bytes);
          }
          holding.set(name, { bytes, mark: bytes[0] ?? 0 });
        }
        for (const held of holding.values()) assert.ok(held.bytes.every((byte) => byte === held.mark));
      }
    }),
  );
});

test('uses the memory of a dropped block', () => {
  const memory = createSampleMemory(0);
  const first = memory.room(100);
  memory.keep('a', first);
  memory.release('a');
  assert.equal(memory.room(100).buffer, first.buffer);
  assert.notEqual(memory.room(100).buffer, first.buffer);
});
