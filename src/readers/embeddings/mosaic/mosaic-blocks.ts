import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import type { BlockFormat } from '../../formats/tiff/decode-block.ts';
import { type ZarrArray, ZarrError } from '../../formats/zarr/zarr-array.ts';
import { createShared } from '../../io/share.ts';
import { BLOCK, type CodeBlocks } from '../cog/code-blocks.ts';
import { DecodeError } from '../decode/decode-file.ts';
import type { Decoder } from '../decode/decoder.ts';

const PIXELS = BLOCK * BLOCK;
/** 32-bit words of a band, and of a pixel. */
const BAND_WORDS = PIXELS / 4;
const PIXEL_WORDS = BANDS / 4;

/**
 * One year of a mosaic in blocks, which are its chunks with the bands of a pixel side by side.
 * @param decoder decodes chunks that went through zstd alone, as the public ones do, in memory that is used again
 */
export function mosaicBlocks(array: ZarrArray, step: number, decoder?: Decoder): CodeBlocks {
  const isZstd = decoder !== undefined && array.compression === 'zstd';
  return isZstd ? decodedBlocks(array, step, decoder) : plainBlocks(array, step);
}

/** A chunk as a block of a file whose bands follow one another. */
const CHUNK_FORMAT = {
  sampleType: 'int8',
  compression: 'zstd',
  predictor: 1,
  littleEndian: true,
  blockWidth: BLOCK,
  blockHeight: BANDS * BLOCK,
  samples: 1,
} as const satisfies BlockFormat;

function decodedBlocks(array: ZarrArray, step: number, decoder: Decoder): CodeBlocks {
  const [, , height, width] = array.shape;
  const shared = createShared<Int8Array | null>();

  async function read(bx: number, by: number, signal: AbortSignal): Promise<Int8Array | null> {
    const index = [step, 0, by, bx];
    const bytes = await array.encoded(index, signal);
    if (bytes === null) return null;
    const place = `${array.id}, chunk ${index.join(', ')}`;
    const out = decoder.block();
    const size = { width: Math.min(BLOCK, width - bx * BLOCK), height: Math.min(BLOCK, height - by * BLOCK) };
    try {
      const job = { kind: 'whole', place, format: CHUNK_FORMAT, ...size, out } as const;
      if (await decoder.run(job, [bytes], signal)) return new Int8Array(out);
    } catch (error) {
      if (!(error instanceof DecodeError) || error.kind !== 'damaged') throw error;
      throw new ZarrError('damaged', place, error.message.slice(place.length + 2), { cause: error });
    }
    decoder.release(out);
    return null;
  }

  return {
    id: `${array.id} ${step}`,
    width,
    height,
    block: (bx, by, signal) => shared(`${bx} ${by}`, signal, (inner) => read(bx, by, inner)),
    release: ({ buffer }) => {
      if (buffer instanceof SharedArrayBuffer) decoder.release(buffer);
    },
  };
}

/** With whatever codecs the array has; this thread puts the bands of a pixel side by side. */
function plainBlocks(array: ZarrArray, step: number): CodeBlocks {
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

/**
 * The codes of a chunk of 64 bands of 256 x 256 pixels as row, column, band. Four pixels of four bands at a time, as
 * 32-bit words: five times as fast as byte by byte. `chunk` must begin at a multiple of 4 bytes of its memory.
 */
function interleaveChunk(chunk: Int8Array): Int8Array {
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
