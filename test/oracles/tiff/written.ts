import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeTiff, type EncodeTiffOptions, type TiffRaster } from '../../../src/readers/formats/tiff/encode-tiff.ts';
import { SAMPLE_TYPES } from '../../../src/readers/formats/tiff/tiff-image.ts';

/** A raster whose sample number `i` is `i * 7 % 101`, as `make-written-oracle.py` expects. */
function raster(change: Partial<TiffRaster>): TiffRaster {
  const plain = { width: 37, height: 21, bands: 3, sampleType: 'uint8', nodata: null, crs: 'EPSG:32630' } as const;
  const rest = { ...plain, transform: [10, 0, 5e5, 0, -10, 4e6] as const, ...change };
  const values = new SAMPLE_TYPES[rest.sampleType].make(rest.width * rest.height * rest.bands);
  for (let i = 0; i < values.length; i++) values[i] = (i * 7) % 101;
  return { values, ...rest };
}

const CASES: Readonly<Record<string, readonly [Partial<TiffRaster>, EncodeTiffOptions]>> = {
  'north-up': [{}, {}],
  'bottom-up': [{ transform: [10, 0, 5e5, 0, 10, 3.99e6], sampleType: 'int8', nodata: -128 }, { interleave: 'band' }],
  rotated: [{ transform: [8, 6, 5e5, 6, -8, 4e6], sampleType: 'float64' }, {}],
  geographic: [{ transform: [0.25, 0, -180, 0, -0.25, 90], crs: 'EPSG:4326', sampleType: 'float32', nodata: NaN }, {}],
  'many-bands': [{ bands: 64, sampleType: 'int8', nodata: -128, width: 20, height: 17 }, {}],
  unsigned: [{ sampleType: 'uint32', bands: 1, nodata: 0 }, { interleave: 'band' }],
  unplaced: [{ sampleType: 'int16', transform: null, crs: null }, { interleave: 'band' }],
};

/** Files that GDAL has read; without compression, so that their bytes depend on nothing but this code. */
export const WRITTEN: Readonly<Record<string, () => Uint8Array>> = Object.fromEntries(
  Object.entries(CASES).map(([name, [change, options]]) => [
    name,
    () => encodeTiff(raster(change), { compression: 'none', tile: 16, ...options }),
  ]),
);

/** The same in every compression, for the script alone. */
if (import.meta.main) {
  const folder = process.argv[2];
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(WRITTEN)) writeFileSync(join(folder, `${name}.tif`), bytes());
  for (const compression of ['deflate', 'zstd'] as const) {
    for (const [name, [change, options]] of Object.entries(CASES))
      writeFileSync(
        join(folder, `${name}.${compression}.tif`),
        encodeTiff(raster(change), { compression, ...options }),
      );
  }
}
