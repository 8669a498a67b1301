import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hanFonts, scriptFonts } from './font-files.ts';
import { fontPack, fontPackBytes, readFontPack } from './font-pack.ts';

describe('the pack of fonts', () => {
  it('has a file for both weights of every letter that is set, in the order of the search', () => {
    const scripts = scriptFonts();
    assert.equal(scripts[0]!.name, 'noto-sans latin');
    assert.equal(scripts.length, 21);
    for (const letter of 'aéđЖΩक़กລবቡعאខမதతಕമස') {
      const font = scripts.find((one) => one.covers(letter.codePointAt(0)!));
      assert.ok(font !== undefined, letter);
      for (const weight of [400, 600] as const) {
        const head = font.bytes(weight).readUInt32BE(0);
        assert.ok([0x00010000, 0x74727565, 0x4f54544f].includes(head), `${letter} ${weight}`);
      }
    }
    for (const style of ['sc', 'tc', 'jp', 'kr'] as const)
      assert.ok(hanFonts(style)[0]!.name.startsWith(`noto-sans-${style} [`), style);
    assert.ok(fontPack().fonts.length > 400);
  });

  it('gives back the files that it was made of, and says what is missing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'firstmile-fonts-'));
    try {
      const path = join(folder, 'fonts.pack');
      const files: Readonly<Record<string, Buffer>> = {
        a: Buffer.from('one'),
        b: Buffer.from('three'),
        c: Buffer.alloc(0),
      };
      const made = fontPackBytes(
        'key',
        [
          { family: 'x', subset: 'latin', ranges: 'U+41', files: { 400: 'a', 600: 'b' } },
          { family: 'y', subset: 'thai', ranges: 'U+E01', files: { variable: 'c' } },
        ],
        (name) => files[name]!,
      );
      writeFileSync(path, made);
      const { key, fonts, read } = readFontPack(path);
      assert.equal(key, 'key');
      assert.deepEqual(
        fonts.map(({ family, ranges }) => [family, ranges]),
        [
          ['x', 'U+41'],
          ['y', 'U+E01'],
        ],
      );
      const [first, second] = fonts as unknown as readonly { files: Record<string, readonly [number, number]> }[];
      assert.deepEqual(
        [first!.files[400]!, first!.files[600]!, second!.files['variable']!].map(read),
        Object.values(files),
      );
      writeFileSync(path, made.subarray(0, -2));
      assert.throws(() => readFontPack(path).read(first!.files[600]!), /ends early/);
      writeFileSync(path, 'something else altogether');
      assert.throws(() => readFontPack(path), /no pack of fonts/);
      assert.throws(() => readFontPack(join(folder, 'none')), /npm run build:fonts/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
