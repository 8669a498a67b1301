import { BANDS } from '../../../geo/segmentation/grid.ts';
import { BLOCK } from '../cog/code-blocks.ts';

const PIXELS = BLOCK * BLOCK;
/** 32-bit words of a band, and of a pixel. */
const BAND_WORDS = PIXELS / 4;
const PIXEL_WORDS = BANDS / 4;

/**
 * The codes of a chunk of 64 bands of 256 x 256 pixels as row, column, band. Four pixels of four bands at a time, as
 * 32-bit words: five times as fast as byte by byte. `chunk` must begin at a multiple of 4 bytes of its memory.
 */
export function interleaveChunk(chunk: Int8Array): Int8Array {
  const out = new Int8Array(PIXELS * BANDS);
  const from = new Int32Array(chunk.buffer, chunk.byteOffset, PIXELS * PIXEL_WORDS);
  const to = new Int32Array(out.buffer);
  for (let pixels = 0; pixels < BAND_WORDS; pixels++) {
    for (let bands = 0; bands < PIXEL_WORDS; bands++) {
      const at = 4 * bands * BAND_WORDS + pixels;
      // Four neighbouring pixels of one band each, the first in the lowest byte on every machine Node runs on.
      const a = from[at];
      const b = from[at + BAND_WORDS];
      const c = from[at + 2 * BAND_WORDS];
      const d = from[at + 3 * BAND_WORDS];
      const place = 4 * pixels * PIXEL_WORDS + bands;
      to[place] = (a & 0xff) | ((b & 0xff) << 8) | ((c & 0xff) << 16) | (d << 24);
      to[place + PIXEL_WORDS] = ((a >>> 8) & 0xff) | (b & 0xff00) | ((c & 0xff00) << 8) | ((d & 0xff00) << 16);
      to[place + 2 * PIXEL_WORDS] = ((a >>> 16) & 0xff) | ((b >>> 8) & 0xff00) | (c & 0xff0000) | ((d & 0xff0000) << 8);
      to[place + 3 * PIXEL_WORDS] = (a >>> 24) | ((b >>> 16) & 0xff00) | ((c >>> 8) & 0xff0000) | (d & 0xff000000);
    }
  }
  return out;
}
