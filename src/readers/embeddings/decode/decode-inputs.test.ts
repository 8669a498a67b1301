import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInputPool } from './decode-inputs.ts';

describe('memory for the bytes of jobs', () => {
  it('is used again when it was released, and never while it is in use', () => {
    const pool = createInputPool(1_000_000, () => {});
    const [one, other] = [pool.take(100_000)!, pool.take(100_000)!];
    assert.notEqual(one.memory, other.memory);
    assert.equal(one.bytes.length, 100_000);
    pool.release(one);
    const again = pool.take(120_000)!;
    assert.equal(again.memory, one.memory);
    assert.equal(again.id, one.id);
    assert.equal(again.bytes.length, 120_000);
  });

  it('stays within its room: what is idle goes first, and then there is none', () => {
    const forgotten: number[] = [];
    const pool = createInputPool(262_144, (id) => forgotten.push(id));
    const [one, other] = [pool.take(131_000)!, pool.take(131_000)!];
    assert.equal(pool.take(1), null);
    pool.release(one);
    assert.equal(pool.take(262_000), null);
    assert.deepEqual(forgotten, [one.id]);
    pool.release(other);
    assert.notEqual(pool.take(262_000), null);
    assert.deepEqual(forgotten, [one.id, other.id]);
  });

  it('does not hold a large memory for a few bytes', () => {
    const pool = createInputPool(10_000_000, () => {});
    const large = pool.take(4_000_000)!;
    pool.release(large);
    assert.notEqual(pool.take(100_000)!.memory, large.memory);
  });
});
