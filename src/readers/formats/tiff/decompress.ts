import { DECODE_INTO, type DecodeInto } from './decode-into.ts';
import { decodeLzw } from './decode-lzw.ts';
import { decodePackbits } from './decode-packbits.ts';
import type { TiffCompression } from './tiff-image.ts';

/** Most bytes out of one byte in, by the format; a block that claims more is not given memory for it. */
const MAX_RATIO = { none: 1, lzw: 4096, deflate: 1032, packbits: 128, zstd: 131_072 } as const;

const DECODERS = {
  none(bytes, out) {
    out.set(bytes.length > out.length ? bytes.subarray(0, out.length) : bytes);
    return Math.min(bytes.length, out.length);
  },
  lzw: decodeLzw,
  packbits: decodePackbits,
  deflate: DECODE_INTO.deflate.fast,
  zstd: DECODE_INTO.zstd.fast,
} as const satisfies Readonly<Record<TiffCompression, DecodeInto>>;

/**
 * Decodes `bytes` into `out` and returns how many bytes that gave, at most `out.length`.
 * @throws Error when the bytes do not decode, or decode to more than `out` holds (LZW and PackBits stop there).
 */
export function decompress(compression: TiffCompression, bytes: Uint8Array, out: Uint8Array): number {
  return DECODERS[compression](bytes, out);
}

/** Whether so many bytes can decode to that many. */
export function canFill(compression: TiffCompression, length: number, decoded: number): boolean {
  return length * MAX_RATIO[compression] >= decoded;
}
