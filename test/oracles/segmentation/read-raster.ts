import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { BANDS, type Grid } from '../../../src/geo/segmentation/grid.ts';

const RASTERS = join(import.meta.dirname, '../../../../shared/data/aef');

const kept = new Map<string, Grid>();

/**
 * One of the sample rasters, which all tests of a process share: none writes into it. `null` when the samples are not there, which is
 * an error where they must be.
 */
export function readRaster(name: string): Grid | null {
  const raster = kept.get(name) ?? decodeRaster(name);
  if (raster !== null) kept.set(name, raster);
  return raster;
}

/** Decodes a file just well enough: little-endian TIFF, tiled, band-interleaved, deflate. */
function decodeRaster(name: string): Grid | null {
  const path = join(RASTERS, `${name}.tif`);
  if (!existsSync(path)) {
    if (process.env.CI === 'true') throw new Error(`sample raster wanted at ${path}, not found`);
    return null;
  }
  const file = readFileSync(path);
  const tags = readTags(file);
  const [width] = tags.get(256) ?? [];
  const [height] = tags.get(257) ?? [];
  const [tile] = tags.get(322) ?? [];
  const isDifferenced = tags.get(317)?.[0] === 2;
  const offsets = tags.get(324) ?? [];
  const sizes = tags.get(325) ?? [];
  const codes = new Int8Array(width * height * BANDS);
  const across = Math.ceil(width / tile);
  const down = Math.ceil(height / tile);
  for (let index = 0; index < offsets.length; index++) {
    const values = new Int8Array(inflateSync(file.subarray(offsets[index], offsets[index] + sizes[index])));
    if (isDifferenced) sumRows(values, tile);
    const band = Math.floor(index / (across * down));
    const x0 = (index % across) * tile;
    const y0 = (Math.floor(index / across) % down) * tile;
    for (let y = y0; y < Math.min(y0 + tile, height); y++) {
      for (let x = x0; x < Math.min(x0 + tile, width); x++) {
        codes[(y * width + x) * BANDS + band] = values[(y - y0) * tile + x - x0];
      }
    }
  }
  // Nothing that reads this needs to know where on Earth it lies.
  return { width, height, codes, transform: [10, 0, 0, 0, -10, 0], crs: 'EPSG:32616' };
}

/** Tag number to its values, for the types short and long; others are left out. */
function readTags(file: Buffer): Map<number, number[]> {
  const tags = new Map<number, number[]>();
  const directory = file.readUInt32LE(4);
  for (let entry = 0; entry < file.readUInt16LE(directory); entry++) {
    const at = directory + 2 + 12 * entry;
    const type = file.readUInt16LE(at + 2);
    if (type !== 3 && type !== 4) continue;
    const bytes = type === 3 ? 2 : 4;
    const count = file.readUInt32LE(at + 4);
    const start = count * bytes > 4 ? file.readUInt32LE(at + 8) : at + 8;
    const read = (i: number) => file.readUIntLE(start + i * bytes, bytes);
    tags.set(
      file.readUInt16LE(at),
      Array.from({ length: count }, (_, i) => read(i)),
    );
  }
  return tags;
}

/** Undoes horizontal differencing (predictor 2). */
function sumRows(out: Int8Array, width: number): void {
  for (let i = 0; i < out.length; i++) if (i % width > 0) out[i] += out[i - 1];
}
