import { gunzip, zstdDecompress, zstdDecompressSync, type ZlibOptions, type ZstdOptions } from 'node:zlib';
import { promisify } from 'node:util';

import { crc32c } from '../../../geo/crc32c.ts';
import { DATA_TYPES, HOST_ENDIAN, swapBytes, ZarrError, type ZarrValues } from './zarr-array.ts';
import { type BytesCodec, countOf, type ZarrArrayMetadata } from './zarr-metadata.ts';

type ChunkLayout = Pick<ZarrArrayMetadata, 'chunkShape' | 'dataType' | 'codecs'>;

const unzip: (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array> = promisify(gunzip);
const unzstd: (bytes: Uint8Array, options: ZstdOptions) => Promise<Uint8Array> = promisify(zstdDecompress);
/** Up to this many bytes of output another thread costs more than it helps: 256 KiB take a tenth of a millisecond. */
const AT_ONCE_BYTES = 524_288;

/**
 * The values of an encoded chunk, in C order. Gives memory of its own.
 * @throws ZarrError `damaged` when a checksum fails or the bytes do not decode to exactly one chunk; no more memory is
 * taken than a chunk needs.
 */
export async function decodeChunk(place: string, layout: ChunkLayout, encoded: Uint8Array): Promise<ZarrValues> {
  const { chunkShape, dataType, codecs } = layout;
  const { bytes: bytesOfValue, view } = DATA_TYPES[dataType];
  let bytes = encoded;
  for (const step of stepsOf(layout).toReversed()) bytes = await undo(place, step, bytes);
  const length = countOf(chunkShape) * bytesOfValue;
  if (bytes.length !== length) throw damaged(place, `wanted a chunk of ${length} bytes, got ${bytes.length}`);
  const buffer = ownBuffer(bytes, encoded, bytesOfValue);
  if (codecs.endian !== HOST_ENDIAN) swapBytes(new Uint8Array(buffer, 0, length), bytesOfValue);
  const stored = view(buffer, length / bytesOfValue);
  return codecs.order === null ? stored : inOrder(stored, chunkShape, codecs.order);
}

/** Most bytes that an honest encoder makes of a chunk; longer ones are refused before they are read. */
export function largestEncoded(layout: ChunkLayout): number {
  const length = countOf(layout.chunkShape) * DATA_TYPES[layout.dataType].bytes;
  return layout.codecs.bytes.reduce((most, codec) => grown(most, codec), length);
}

interface Step {
  readonly codec: BytesCodec;
  /** Most bytes that undoing the codec may give. */
  readonly most: number;
}

function stepsOf({ chunkShape, dataType, codecs }: ChunkLayout): Step[] {
  let most = countOf(chunkShape) * DATA_TYPES[dataType].bytes;
  return codecs.bytes.map((codec) => {
    const step = { codec, most };
    most = grown(most, codec);
    return step;
  });
}

/** What cannot be compressed grows a little: by 1 in 128 (zstd) or 5 bytes in 16 KiB (gzip); an eighth is generous. */
function grown(length: number, { name }: BytesCodec): number {
  return name === 'crc32c' ? length + CHECKSUM_BYTES : length + (length >>> 3) + 65_536;
}

const CHECKSUM_BYTES = 4;

/** Most bytes out of one byte in, by the format. */
const MAX_RATIO = { gzip: 1032, zstd: 131_072 } as const;

async function undo(place: string, { codec, most }: Step, bytes: Uint8Array): Promise<Uint8Array> {
  if (codec.name === 'crc32c') return withoutChecksum(place, bytes);
  // One piece of output for the whole chunk, no larger than the bytes can fill; one byte of room saves a second piece.
  const options = { maxOutputLength: most, chunkSize: Math.min(most, bytes.length * MAX_RATIO[codec.name]) + 64 };
  try {
    if (codec.name !== 'zstd') return await unzip(bytes, options);
    return most <= AT_ONCE_BYTES ? zstdDecompressSync(bytes, options) : await unzstd(bytes, options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const detail = code === 'ERR_BUFFER_TOO_LARGE' ? `wanted at most ${most} bytes, got more` : message;
    throw new ZarrError('damaged', place, `${codec.name}: ${detail}`, { cause });
  }
}

/** The bytes before their CRC-32C. @throws ZarrError `damaged` when it is not theirs. */
export function withoutChecksum(place: string, bytes: Uint8Array): Uint8Array {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0) throw damaged(place, `crc32c: wanted at least ${CHECKSUM_BYTES} bytes, got ${bytes.length}`);
  const content = bytes.subarray(0, end);
  const stored = new DataView(bytes.buffer, bytes.byteOffset + end).getUint32(0, true);
  if (stored !== crc32c(content)) throw damaged(place, 'crc32c: the checksum does not match the bytes');
  return content;
}

/** A buffer whose start is the chunk's: that of `bytes` where nobody else sees it, else a copy. */
function ownBuffer(bytes: Uint8Array, encoded: Uint8Array, bytesOfValue: number): ArrayBuffer {
  const { buffer, byteOffset, length } = bytes;
  // A buffer much larger than its part is one of Node's pools, shared with others.
  const isOwn = buffer !== encoded.buffer && byteOffset === 0 && buffer.byteLength < length + length / 4 + 65_536 + 65;
  if (isOwn && length >= 65_536 && buffer instanceof ArrayBuffer && length % bytesOfValue === 0) return buffer;
  return Uint8Array.from(bytes).buffer;
}

/** Puts values that are stored with their dimensions in another order back into C order. */
function inOrder(stored: ZarrValues, shape: readonly number[], order: readonly number[]): ZarrValues {
  const out = stored.slice();
  const strides = shape.map((_, i) => countOf(shape.slice(i + 1)));
  const sizes = order.map((dimension) => shape[dimension]);
  const steps = order.map((dimension) => strides[dimension]);
  const place = sizes.map(() => 0);
  let to = 0;
  for (let from = 0; from < stored.length; from++) {
    out[to] = stored[from];
    for (let i = sizes.length - 1; i >= 0; i--) {
      place[i]++;
      to += steps[i];
      if (place[i] < sizes[i]) break;
      to -= steps[i] * sizes[i];
      place[i] = 0;
    }
  }
  return out;
}

function damaged(place: string, detail: string): ZarrError {
  return new ZarrError('damaged', place, detail);
}
