import { crc32, deflateSync } from 'node:zlib';

/** An image of 8 bits a channel. */
export interface RgbImage {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue of each pixel, row by row. */
  readonly rgb: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** 8 bits, truecolour, and the only compression, filter method and order without interlacing. */
const KIND = [8, 2, 0, 0, 0];

/** A PNG file of an image. */
export function encodePng({ width, height, rgb }: RgbImage): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(KIND, 8);
  // Every row begins with the number of its filter: 0, none.
  const rows = Buffer.alloc(height * (1 + 3 * width));
  for (let y = 0; y < height; y++) rows.set(rgb.subarray(3 * y * width, 3 * (y + 1) * width), y * (1 + 3 * width) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  out.set(data, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}
