import { canFill, decompress } from './decompress.ts';
import { SAMPLE_TYPES, type SampleArray } from './sample-types.ts';
import { TiffError } from './tiff-error.ts';
import type { TiffImage } from './tiff-image.ts';
import { undoDifferences, undoFloatPredictor } from './undo-predictor.ts';

/** What decoding needs to know of an image; it can be sent to another thread. */
export type BlockFormat = Pick<
  TiffImage,
  'sampleType' | 'compression' | 'predictor' | 'littleEndian' | 'blockWidth' | 'blockHeight'
> & {
  /** Samples of a pixel in one block: all of them, or one where bands lie apart. */
  readonly samples: number;
};

/** How the blocks of an image are stored. */
export function blockFormat(image: TiffImage): BlockFormat {
  const { sampleType, compression, predictor, littleEndian, blockWidth, blockHeight } = image;
  const samples = image.interleave === 'pixel' ? image.bands : 1;
  return { sampleType, compression, predictor, littleEndian, blockWidth, blockHeight, samples };
}

/** Bytes of a decoded block. */
export function blockBytes({ sampleType, blockWidth, blockHeight, samples }: BlockFormat): number {
  return blockWidth * blockHeight * samples * SAMPLE_TYPES[sampleType].bytes;
}

/**
 * Decodes the bytes of a block: row, column, sample, `blockWidth * blockHeight * samples` values. `rows` of them must be
 * there; what lies below in a strip that is cut off at the image's end stays 0 and is no pixel.
 * @throws TiffError when the bytes do not decode to a block.
 */
export function decodeBlock(place: string, format: BlockFormat, rows: number, bytes: Uint8Array): SampleArray {
  const { make } = SAMPLE_TYPES[format.sampleType];
  assertPlausible(place, format, rows, bytes.length);
  const values = new make(format.blockWidth * format.blockHeight * format.samples);
  decodeBlockInto(place, format, rows, bytes, new Uint8Array(values.buffer));
  return values;
}

/** As `decodeBlock`, into `out`, which has the bytes of a block. */
export function decodeBlockInto(
  place: string,
  format: BlockFormat,
  rows: number,
  bytes: Uint8Array,
  out: Uint8Array,
): void {
  assertPlausible(place, format, rows, bytes.length);
  const { bytes: sampleBytes } = SAMPLE_TYPES[format.sampleType];
  const rowSamples = format.blockWidth * format.samples;
  let decoded: number;
  try {
    decoded = decompress(format.compression, bytes, out);
  } catch (cause) {
    throw new TiffError('damaged', place, `a block does not decode (${format.compression}): ${String(cause)}`, {
      cause,
    });
  }
  const wanted = rows * rowSamples * sampleBytes;
  if (decoded < wanted)
    throw new TiffError('damaged', place, `wanted a block of ${wanted} bytes, got one that decodes to ${decoded}`);
  if (format.predictor === 3 && sampleBytes >= 4) {
    undoFloatPredictor(out, sampleBytes as 4 | 8, rowSamples, format.samples);
    return;
  }
  if (!format.littleEndian) swapBytes(out, sampleBytes);
  if (format.predictor === 2) undoDifferences(out, sampleBytes, rowSamples, format.samples);
}

/** Refuses lengths that no encoder makes, before memory is taken for the block. */
function assertPlausible(place: string, format: BlockFormat, rows: number, length: number): void {
  const wanted = rows * format.blockWidth * format.samples * SAMPLE_TYPES[format.sampleType].bytes;
  if (!canFill(format.compression, length, wanted))
    throw new TiffError(
      'damaged',
      place,
      `wanted a block of ${wanted} bytes, got ${length} bytes, which cannot hold it`,
    );
}

/** To the order of this machine, which is little-endian like every one that the service runs on. */
function swapBytes(out: Uint8Array, bytes: 1 | 2 | 4 | 8): void {
  const buffer = Buffer.from(out.buffer, out.byteOffset, out.length);
  if (bytes === 2) buffer.swap16();
  if (bytes === 4) buffer.swap32();
  if (bytes === 8) buffer.swap64();
}
