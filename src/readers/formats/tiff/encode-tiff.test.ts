import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { ORACLE } from '../../../../test/oracles/tiff/compare-tiff.ts';
import { WRITTEN } from '../../../../test/oracles/tiff/written.ts';
import { memorySource } from '../../../../test/memory/memory-source.ts';
import { encodeTiff, type TiffRaster } from './encode-tiff.ts';
import { openTiff } from './open-tiff.ts';
import { readTiffWindow } from './read-window.ts';
import { SAMPLE_TYPES, type SampleType } from './tiff-image.ts';

const { signal } = new AbortController();
const PLAIN: TiffRaster = {
  width: 2,
  height: 2,
  bands: 1,
  sampleType: 'uint8',
  nodata: null,
  transform: null,
  crs: null,
  values: Uint8Array.of(1, 2, 3, 4),
};

test('what is written is read again, whatever its type, size and layout', async () => {
  const raster = fc
    .record({
      sampleType: fc.constantFrom(...(Object.keys(SAMPLE_TYPES) as SampleType[])),
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 40 }),
      bands: fc.integer({ min: 1, max: 4 }),
      seed: fc.nat(),
      tile: fc.constantFrom(16, 32),
      compression: fc.constantFrom('none', 'deflate', 'zstd'),
      interleave: fc.constantFrom('pixel', 'band'),
      transform: fc.constantFrom(
        null,
        [10, 0, 5e5, 0, -10, 4e6],
        [10, 0, 5e5, 0, 10, 4e6],
        [8, 6, 5e5, 6, -8, 4e6],
      ) as fc.Arbitrary<TiffRaster['transform']>,
      crs: fc.constantFrom(null, 'EPSG:32630', 'EPSG:4326'),
      nodata: fc.constantFrom(null, 0, 5, 100),
    })
    .map(({ seed, ...rest }) => {
      const values = new SAMPLE_TYPES[rest.sampleType].make(rest.width * rest.height * rest.bands);
      for (let i = 0; i < values.length; i++) values[i] = Math.imul(i + seed, 2_654_435_761) >> 7;
      return { ...rest, values };
    });
  await fc.assert(
    fc.asyncProperty(raster, async ({ tile, compression, interleave, ...written }) => {
      const source = memorySource('written.tif', encodeTiff(written, { tile, compression, interleave }));
      const image = await openTiff(source, signal);
      const { values, ...said } = written;
      assert.partialDeepStrictEqual(image, { ...said, compression, blockWidth: tile, blockHeight: tile });
      assert.equal(image.interleave, written.bands === 1 ? 'pixel' : interleave);
      const read = await readTiffWindow(source, image, 0, 0, image.width, image.height, { signal });
      assert.deepEqual(read, values);
    }),
    { numRuns: 100 },
  );
});

const oracle = JSON.parse(readFileSync(join(ORACLE, 'written.json'), 'utf8')) as Record<string, { file: string }>;

for (const [name, bytes] of Object.entries(WRITTEN)) {
  test(`the file ${name} is the one that GDAL read as intended`, () => {
    assert.equal(createHash('sha256').update(bytes()).digest('hex'), oracle[name].file);
  });
}

test('NaN and infinite nodata are read again', async () => {
  for (const nodata of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    const raster = { ...PLAIN, sampleType: 'float32', nodata, values: new Float32Array(4) } as const;
    assert.equal((await openTiff(memorySource('nodata.tif', encodeTiff(raster)), signal)).nodata, nodata);
  }
});

test('what cannot be written is refused with what was wanted', () => {
  const cases: [Partial<TiffRaster>, RegExp][] = [
    [{ width: 0 }, /got 0 x 2 x 1/],
    [{ width: 3 }, /wanted 6 values of uint8, got 4/],
    [{ values: new Int8Array(4) }, /got 4 in a Int8Array/],
    [{ nodata: 300 }, /that uint8 can hold, got 300/],
    [{ crs: 'EPSG:999999' }, /EPSG:999999/],
  ];
  for (const [change, message] of cases)
    assert.throws(() => encodeTiff({ ...PLAIN, ...change }), { name: 'RangeError', message });
  assert.throws(() => encodeTiff(PLAIN, { tile: 100 }), /a multiple of 16 pixels, got 100/);
});
