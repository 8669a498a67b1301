import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { utmProjection } from '../src/geo/crs/utm.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { writeMosaic } from './contracts/embeddings/mosaic.ts';

/** The middle of the ground. */
export const TWO_YEAR_PLACE = [102.1, 3.2] as const;
/** Until this year the east of the place is other ground than the west, from the next on it is alike. */
export const [YEAR_BEFORE, YEAR_AFTER] = [2019, 2024] as const;

const SIDE = 320;
const random = seededRandom(11);
const [west, east] = Array.from({ length: 2 }, () =>
  Int8Array.from({ length: BANDS }, () => Math.round(random() * 180 - 90)),
);

/** Writes a mosaic of two years and a catalogue that names it; gives the file of the catalogue. */
export async function writeTwoYears(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeMosaic(join(folder, 'mosaic'), [
    { grid: gridOf(east), year: YEAR_BEFORE },
    { grid: gridOf(west), year: YEAR_AFTER },
  ]);
  const entry = {
    id: 'two-years',
    role: 'embeddings',
    kind: 'zarr',
    path: 'mosaic',
    coverage: [102, 3.1, 102.2, 3.3],
    version: '1',
    licence: 'CC0-1.0',
    attribution: 'Nobody',
  };
  const path = join(folder, 'catalogue.json');
  await writeFile(path, JSON.stringify({ datasets: [entry] }));
  return path;
}

function gridOf(codesInEast: Int8Array): Grid {
  const codes = new Int8Array(SIDE * SIDE * BANDS);
  for (let pixel = 0; pixel < SIDE * SIDE; pixel++)
    codes.set(pixel % SIDE < SIDE / 2 ? west : codesInEast, pixel * BANDS);
  const xy = new Float64Array(2);
  utmProjection(47, true).toXY(...TWO_YEAR_PLACE, xy, 0);
  const transform = [10, 0, xy[0] - 5 * SIDE, 0, -10, xy[1] + 5 * SIDE] as const;
  return { width: SIDE, height: SIDE, codes, transform, crs: 'EPSG:32647' };
}
