import { BANDS, type Grid } from '../src/geo/segmentation/grid.ts';
import { readRaster } from '../test/oracles/segmentation/read-raster.ts';

/** The real sample raster, `wisconsin_west.tif`, 560 x 978 pixels. @throws when it is not there. */
export function realRaster(): Grid {
  const raster = readRaster('wisconsin_west');
  if (raster === null) throw new Error('the sample raster wisconsin_west.tif is not there');
  // Where it lies; its pixel blocks begin at the first pixel.
  return { ...raster, transform: [10, 0, 354_030, 0, -10, 4_911_010], crs: 'EPSG:32616' };
}

/** A grid continued to `width` x `height` by mirroring: real codes, but places repeat. Even sizes keep the pixel blocks whole. */
export function mirrored(grid: Grid, width: number, height: number): Grid {
  const codes = new Int8Array(width * height * BANDS);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (fold(y, grid.height) * grid.width + fold(x, grid.width)) * BANDS;
      codes.set(grid.codes.subarray(from, from + BANDS), (y * width + x) * BANDS);
    }
  }
  return { ...grid, width, height, codes };
}

function fold(i: number, size: number): number {
  return i % (2 * size) < size ? i % size : size - 1 - (i % size);
}
