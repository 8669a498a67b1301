import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { crc32c } from './crc32c.ts';

// RFC 3720, B.4, and the check value of the catalogue of CRC algorithms.
const PUBLISHED: readonly (readonly [what: string, bytes: Uint8Array, crc: number])[] = [
  ['32 bytes of zeroes', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(255), 0x62a8ab43],
  ['32 bytes that count up', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['32 bytes that count down', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
  [
    'an iSCSI read command',
    Buffer.from(
      `01c00000000000000000000000000000140000000000040000000014000000182800000000000000${'02'}00000000000000`,
      'hex',
    ),
    0xd9963a56,
  ],
  ['the digits 1 to 9', Buffer.from('123456789'), 0xe3069283],
  ['nothing', new Uint8Array(0), 0],
];

for (const [what, bytes, crc] of PUBLISHED) {
  test(`the CRC-32C of ${what} is the published one`, () => assert.equal(crc32c(bytes), crc));
}

test('eight bytes a step give what one bit a step gives, wherever the bytes begin', () => {
  const plain = (bytes: Uint8Array): number => {
    let crc = -1;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
    return ~crc >>> 0;
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(9), (bytes, skipped) => {
      const part = bytes.subarray(skipped);
      assert.equal(crc32c(part), plain(part));
    }),
  );
});
