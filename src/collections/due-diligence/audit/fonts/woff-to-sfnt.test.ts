import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { SCRIPT_FONTS } from './font-files.ts';
import { woffToSfnt } from './woff-to-sfnt.ts';
import { runs } from '../../../../../test/property-runs.ts';

const FILE = fileURLToPath(import.meta.resolve('@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff'));

describe('unpacking fonts', () => {
  it('gives OpenType files whose tables have the checksums of their directory', () => {
    for (const font of SCRIPT_FONTS)
      for (const weight of [400, 600] as const) {
        const bytes = font.bytes(weight);
        const tables = directory(bytes);
        for (const tag of ['cmap', 'glyf', 'head', 'hmtx', 'loca', 'maxp'])
          assert.ok(tables.has(tag), `${font.name} ${tag}`);
        for (const [tag, { checksum, content }] of tables)
          if (tag !== 'head') assert.equal(sum(content), checksum, `${font.name} ${weight} ${tag}`);
      }
  });

  it('throws for what is no font, or makes of it what it says, but never more', () => {
    const woff = readFileSync(FILE);
    const change = fc.array(fc.tuple(fc.nat({ max: 800 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(change, fc.nat({ max: woff.length }), (changes, length) => {
        const bytes = new Uint8Array(woff.subarray(0, length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        try {
          assert.ok(woffToSfnt(bytes).length > 0);
        } catch (error) {
          assert.ok(error instanceof Error);
        }
      }),
      { numRuns: runs(300), seed: 11 },
    );
    assert.throws(() => woffToSfnt(Buffer.from('wOF2'.padEnd(64))), /no WOFF 1 file/);
  });
});

function directory(bytes: Buffer): Map<string, { checksum: number; content: Buffer }> {
  const count = bytes.readUInt16BE(4);
  return new Map(
    Array.from({ length: count }, (_, i) => {
      const at = 12 + 16 * i;
      const [offset, length] = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)];
      const content = bytes.subarray(offset, offset + ((length + 3) & ~3));
      return [bytes.toString('latin1', at, at + 4), { checksum: bytes.readUInt32BE(at + 4), content }];
    }),
  );
}

/** The sum of the big-endian words of a table, padded with zeros (OpenType specification, "Calculating checksums"). */
function sum(content: Buffer): number {
  let total = 0;
  for (let at = 0; at < content.length; at += 4) total = (total + content.readUInt32BE(at)) >>> 0;
  return total;
}
