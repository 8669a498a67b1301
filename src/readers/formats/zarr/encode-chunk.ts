import { constants, gzip, zstdCompress, type ZlibOptions, type ZstdOptions } from 'node:zlib';
import { promisify } from 'node:util';

import { crc32c } from '../../../geo/crc32c.ts';
import { DATA_TYPES, HOST_ENDIAN, swapBytes } from './data-types.ts';
import type { ZarrValues } from './zarr-array.ts';
import { countOf, type BytesCodec, type ZarrArrayMetadata } from './zarr-metadata.ts';

const zip: (bytes: Uint8Array, options: ZlibOptions) => Promise<Uint8Array> = promisify(gzip);
const zstd: (bytes: Uint8Array, options: ZstdOptions) => Promise<Uint8Array> = promisify(zstdCompress);

type ChunkLayout = Pick<ZarrArrayMetadata, 'chunkShape' | 'dataType' | 'codecs' | 'fillValue'>;

/**
 * The bytes of a chunk; null when all of its values are the fill value, which is not stored.
 * @throws RangeError when the values are not one whole chunk of the array's type.
 */
export async function encodeChunk(layout: ChunkLayout, values: ZarrValues): Promise<Uint8Array | null> {
  const { chunkShape, dataType, codecs } = layout;
  const { bytes: bytesOfValue, view } = DATA_TYPES[dataType];
  const count = countOf(chunkShape);
  if (values.length !== count || values.constructor !== view(new ArrayBuffer(0), 0).constructor)
    throw new RangeError(`wanted ${count} values of ${dataType}, got ${values.length} in ${values.constructor.name}`);
  if (isAll(values, layout.fillValue)) return null;
  let bytes: Uint8Array = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  if (codecs.endian !== HOST_ENDIAN) {
    bytes = bytes.slice();
    swapBytes(bytes, bytesOfValue);
  }
  for (const codec of codecs.bytes) bytes = await encode(codec, bytes);
  return bytes;
}

function isAll(values: ZarrValues, fillValue: number): boolean {
  for (let i = 0; i < values.length; i++) if (!Object.is(values[i], fillValue)) return false;
  return true;
}

async function encode(codec: BytesCodec, bytes: Uint8Array): Promise<Uint8Array> {
  if (codec.name === 'gzip') return zip(bytes, { level: codec.level });
  if (codec.name === 'zstd') {
    const { ZSTD_c_compressionLevel: level, ZSTD_c_checksumFlag: checksum, ZSTD_c_contentSizeFlag: size } = constants;
    // The size in the frame lets a reader make room once, and refuse a chunk that is too large before it decodes it.
    const params = { [level]: codec.level, [checksum]: codec.checksum ? 1 : 0, [size]: 1 };
    return zstd(bytes, { params, pledgedSrcSize: bytes.length });
  }
  const out = new Uint8Array(bytes.length + 4);
  out.set(bytes);
  new DataView(out.buffer).setUint32(bytes.length, crc32c(bytes), true);
  return out;
}
