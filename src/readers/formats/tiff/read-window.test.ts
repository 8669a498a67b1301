import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { compareTiff, ORACLE, readOracle } from '../../../../test/oracles/tiff/compare-tiff.ts';
import { needsSharedData, SHARED_DATA } from '../../../../test/shared-data.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import { encodeTiff } from './encode-tiff.ts';
import { openTiff } from './open-tiff.ts';
import { readTiffWindow } from './read-window.ts';

const { files, samples } = readOracle();
const { signal } = new AbortController();

async function openFixture(name: string) {
  const source = memorySource(name, readFileSync(join(ORACLE, 'files', name)));
  return { source, image: await openTiff(source, signal) };
}

describe('a TIFF file says and holds what rasterio says and reads', () => {
  test('no fixture is left out', () => {
    assert.deepEqual(readdirSync(join(ORACLE, 'files')).toSorted(), Object.keys(files).toSorted());
  });

  for (const [name, expected] of Object.entries(files)) {
    test(name, () => compareTiff(join(ORACLE, 'files', name), expected));
  }

  for (const [name, expected] of Object.entries(samples)) {
    test(name, needsSharedData(name), () => compareTiff(join(SHARED_DATA, name), expected));
  }
});

const BLOCKED = [
  'uint16-pixel-zstd-2-tiles-big-classic.tif',
  'int32-band-deflate-2-strips-big-classic.tif',
  'sparse-band.tif',
  'many-bands.tif',
];

for (const name of BLOCKED) {
  test(`any window and bands of ${name} are those of the whole`, async () => {
    const { source, image } = await openFixture(name);
    const { width, height, bands } = image;
    const whole = await readTiffWindow(source, image, 0, 0, width, height, { signal });
    const window = fc.record({ x: fc.nat(width - 1), y: fc.nat(height - 1) }).chain(({ x, y }) =>
      fc.record({
        x: fc.constant(x),
        y: fc.constant(y),
        w: fc.integer({ min: 1, max: width - x }),
        h: fc.integer({ min: 1, max: height - y }),
        chosen: fc.array(fc.nat(bands - 1), { minLength: 1, maxLength: 5 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(window, async ({ x, y, w, h, chosen }) => {
        const got = await readTiffWindow(source, image, x, y, w, h, { bands: chosen, signal });
        const wanted = Array.from(got, (_, i) => {
          const pixel = Math.floor(i / chosen.length);
          const at = (y + Math.floor(pixel / w)) * width + x + (pixel % w);
          return whole[at * bands + chosen[i % chosen.length]];
        });
        assert.deepEqual([...got], wanted);
      }),
      { numRuns: 50 },
    );
  });
}

test('pixels outside the image are nodata', async () => {
  const { source, image } = await openFixture('sparse.tif');
  const got = await readTiffWindow(source, image, -1, -1, 2, 2, { bands: [0], signal });
  assert.deepEqual([...got].slice(0, 3), [7, 7, 7]);
  const beyond = await readTiffWindow(source, image, 500, -500, 3, 1, { bands: [1], signal });
  assert.deepEqual([...beyond], [7, 7, 7]);
});

test('a window that leaves an image without nodata is refused', async () => {
  const { source, image } = await openFixture('rotated.tif');
  await assert.rejects(readTiffWindow(source, image, 0, 0, image.width + 1, 1, { signal }), {
    name: 'TiffError',
    kind: 'no_nodata',
  });
});

test('a nodata value that the type cannot hold matters only where it would be needed', async () => {
  const bytes = encodeTiff({
    width: 2,
    height: 1,
    bands: 1,
    sampleType: 'int16',
    nodata: -9999,
    transform: null,
    crs: null,
    values: Int16Array.of(3, 4),
  });
  const source = memorySource('far.tif', bytes);
  const image = { ...(await openTiff(source, signal)), nodata: 1e9 };
  assert.deepEqual([...(await readTiffWindow(source, image, 0, 0, 2, 1, { signal }))], [3, 4]);
  await assert.rejects(
    readTiffWindow(source, image, 0, 0, 3, 1, { signal }),
    /wanted a nodata value that int16 can hold/,
  );
});

test('windows that are no windows, and too large ones, are refused before anything is read', async () => {
  const { source, image } = await openFixture('one-strip.tif');
  const read = (x: number, y: number, w: number, h: number, bands = [0], maxBytes = 100) =>
    readTiffWindow(source, image, x, y, w, h, { signal, bands, maxBytes });
  await assert.rejects(read(0, 0, 0, 1), RangeError);
  await assert.rejects(read(0.5, 0, 1, 1), RangeError);
  await assert.rejects(read(0, 0, 1, 1, [2]), /wanted bands from 0 to 1, got 2/);
  await assert.rejects(read(0, 0, 1, 1, []), /got none/);
  await assert.rejects(read(0, 0, 11, 10), { kind: 'too_large' });
  await assert.rejects(read(0, 0, 2 ** 31, 2 ** 31), { kind: 'too_large' });
});

test('the first failure is given, and reading ends with it', async () => {
  const { source, image } = await openFixture('uint16-pixel-zstd-2-tiles-big-classic.tif');
  let reads = 0;
  const broken: typeof source = {
    ...source,
    fetch: async () => {
      reads++;
      throw new Error('the disk is gone');
    },
  };
  await assert.rejects(readTiffWindow(broken, image, 0, 0, 21, 19, { signal }), /the disk is gone/);
  const before = reads;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(reads, before);
});
