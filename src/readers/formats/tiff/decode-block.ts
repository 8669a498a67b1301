import { SAMPLE_TYPES, type SampleArray, type TiffCompression, TiffError, type TiffImage } from './tiff-image.ts';
import { DECODE_INTO, type DecodeFirst, type DecodeInto } from './decode-into.ts';
import { decodeLzw, decodePackbits } from './decompress.ts';

const AS_INTEGERS = {
  1: (out: Uint8Array) => out,
  2: (out: Uint8Array) => new Uint16Array(out.buffer, out.byteOffset, out.length >> 1),
  4: (out: Uint8Array) => new Uint32Array(out.buffer, out.byteOffset, out.length >> 2),
  8: (out: Uint8Array) => new BigUint64Array(out.buffer, out.byteOffset, out.length >> 3),
} as const;

/** Most bytes out of one byte in, by the format; a block that claims more is not given memory for it. */
const MAX_RATIO = { none: 1, lzw: 4096, deflate: 1032, packbits: 128, zstd: 131_072 } as const;

const DECODERS = {
  none(bytes: Uint8Array, out: Uint8Array) {
    out.set(bytes.length > out.length ? bytes.subarray(0, out.length) : bytes);
    return Math.min(bytes.length, out.length);
  },
  lzw: decodeLzw,
  packbits: decodePackbits,
  deflate: DECODE_INTO.deflate.fast,
  zstd: DECODE_INTO.zstd.fast,
} as const satisfies Readonly<Record<TiffCompression, DecodeInto>>;

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

/** As `decodeBlock`, into `out`, which has the bytes of a block. `front`: see `DecodeInto`. */
export function decodeBlockInto(
  place: string,
  format: BlockFormat,
  rows: number,
  bytes: Uint8Array,
  out: Uint8Array,
  front = 0,
): void {
  assertPlausible(place, format, rows, bytes.length);
  const decoded = decodeWith(DECODERS[format.compression], place, format, bytes, out, front);
  const wanted = rows * rowBytesOf(format);
  if (decoded < wanted)
    throw new TiffError('damaged', place, `wanted a block of ${wanted} bytes, got one that decodes to ${decoded}`);
  undoPredictor(format, out);
}

/** Whether `decodeRowsInto` can decode blocks of a compression. */
export function canDecodeRows(compression: TiffCompression): boolean {
  return firstOf(compression) !== null;
}

/**
 * Decodes the first rows of a block into `out`, which has their bytes; `bytes` may end before the block does. False when they end before
 * those rows do: what `out` holds then means nothing. `room`: see `DecodeFirst`.
 * @throws TiffError when the bytes do not decode.
 */
export function decodeRowsInto(
  place: string,
  format: BlockFormat,
  bytes: Uint8Array,
  out: Uint8Array,
  room: Uint8Array = out,
): boolean {
  const decode = firstOf(format.compression);
  if (decode === null) throw new Error(`blocks cannot be decoded in part (${format.compression})`);
  if (decodeWith((from, to) => decode(from, to, room), place, format, bytes, out, 0) < out.length) return false;
  undoPredictor(format, out);
  return true;
}

function firstOf(compression: TiffCompression): DecodeFirst | null {
  if (compression === 'zstd' || compression === 'deflate') return DECODE_INTO[compression].first();
  // A run of PackBits that is cut off looks like a damaged one.
  if (compression === 'packbits') return null;
  const decode = DECODERS[compression];
  return (bytes, out) => decode(bytes, out);
}

function decodeWith(
  decode: DecodeInto,
  place: string,
  { compression }: BlockFormat,
  bytes: Uint8Array,
  out: Uint8Array,
  front: number,
): number {
  try {
    return decode(bytes, out, front);
  } catch (cause) {
    throw new TiffError('damaged', place, `a block does not decode (${compression}): ${String(cause)}`, { cause });
  }
}

function undoPredictor(format: BlockFormat, out: Uint8Array): void {
  const { bytes: sampleBytes } = SAMPLE_TYPES[format.sampleType];
  const rowSamples = format.blockWidth * format.samples;
  if (format.predictor === 3 && sampleBytes >= 4) {
    undoFloatPredictor(out, sampleBytes as 4 | 8, rowSamples, format.samples);
    return;
  }
  if (!format.littleEndian) swapBytes(out, sampleBytes);
  if (format.predictor === 2) undoDifferences(out, sampleBytes, rowSamples, format.samples);
}

function rowBytesOf({ sampleType, blockWidth, samples }: BlockFormat): number {
  return blockWidth * samples * SAMPLE_TYPES[sampleType].bytes;
}

/** Refuses lengths that no encoder makes, before memory is taken for the block. */
function assertPlausible(place: string, format: BlockFormat, rows: number, length: number): void {
  const wanted = rows * rowBytesOf(format);
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

/** Whether so many bytes can decode to that many. */
function canFill(compression: TiffCompression, length: number, decoded: number): boolean {
  return length * MAX_RATIO[compression] >= decoded;
}

/**
 * Undoes predictor 2 in place: each sample was stored as its difference from the one before it in its row and band.
 * Samples are integers of `bytes` bytes, floats by their bits, in this machine's order.
 */
function undoDifferences(out: Uint8Array, bytes: 1 | 2 | 4 | 8, rowSamples: number, step: number): void {
  const values = AS_INTEGERS[bytes](out);
  if (values instanceof BigUint64Array) {
    for (let i = 0; i < values.length; i++) if (i % rowSamples >= step) values[i] += values[i - step];
    return;
  }
  for (let row = 0; row < values.length; row += rowSamples) {
    const end = Math.min(row + rowSamples, values.length);
    for (let i = row + step; i < end; i++) values[i] += values[i - step];
  }
}

/**
 * Undoes predictor 3 in place (Adobe Photoshop TIFF technical note 3): in each row the bytes of all floats were sorted
 * by rank, the highest first, and stored as differences. The result is in little-endian order.
 */
function undoFloatPredictor(out: Uint8Array, bytes: 4 | 8, rowSamples: number, step: number): void {
  const rowBytes = rowSamples * bytes;
  const sorted = new Uint8Array(rowBytes);
  for (let row = 0; row + rowBytes <= out.length; row += rowBytes) {
    for (let i = 0; i < rowBytes; i++) sorted[i] = out[row + i] + (i >= step ? sorted[i - step] : 0);
    for (let i = 0; i < rowSamples; i++) {
      for (let rank = 0; rank < bytes; rank++) out[row + i * bytes + bytes - 1 - rank] = sorted[rank * rowSamples + i];
    }
  }
}
