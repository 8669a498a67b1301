import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import type { ZarrArray } from '../../formats/zarr/zarr-array.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import { interleaveChunk } from './interleave.ts';

/** One year of a mosaic in blocks, which are its chunks with the bands of a pixel side by side. */
export function mosaicBlocks(array: ZarrArray, step: number): CodeBlocks {
  const [, , height, width] = array.shape;
  return {
    id: `${array.id} ${step}`,
    width,
    height,
    async block(bx, by, signal) {
      const values = (await array.chunk([step, 0, by, bx], signal)) as Int8Array | null;
      // A pixel without data has no band.
      if (values === null || isNodata(values.subarray(0, BLOCK * BLOCK))) return null;
      const codes = interleaveChunk(values);
      clearOutside(codes, width - bx * BLOCK, height - by * BLOCK);
      return codes;
    },
  };
}

function isNodata(band: Int8Array): boolean {
  for (let pixel = 0; pixel < band.length; pixel++) if (band[pixel] !== NODATA) return false;
  return true;
}

/** What lies past the edge of the array may be anything in the file. */
function clearOutside(out: Int8Array, columns: number, rows: number): void {
  if (rows < BLOCK) out.fill(NODATA, rows * BLOCK * BANDS);
  if (columns >= BLOCK) return;
  for (let row = 0; row < BLOCK; row++) out.fill(NODATA, (row * BLOCK + columns) * BANDS, (row + 1) * BLOCK * BANDS);
}
