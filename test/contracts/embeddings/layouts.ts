import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Grid, NODATA } from '../../../src/geo/segmentation/grid.ts';
import { encodeTiff, type EncodeTiffOptions } from '../../../src/readers/formats/tiff/encode-tiff.ts';
import { AEF_LAYOUT, cogPath } from '../../end-to-end/aef-site.ts';
import { indexParquet, type IndexFileOptions, type IndexRow } from './index-file.ts';
import { boundsOf, degreesOf } from './region.ts';

/** A COG of a site, from its codes. */
export interface Cog {
  readonly asset: string;
  readonly year: number;
  readonly grid: Grid;
  /** What the index says of its ground; default what it holds. */
  readonly footprint?: IndexRow['wgs84'];
}

/** As the public COGs are stored, tiles apart: theirs are 1024 x 1024. */
export const PUBLIC_TILES = { compression: 'zstd', interleave: 'band', tile: 128 } as const;

/** Writes a grid as a GeoTIFF; `bottomUp` stores its southern row first, as the public files do. */
export async function writeGrid(
  path: string,
  grid: Grid,
  options: EncodeTiffOptions & { readonly bottomUp?: boolean } = {},
): Promise<void> {
  const { bottomUp = false, ...encoding } = options;
  await mkdir(dirname(path), { recursive: true });
  const { width, height, crs } = grid;
  const [a, , c, , e, f] = grid.transform;
  const bytes = encodeTiff(
    {
      width,
      height,
      crs,
      bands: 64,
      sampleType: 'int8',
      nodata: NODATA,
      transform: bottomUp ? [a, 0, c, 0, -e, f + e * height] : grid.transform,
      values: bottomUp ? upsideDown(grid) : grid.codes,
    },
    encoding,
  );
  await writeFile(path, bytes);
}

/** Lays out COGs and their index below a folder as the public addresses are; returns the rows of the index. */
export async function writeSite(
  folder: string,
  cogs: readonly Cog[],
  options: IndexFileOptions = {},
): Promise<IndexRow[]> {
  const rows: IndexRow[] = [];
  for (const { asset, year, grid, footprint } of cogs) {
    const epsg = Number(grid.crs.slice('EPSG:'.length));
    const path = cogPath(year, `${epsg % 100}${epsg < 32_700 ? 'N' : 'S'}`, asset);
    await writeGrid(join(folder, AEF_LAYOUT.base, path), grid, { ...PUBLIC_TILES, bottomUp: true });
    rows.push({
      path: AEF_LAYOUT.pathPrefix + path,
      year,
      epsg,
      utm: boundsOf(grid),
      wgs84: footprint ?? degreesOf(grid),
    });
  }
  await writeIndex(folder, rows, options);
  return rows;
}

export async function writeIndex(
  folder: string,
  rows: readonly IndexRow[],
  options: IndexFileOptions = {},
): Promise<void> {
  const path = join(folder, AEF_LAYOUT.index);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, indexParquet(rows, options));
}

function upsideDown({ width, height, codes }: Grid): Int8Array {
  const out = new Int8Array(codes.length);
  const row = codes.length / height;
  if (row !== width * 64) throw new RangeError('wanted 64 codes a pixel');
  for (let y = 0; y < height; y++) out.set(codes.subarray(y * row, (y + 1) * row), (height - 1 - y) * row);
  return out;
}
