import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import decompress from 'woff2-encoder/decompress';
import { runs } from '../../../../../test/property-runs.ts';
import { fontPack } from './font-pack.ts';
import { pinWeight } from './pin-weight.ts';
import { woff2ToSfnt } from './woff2-to-sfnt.ts';

const PACK = fontPack();
/** Every WOFF 2 file of the pack by what it is. */
const FILES = new Map(
  PACK.fonts.flatMap(({ family, subset, files }) =>
    Object.entries(files).map(([weight, span]) => [`${family} ${subset} ${weight}`, PACK.read(span)] as const),
  ),
);
const KHMER = FILES.get('noto-sans-khmer khmer variable')!;

describe('unpacking fonts of variable weight', () => {
  it('gives the tables that the decoder of Google gives, in every fortieth font and those of joined scripts', async () => {
    const all = [...FILES].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const some = all.filter(([name], i) => i % 40 === 0 || /(khmer|myanmar|hebrew|sinhala|arabic|latin) /.test(name));
    assert.ok(some.length > 12, String(some.length));
    for (const [name, woff2] of some) {
      const own = tablesOf(woff2ToSfnt(woff2));
      const theirs = tablesOf(Buffer.from(await decompress(woff2)));
      assert.deepEqual([...own.keys()], [...theirs.keys()].toSorted(), name);
      for (const [tag, content] of theirs)
        // Outlines are the same where their bytes are not: flags that repeat may be written once.
        if (!['glyf', 'loca', 'head'].includes(tag)) assert.ok(own.get(tag)!.equals(content), `${name} ${tag}`);
    }
  });

  it('gives the outlines that the decoder of Google gives', async () => {
    const { Blob, Face, Font } = await import('harfbuzzjs');
    const [own, theirs] = [woff2ToSfnt(KHMER), await decompress(KHMER)].map((sfnt) => new Face(new Blob(sfnt)));
    const [ownFont, theirFont] = [new Font(own!), new Font(theirs!)];
    const glyphs = tablesOf(woff2ToSfnt(KHMER)).get('maxp')!.readUInt16BE(4);
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
    const files = [...FILES].filter(([name]) => /^noto-sans-jp \[1.\]/.test(name));
    assert.ok(files.length > 5);
    for (const [name, woff2] of files)
      for (const weight of [400, 600]) {
        const sfnt = pinWeight(woff2ToSfnt(woff2), weight);
        const tables = tablesOf(sfnt);
        assert.ok(!tables.has('fvar') && !tables.has('gvar'), name);
        assert.equal(tables.get('OS/2')!.readUInt16BE(4), weight);
        sums.add(tables.get('head')!.readUInt32BE(8));
      }
    assert.equal(sums.size, files.length * 2);
  });

  it('throws for what is no font, or makes of it what it says, but never more', () => {
    const woff2 = KHMER;
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
