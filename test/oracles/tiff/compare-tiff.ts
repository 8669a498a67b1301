import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileSource } from '../../../src/readers/io/file-source.ts';
import { openTiff } from '../../../src/readers/formats/tiff/open-tiff.ts';
import { readTiffWindow } from '../../../src/readers/formats/tiff/read-window.ts';

export const ORACLE: string = import.meta.dirname;

/** What rasterio says of a file. */
export interface TiffExpectation {
  readonly width: number;
  readonly height: number;
  readonly bands: number;
  readonly sampleType: string;
  readonly nodata: string | null;
  readonly transform: readonly number[] | null;
  readonly crs: string | null;
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** SHA-256 of all samples, row, column, band, little-endian. */
  readonly sha256: string;
}

export interface TiffOracle {
  readonly files: Readonly<Record<string, TiffExpectation>>;
  readonly samples: Readonly<Record<string, TiffExpectation>>;
}

export function readOracle(folder: string = ORACLE): TiffOracle {
  return JSON.parse(readFileSync(join(folder, 'tiff.json'), 'utf8')) as TiffOracle;
}

/** Fails unless the reader says and reads the same as rasterio. */
export async function compareTiff(path: string, expected: TiffExpectation): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  await using source = fileSource(path);
  const image = await openTiff(source, signal);
  const { sha256, nodata, transform, ...rest } = expected;
  assert.partialDeepStrictEqual(image, rest);
  assert.deepEqual(image.nodata, nodata === null ? null : Number(nodata.replace('inf', 'Infinity')));
  if (transform === null) assert.equal(image.transform, null);
  else
    transform.forEach((number, i) =>
      assert.ok(Math.abs((image.transform?.[i] ?? NaN) - number) < 1e-9 * (1 + Math.abs(number))),
    );
  const values = await readTiffWindow(source, image, 0, 0, image.width, image.height, { signal });
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
}

async function main(): Promise<void> {
  const [folder = ORACLE] = process.argv.slice(2);
  const { files } = readOracle(folder);
  for (const [name, expected] of Object.entries(files)) {
    await compareTiff(join(folder, 'files', name), expected).catch((error: unknown) => {
      process.exitCode = 1;
      console.error(`${name}: ${String(error)}`);
    });
  }
  console.log(`${Object.keys(files).length} files compared`);
}

// Not awaited, so that tests can load this at once.
if (import.meta.main) void main();
