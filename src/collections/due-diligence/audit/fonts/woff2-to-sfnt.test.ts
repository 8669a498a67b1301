import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { Blob, Face, Font } from 'harfbuzzjs';
import decompress from 'woff2-encoder/decompress';
import { runs } from '../../../../../test/property-runs.ts';
import { pinWeight } from './pin-weight.ts';
import { woff2ToSfnt } from './woff2-to-sfnt.ts';

const KHMER = fileURLToPath(
  import.meta.resolve('@fontsource-variable/noto-sans-khmer/files/noto-sans-khmer-khmer-wght-normal.woff2'),
);
const FONTS = join(dirname(KHMER), '../..');

describe('unpacking fonts of variable weight', () => {
  it('gives the tables that the decoder of Google gives, in every fortieth font and those of joined scripts', async () => {
    const all = globSync('*/files/*-wght-normal.woff2', { cwd: FONTS }).toSorted();
    const some = all.filter((name, i) => i % 40 === 0 || /(khmer|myanmar|hebrew|sinhala)-wght/.test(name));
    assert.ok(some.length > 12, String(some.length));
    for (const name of some) {
      const woff2 = readFileSync(join(FONTS, name));
      const own = tablesOf(woff2ToSfnt(woff2));
      const theirs = tablesOf(Buffer.from(await decompress(woff2)));
      assert.deepEqual([...own.keys()], [...theirs.keys()].toSorted(), name);
      for (const [tag, content] of theirs)
        // Outlines are the same where their bytes are not: flags that repeat may be written once.
        if (!['glyf', 'loca', 'head'].includes(tag)) assert.ok(own.get(tag)!.equals(content), `${name} ${tag}`);
    }
  });

  it('gives the outlines that the decoder of Google gives', async () => {
    const woff2 = readFileSync(KHMER);
    const [own, theirs] = [woff2ToSfnt(woff2), await decompress(woff2)].map((sfnt) => new Face(new Blob(sfnt)));
    const [ownFont, theirFont] = [new Font(own!), new Font(theirs!)];
    const glyphs = tablesOf(woff2ToSfnt(woff2)).get('maxp')!.readUInt16BE(4);
    assert.ok(glyphs > 200);
    let drawn = 0;
    for (let glyph = 0; glyph < glyphs; glyph++) {
      const path = theirFont.glyphToPath(glyph);
      assert.equal(ownFont.glyphToPath(glyph), path, String(glyph));
      if (path !== '') drawn++;
    }
    assert.ok(drawn > 200, String(drawn));
  });

  it('makes fonts of one weight that pdfkit can tell apart', () => {
    const sums = new Set<number>();
    const files = globSync('noto-sans-jp/files/*-1?-wght-normal.woff2', { cwd: FONTS });
    for (const name of files)
      for (const weight of [400, 600]) {
        const sfnt = pinWeight(woff2ToSfnt(readFileSync(join(FONTS, name))), weight);
        const tables = tablesOf(sfnt);
        assert.ok(!tables.has('fvar') && !tables.has('gvar'), name);
        assert.equal(tables.get('OS/2')!.readUInt16BE(4), weight);
        sums.add(tables.get('head')!.readUInt32BE(8));
      }
    assert.equal(sums.size, files.length * 2);
  });

  it('throws for what is no font, or makes of it what it says, but never more', () => {
    const woff2 = readFileSync(KHMER);
    const change = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(change, fc.nat({ max: woff2.length }), (changes, length) => {
        const bytes = new Uint8Array(woff2.subarray(0, length));
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        try {
          assert.ok(woff2ToSfnt(bytes).length > 0);
        } catch (error) {
          assert.ok(error instanceof Error);
        }
      }),
      { numRuns: runs(300), seed: 11 },
    );
    assert.throws(() => woff2ToSfnt(Buffer.from('wOFF'.padEnd(64))), /no WOFF 2 file/);
  });
});

function tablesOf(sfnt: Buffer): Map<string, Buffer> {
  return new Map(
    Array.from({ length: sfnt.readUInt16BE(4) }, (_, i) => {
      const at = 12 + 16 * i;
      const [offset, length] = [sfnt.readUInt32BE(at + 8), sfnt.readUInt32BE(at + 12)];
      return [sfnt.toString('latin1', at, at + 4), sfnt.subarray(offset, offset + length)];
    }),
  );
}
