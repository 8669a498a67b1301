import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { utmProjection } from '../src/geo/crs/utm.ts';
import { BANDS, NODATA } from '../src/geo/segmentation/grid.ts';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { encodeTiff } from '../src/readers/formats/tiff/encode-tiff.ts';

/** The middle of the file, in degrees. */
export const MADE_UP_PLACE = [102.1, 3.2] as const;
/** Pixels of 10 m on each side of it. */
export const MADE_UP_SIDE = 240;

/** Writes a file of embeddings around the place, and gives its dataset. */
export async function writeEmbeddings(
  folder: string,
  codesAt: (column: number, row: number) => Int8Array,
  more: Partial<Dataset> = {},
): Promise<Dataset> {
  const side = MADE_UP_SIDE;
  const values = new Int8Array(side * side * BANDS);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) values.set(codesAt(column, row), (row * side + column) * BANDS);
  const xy = new Float64Array(2);
  utmProjection(47, true).toXY(...MADE_UP_PLACE, xy, 0);
  const transform = [10, 0, xy[0] - 5 * side, 0, -10, xy[1] + 5 * side] as const;
  const grid = { width: side, height: side, bands: BANDS, sampleType: 'int8', nodata: NODATA } as const;
  const path = join(folder, 'embeddings.tif');
  await mkdir(folder, { recursive: true });
  await writeFile(path, encodeTiff({ ...grid, values, transform, crs: 'EPSG:32647' }, { compression: 'zstd' }));
  return {
    id: 'made-up-embeddings',
    role: 'embeddings',
    kind: 'cog',
    path,
    coverage: { bbox: [102, 3, 103, 4] },
    version: '1',
    date: '2023',
    licence: 'CC0-1.0',
    attribution: 'nobody',
    synthetic: false,
    options: {},
    ...more,
  };
}

/** The same dataset as an entry of a catalogue file. */
export function catalogueOf({ id, role, kind, path, version, date, licence, attribution }: Dataset): string {
  const coverage = [102, 3, 103, 4];
  return JSON.stringify({ datasets: [{ id, role, kind, path, coverage, version, date, licence, attribution }] });
}
