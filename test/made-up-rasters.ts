import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../src/readers/catalogue/dataset.ts';
import { encodeTiff, type EncodeTiffOptions, type TiffRaster } from '../src/readers/formats/tiff/encode-tiff.ts';

/** What a made-up raster needs to say; the rest is one band of bytes in degrees. */
export interface MadeUpRaster extends Partial<TiffRaster> {
  readonly width: number;
  readonly height: number;
  /** Upper left corner and the side of a pixel, in degrees. */
  readonly west: number;
  readonly north: number;
  readonly pixel: number;
  /** Value of a pixel by column and row. */
  readonly at: (x: number, y: number) => number;
  readonly options?: EncodeTiffOptions;
}

/** Bytes of a GeoTIFF whose pixels are what `at` says. Synthetic. */
export function madeUpTiff({ west, north, pixel, at, options, ...rest }: MadeUpRaster): Uint8Array {
  const { width, height, sampleType = 'uint8' } = rest;
  const type = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array }[sampleType as 'uint8'] ?? Int16Array;
  return encodeTiff(
    {
      bands: 1,
      sampleType,
      nodata: null,
      transform: [pixel, 0, west, 0, -pixel, north],
      crs: 'EPSG:4326',
      values: type.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width))),
      ...rest,
    },
    { tile: 16, ...options },
  );
}

/** Writes a raster and gives its path. */
export function writeMadeUpTiff(folder: string, name: string, raster: MadeUpRaster): string {
  const path = join(folder, name);
  writeFileSync(path, madeUpTiff(raster));
  return path;
}

/** A catalogue entry of a made-up raster, not marked synthetic, so that it is asked like a real one. */
export function rasterDataset(entry: Pick<Dataset, 'id' | 'role'> & Partial<Dataset>): Dataset {
  return {
    kind: 'cog',
    coverage: { bbox: [-180, -90, 180, 90] },
    version: '1',
    date: null,
    licence: 'CC0-1.0',
    attribution: 'made up for a test',
    synthetic: false,
    options: {},
    ...entry,
  };
}

/** A box in degrees as a GeoJSON polygon. */
export function boxPolygon(west: number, south: number, east: number, north: number) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Polygon' as const, coordinates: [ring] };
}
