import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { buildTiff, plainFields, type BuiltOptions } from '../../../../test/oracles/tiff/build-tiff.ts';
import { ORACLE } from '../../../../test/oracles/tiff/compare-tiff.ts';
import { seededRandom } from '../../../geo/seeded-random.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { zoneStrips } from '../../../../test/zone-strips.ts';
import { openTiff } from './open-tiff.ts';
import { blockRange, readBlock } from './read-block.ts';
import { readTiffWindow } from './read-window.ts';
import { TiffError, type TiffFault, type TiffImage } from './tiff-image.ts';

const { signal } = new AbortController();
const open = (bytes: Uint8Array) => openTiff(memorySource('test.tif', bytes), signal);

/** Notes the ranges that are fetched. */
function watched(bytes: Uint8Array): ByteSource & { ranges: [number, number][] } {
  const inner = memorySource('test.tif', bytes);
  const ranges: [number, number][] = [];
  const fetch: ByteSource['fetch'] = (offset, length, options) => {
    ranges.push([offset, length]);
    return inner.fetch(offset, length, options);
  };
  return { ...inner, ranges, fetch };
}

describe('long tables are read in pieces', () => {
  const strips = { epsg: 32_636, width: 300, height: 40_000, west: 200_000, north: 0, pixel: 30 } as const;
  const rows = new Map([[39_990, (column: number) => column % 251]]);
  const file = zoneStrips({ ...strips, sampleType: 'uint8', blank: 7, rows });

  test('of which a block needs one each', async () => {
    const source = watched(file);
    const image = await openTiff(source, signal, { mostTables: 1_000 });
    const opened = source.ranges.length;
    assert.ok(source.ranges.every(([, length]) => length <= 65_536));
    assert.throws(() => blockRange('test.tif', image, 39_990), /tables of block 39990 were not read/);
    await Promise.all([image.tables?.read([39_990, 39_991], signal), image.tables?.read([39_990], signal)]);
    assert.equal(source.ranges.length, opened + 2);
    assert.equal(image.tables?.has(39_990), true);
    assert.equal(image.tables?.has(0), false);
    const whole = await openTiff(memorySource('test.tif', file), signal);
    for (const row of [39_990, 39_991]) {
      assert.equal(image.offsets[row], whole.offsets[row]);
      assert.deepEqual(await readBlock(source, image, row, signal), await readBlock(source, whole, row, signal));
    }
    assert.deepEqual(
      [...((await readBlock(source, image, 39_990, signal)) ?? [])],
      Array.from({ length: 300 }, (_, i) => i % 251),
    );
  });

  test('by whoever reads a window', async () => {
    const [image, whole] = await Promise.all(
      [1_000, Infinity].map((mostTables) => openTiff(memorySource('test.tif', file), signal, { mostTables })),
    );
    const window = (from: TiffImage) =>
      readTiffWindow(memorySource('test.tif', file), from, 10, 39_985, 40, 10, { signal });
    const values = await window(image!);
    assert.deepEqual(values, await window(whole!));
    assert.deepEqual([values[0], values[5 * 40], values[5 * 40 + 39]], [7, 10, 49]);
  });

  test('and are refused where they have another length than the image has blocks, or leave the file', async () => {
    const odd = Buffer.from(file);
    // The height, a 32-bit value in the second field of the directory.
    odd.writeUInt32LE(40_001, 16 + 8 + 20 + 12);
    await assert.rejects(openTiff(memorySource('odd.tif', odd), signal, { mostTables: 1_000 }), { kind: 'damaged' });
    const cut = file.subarray(0, 200_000);
    await assert.rejects(openTiff(memorySource('cut.tif', cut), signal, { mostTables: 1_000 }), { kind: 'truncated' });
  });

  test('of which one that failed is read again', async () => {
    let fails = 1;
    const source = watched(file);
    const flaky: ByteSource = {
      ...source,
      fetch: (offset, length, options) =>
        length > 65_536 && fails-- > 0 ? Promise.reject(new Error('no answer')) : source.fetch(offset, length, options),
    };
    const image = await openTiff(flaky, signal, { mostTables: 1_000 });
    await assert.rejects(image.tables!.read([0], signal), /no answer/);
    assert.equal(image.tables?.has(0), false);
    await image.tables?.read([0], signal);
    assert.deepEqual((await readBlock(flaky, image, 0, signal))?.slice(0, 3), Uint8Array.of(7, 7, 7));
  });
});

describe('the header is read in few requests', () => {
  const far: [string, BuiltOptions, number][] = [
    ['beside the image', { size: 100_000 }, 1],
    ['in a BigTIFF', { big: true, size: 100_000 }, 1],
    ['in a file shorter than the first read', {}, 2],
    ['at the end of the file', { directoryAt: 300_000, size: 310_000 }, 2],
    ['with values far from it', { valuesAt: 400_000, size: 500_000 }, 2],
    ['at the end, with values far before it', { directoryAt: 900_000, valuesAt: 200_000, size: 1_000_000 }, 3],
    [
      'at the end, with values at the far end of a large file',
      { directoryAt: 9e5, valuesAt: 9e6, size: 1e7, big: true },
      3,
    ],
  ];
  for (const [where, options, requests] of far) {
    test(`a directory ${where}`, async () => {
      // Values of a BigTIFF fit into its directory up to 8 bytes.
      const fields = plainFields({
        257: { values: [64] },
        324: { values: [1000, 2000, 3000, 0] },
        325: { values: [256, 256, 9, 0] },
      });
      const source = watched(buildTiff(fields, options));
      const image = await openTiff(source, signal);
      assert.deepEqual([...image.offsets], [1000, 2000, 3000, 0]);
      assert.deepEqual([...image.lengths], [256, 256, 9, 0]);
      assert.equal(source.ranges.length, requests);
      assert.ok(source.ranges.every(([, length]) => length <= 65_536));
    });
  }
});

test('there is nothing, or something else', async () => {
  const nothing = { id: 'gone.tif', stat: async () => null, fetch: async () => null };
  await assert.rejects(openTiff(nothing, signal), { name: 'TiffError', kind: 'missing', place: 'gone.tif' });
  for (const text of ['', 'II', '<!DOCTYPE html><html>not found</html>', 'II*', 'MM\0+', 'II+\0\x08\0\0\0'])
    await assert.rejects(open(Buffer.from(text)), (error: TiffError) => /not_tiff|truncated/.test(error.kind));
  await assert.rejects(
    open(Buffer.from('<!DOCTYPE html>')),
    /wanted a TIFF file, got one that begins with 3c 21 44 4f/,
  );
});

type Change = Parameters<typeof plainFields>[0];

/** What a file claims, what it is refused as, and the words that say so. */
const CLAIMS: readonly (readonly [string, Change, TiffFault, RegExp])[] = [
  ['no width', { 256: null }, 'damaged', /tag 256/],
  ['no height', { 257: { values: [0] } }, 'damaged', /tag 257/],
  ['an absurd width', { 256: { values: [4e9] } }, 'damaged', /from 1 to 2147483647 pixels, got 4000000000/],
  ['more blocks than it lists', { 257: { values: [2e9] } }, 'damaged', /wanted 125000000 values, one a block, got 2/],
  ['fewer blocks than it lists', { 257: { values: [16] } }, 'damaged', /wanted 1 values, one a block, got 2/],
  ['tables longer than any', { 324: { count: 4e9 } }, 'damaged', /wanted 1 to 4194304 values, got 4000000000/],
  ['tables past the end', { 324: { count: 2e6 }, 257: { values: [3.2e7] } }, 'truncated', /wanted bytes/],
  ['tables at the end of 32 bits', { 325: { at: 4_294_967_290 } }, 'truncated', /wanted bytes 4294967290/],
  ['a table of text', { 324: { type: 2 } }, 'damaged', /the field type 2, which is no type for it/],
  ['blocks without area', { 322: { values: [0] } }, 'damaged', /blocks with an area, got 0 x 16/],
  [
    'blocks larger than memory',
    { 322: { values: [65_535] }, 323: { values: [65_535] } },
    'too_large',
    /at most 268435456 bytes/,
  ],
  ['no block table', { 324: null }, 'damaged', /tag 324: wanted 2 values, one a block, got none/],
  ['bits that are not read', { 258: { values: [4] } }, 'unsupported', /got 4 bits in format 1/],
  ['complex numbers', { 339: { values: [5] } }, 'unsupported', /got 8 bits in format 5/],
  ['bands without end', { 277: { type: 4, values: [1e9] } }, 'damaged', /tag 277/],
  ['bands of several types', { 277: { values: [2] }, 258: { values: [8, 16] } }, 'unsupported', /bands of one type/],
  ['fewer types than bands', { 277: { values: [3] }, 258: { values: [8, 8] } }, 'damaged', /wanted 3 values, got 2/],
  ['JPEG', { 259: { values: [7] } }, 'unsupported', /got the compression JPEG/],
  ['a compression of the future', { 259: { values: [60_000] } }, 'unsupported', /got the compression 60000/],
  ['low bits first', { 266: { values: [2] } }, 'unsupported', /high bit first/],
  ['a planar configuration of 3', { 284: { values: [3] } }, 'damaged', /tag 284: wanted 1 or 2, got 3/],
  ['a predictor of 4', { 317: { values: [4] }, 259: { values: [8] } }, 'damaged', /tag 317/],
  ['floats that are integers', { 317: { values: [3] }, 259: { values: [8] } }, 'damaged', /1 or 2 for integers/],
  ['nodata that is no number', { 42_113: { type: 2, values: [...Buffer.from('none\0')] } }, 'damaged', /got "none"/],
  [
    'a place without size',
    { 34_264: { type: 12, values: Array.from({ length: 16 }, () => 0) } },
    'damaged',
    /can be inverted/,
  ],
];

describe('claims that cannot be true, or are not read, are refused without memory for them', () => {
  for (const [what, change, kind, message] of CLAIMS) {
    test(what, async () => {
      const bytes = buildTiff(plainFields(change));
      const before = process.memoryUsage().arrayBuffers;
      await assert.rejects(open(bytes), (error) => {
        assert.ok(error instanceof TiffError);
        assert.equal(error.kind, kind);
        assert.match(error.message, message);
        assert.ok(error.remedy.length > 10);
        return true;
      });
      assert.ok(process.memoryUsage().arrayBuffers - before < 4_000_000);
    });
  }
});

test('directories that lie in themselves, or in the header, or hold too much are refused', async () => {
  const inHeader = buildTiff(plainFields());
  new DataView(inHeader.buffer).setUint32(4, 2, true);
  await assert.rejects(open(inHeader), /a directory after the header, got one at byte 2/);
  const many = buildTiff(plainFields());
  new DataView(many.buffer).setUint16(16, 60_000, true);
  await assert.rejects(open(many), /wanted 1 to 4096 fields in the directory, got 60000/);
  const none = buildTiff([]);
  await assert.rejects(open(none), /got 0/);
  const huge = buildTiff(plainFields(), { big: true });
  new DataView(huge.buffer).setBigUint64(8, 2n ** 63n, true);
  await assert.rejects(open(huge), { kind: 'truncated' });
  new DataView(huge.buffer).setBigUint64(8, 16n, true);
  new DataView(huge.buffer).setBigUint64(16, 2n ** 40n, true);
  await assert.rejects(open(huge), /got 1099511627776/);
});

test('fields that are not read may say anything', async () => {
  const image = await open(buildTiff(plainFields({ 700: { type: 4, values: [1], count: 4e9, at: 4e9 } })));
  assert.equal(image.width, 16);
});

describe('files whose bytes were changed at random are read or refused, in good time and within memory', () => {
  for (const name of readdirSync(join(ORACLE, 'files'))) {
    test(name, async () => {
      const bytes = readFileSync(join(ORACLE, 'files', name));
      const random = seededRandom(name.length * 1000 + bytes.length);
      const below = (end: number) => Math.floor(random() * end);
      for (let round = 0; round < 150; round++) {
        const changed = Uint8Array.from(bytes.subarray(0, random() < 0.15 ? below(bytes.length) : bytes.length));
        // The header is where the damage is interesting.
        const end = random() < 0.7 ? Math.min(400, changed.length) : changed.length;
        for (let i = below(6); i >= 0 && changed.length > 0; i--)
          changed[below(end)] = random() < 0.4 ? [0, 1, 127, 255][below(4)] : below(256);
        await readAll(changed);
      }
    });
  }
});

async function readAll(bytes: Uint8Array): Promise<void> {
  const before = process.memoryUsage().arrayBuffers;
  const source = memorySource('changed.tif', bytes);
  try {
    const image = await openTiff(source, signal);
    const width = Math.min(image.width, 40);
    const height = Math.min(image.height, 40);
    await readTiffWindow(source, image, 0, 0, width, height, { maxBytes: 1_000_000, signal });
  } catch (error) {
    if (!(error instanceof TiffError || error instanceof ByteSourceError)) throw error;
  }
  // A block may claim 268 MB, and be so large; what it takes for that is bounded by what its bytes can hold.
  assert.ok(process.memoryUsage().arrayBuffers - before < 300_000_000);
}
