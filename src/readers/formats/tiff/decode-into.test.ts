import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { constants, deflateSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';

import { DECODE_INTO } from './decode-into.ts';
import { runs } from '../../../../test/property-runs.ts';

const ENCODE = { deflate: deflateSync, zstd: zstdCompressSync } as const;

/** What a decoder says: the bytes, or that it refuses. */
function outcome(decode: (bytes: Uint8Array, out: Uint8Array) => number, bytes: Uint8Array, room: number) {
  const out = new Uint8Array(room);
  try {
    const length = decode(bytes, out);
    return Buffer.from(out.subarray(0, length)).toString('hex');
  } catch {
    return 'refused';
  }
}

for (const kind of ['deflate', 'zstd'] as const) {
  const { fast, plain } = DECODE_INTO[kind];
  const encode = ENCODE[kind];

  describe(kind, () => {
    test('both ways decode the same, refuse what does not fit, and go on after a refusal', () => {
      const bytes = fc.oneof(
        fc.uint8Array({ maxLength: 2000 }),
        fc.tuple(fc.nat(255), fc.nat(300_000)).map(([value, length]) => new Uint8Array(length).fill(value)),
      );
      fc.assert(
        fc.property(bytes, fc.integer({ min: -300, max: 300 }), (plainBytes, more) => {
          const stored = encode(plainBytes);
          const room = Math.max(1, plainBytes.length + more);
          const wanted = plainBytes.length <= room ? Buffer.from(plainBytes).toString('hex') : 'refused';
          assert.equal(outcome(fast, stored, room), wanted);
          assert.equal(outcome(plain, stored, room), wanted);
          assert.equal(outcome(fast, stored, plainBytes.length + 1), Buffer.from(plainBytes).toString('hex'));
        }),
        { numRuns: runs(200) },
      );
    });

    test('the first bytes are those of all, from bytes that are cut off too, and the next block is not harmed', () => {
      const first = DECODE_INTO[kind].first();
      assert.ok(first !== null);
      const whole = fc.tuple(fc.nat(255), fc.integer({ min: 1, max: 300_000 })).map(([seed, length]) => {
        return Uint8Array.from({ length }, (_, i) => (i % 7 === 0 ? seed : (i * i * seed) >> 5));
      });
      fc.assert(
        fc.property(
          whole,
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (all, part, cut) => {
            const stored = encode(all);
            const out = new Uint8Array(Math.max(1, Math.ceil(all.length * part)));
            assert.equal(first(stored, out), out.length);
            assert.deepEqual(out, all.slice(0, out.length));
            const given = first(stored.subarray(0, Math.floor(stored.length * cut)), out.fill(0));
            assert.ok(given <= out.length);
            assert.deepEqual(out.subarray(0, given), all.subarray(0, given));
            assert.equal(outcome(fast, stored, all.length), Buffer.from(all).toString('hex'));
          },
        ),
        { numRuns: runs(200) },
      );
    });

    test('bytes that were damaged never write past the output, and never harm the next block', () => {
      const good = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 3);
      const stored = Uint8Array.from(encode(good));
      fc.assert(
        fc.property(fc.nat(stored.length - 1), fc.nat(255), fc.nat(stored.length), (at, value, length) => {
          const changed = stored.slice(0, length);
          if (at < length) changed[at] = value;
          const whole = new Uint8Array(5100).fill(99);
          try {
            assert.ok(fast(changed, whole.subarray(0, 5000)) <= 5000);
          } catch (error) {
            assert.ok(error instanceof Error);
          }
          assert.ok(whole.subarray(5000).every((byte) => byte === 99));
          const next = new Uint8Array(5000);
          assert.equal(fast(stored, next), 5000);
          assert.deepEqual(next, good);
        }),
        { numRuns: runs(300) },
      );
    });

    test('memory that is shared between threads is read and written in place', () => {
      const good = Uint8Array.from({ length: 70_000 }, (_, i) => i >> 5);
      const stored = encode(good);
      const input = new Uint8Array(new SharedArrayBuffer(stored.length));
      input.set(stored);
      const out = new Uint8Array(new SharedArrayBuffer(80_000), 100, 70_000);
      assert.equal(fast(input, out), 70_000);
      assert.deepEqual(Uint8Array.from(out), good);
    });
  });
}

test('the way that needs no new memory is the one at work', () => {
  const stored = zstdCompressSync(new Uint8Array(20_000_000));
  const out = new Uint8Array(20_000_000);
  DECODE_INTO.zstd.fast(stored, out);
  const before = process.memoryUsage().arrayBuffers;
  DECODE_INTO.zstd.fast(stored, out);
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
});

describe('a zstd frame that does not say how long its content is', () => {
  const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) >> 7);
  const { fast, plain } = DECODE_INTO.zstd;

  for (const checksum of [false, true]) {
    const params = { [constants.ZSTD_c_contentSizeFlag]: 0, [constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0 };
    const frame = zstdCompressSync(content, { params });

    function inFront(bytes: Uint8Array, front: number): Uint8Array {
      const memory = Uint8Array.from({ length: front + bytes.length }, (_, i) => 255 - (i % 7));
      memory.set(bytes, front);
      return memory;
    }

    test(`is decoded into its place, and all around it is as before, checksum: ${checksum}`, () => {
      assert.equal(frame[4] & 0xe3, 0);
      for (const front of [0, 2, 3, 64]) {
        const memory = inFront(frame, front);
        const before = memory.slice();
        const out = new Uint8Array(content.length);
        assert.equal(fast(memory.subarray(front), out, front), content.length);
        assert.deepEqual(out, content);
        assert.deepEqual(memory, before);
      }
    });

    test(`that is damaged, cut off, longer or shorter than said is taken as without room in front, checksum: ${checksum}`, () => {
      fc.assert(
        fc.property(
          // The size of the window, at 5, is not looked at where none is needed.
          fc.nat(frame.length - 1).filter((at) => at !== 5),
          fc.nat(255),
          fc.constantFrom(frame.length, frame.length - 9, 12),
          fc.constantFrom(content.length, content.length + 5, content.length - 5),
          (at, value, length, room) => {
            const changed = Uint8Array.from(frame).subarray(0, length);
            if (at < length) changed[at] = value;
            const memory = inFront(changed, 64);
            const before = memory.slice();
            const decode = (_: Uint8Array, out: Uint8Array): number => fast(memory.subarray(64), out, 64);
            const [sized, bare] = [outcome(decode, changed, room), outcome(fast, changed, room)];
            assert.ok(sized === bare, 'it is decoded in another way');
            assert.deepEqual(memory, before);
          },
        ),
        { numRuns: runs(100) },
      );
      const out = new Uint8Array(content.length);
      assert.equal(plain(frame, out), content.length);
      assert.deepEqual(out, content);
    });
  }
});

test('the first bytes of a zstd frame are the same with room for all of it, however its blocks are cut', () => {
  const first = DECODE_INTO.zstd.first();
  assert.ok(first !== null);
  const content = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * i) >> (i > 600_000 ? 3 : 9));
  const params = { [constants.ZSTD_c_contentSizeFlag]: 0, [constants.ZSTD_c_compressionLevel]: 9 };
  const frames = [zstdCompressSync(content, { params }), zstdCompressSync(content), cutFinely(content)];
  const memory = new Uint8Array(content.length + 10);
  const room = memory.subarray(0, content.length);
  for (const frame of frames) {
    for (const length of [1, 1000, 131_072, 131_073, 400_000, 700_001, 999_999, content.length]) {
      memory.fill(99);
      const out = memory.subarray(0, length);
      assert.equal(first(frame, out, room), length);
      assert.deepEqual(out, content.subarray(0, length));
      const half = first(frame.subarray(0, frame.length >> 1), out.fill(0), room);
      assert.deepEqual(out.subarray(0, half), content.subarray(0, half));
      assert.ok(memory.subarray(content.length).every((byte) => byte === 99));
    }
    const damaged = Uint8Array.from(frame).fill(7, 20, 60);
    assert.doesNotThrow(() => outcome(first, damaged, 100));
    assert.equal(first(frame, memory.subarray(0, 500_000), room), 500_000);
    assert.deepEqual(memory.subarray(0, 500_000), content.subarray(0, 500_000));
  }
});

/** A frame of blocks that decode to 50,000 bytes each, as they are. */
function cutFinely(content: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x60)];
  for (let at = 0; at < content.length; at += 50_000) {
    const piece = content.subarray(at, at + 50_000);
    const header = (piece.length << 3) | (at + 50_000 >= content.length ? 1 : 0);
    pieces.push(Uint8Array.of(header & 255, (header >> 8) & 255, header >> 16), piece);
  }
  return Buffer.concat(pieces);
}
