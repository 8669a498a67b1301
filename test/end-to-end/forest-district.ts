import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeTiff } from '../../src/readers/formats/tiff/encode-tiff.ts';
import type { LonLat } from '../../src/geo/shapes/shape.ts';
import { generateGrid, gridSource, type Cover } from '../forest-raster.ts';

/** Cells of 20 m along a side, and along the side of a stand. */
const CELLS = 128;
const STAND = 16;

export interface ForestDistrict {
  /** Path of a catalogue that has the district and whatever else was requested. */
  readonly catalogue: string;
  /** Place of the middle of a stand, by its column and row, 0 to 7. Every third is open land. */
  readonly stand: (column: number, row: number) => LonLat;
}

/** An entry of a catalogue as it stands in the file. */
export type CatalogueEntry = Readonly<Record<string, unknown>>;

/** Writes a small generated district of square stands as a GeoTIFF of embeddings, and a catalogue of it, into a folder. */
export async function writeForestDistrict(
  folder: string,
  more: readonly CatalogueEntry[] = [],
): Promise<ForestDistrict> {
  const cover = (column: number, row: number): Cover => {
    const stand = Math.floor(column / STAND) + (CELLS / STAND) * Math.floor(row / STAND);
    return stand % 3 === 2 ? 'open' : stand;
  };
  const grid = generateGrid({ columns: CELLS, rows: CELLS, cover, corner: [500_000, 9_600_000], crs: 'EPSG:32720' });
  const { width, height, codes, transform, crs } = grid;
  const raster = { width, height, bands: 64, sampleType: 'int8', nodata: -128, transform, crs, values: codes } as const;
  const path = join(folder, 'district.tif');
  await writeFile(path, encodeTiff(raster, { compression: 'zstd' }));
  const catalogue = join(folder, 'catalogue.json');
  const entry = { ...entryOf('district', 'cog'), path, date: '2024', synthetic: true };
  await writeFile(catalogue, JSON.stringify([entry, ...more]));
  const source = gridSource(grid);
  return {
    catalogue,
    stand: (column, row) => source.placeOf(2 * STAND * (column + 0.5), 2 * STAND * (row + 0.5)),
  };
}

/** What every entry has. */
export function entryOf(id: string, kind: string): CatalogueEntry {
  return { id, role: 'embeddings', kind, version: '1', licence: 'CC0-1.0', attribution: 'Generated.' };
}
