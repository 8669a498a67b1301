import { inflateSync } from 'node:zlib';

const WOFF = 0x774f4646;
/** Bytes of the header and of an entry of the directory, in WOFF 1 (W3C Recommendation of 2012) and in an OpenType file. */
const WOFF_HEADER = 44;
const WOFF_ENTRY = 20;
const HEADER = 12;
const ENTRY = 16;

/** The OpenType file in a WOFF 1 file. Throws for anything else. */
export function woffToSfnt(woff: Uint8Array): Buffer {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength);
  if (view.getUint32(0) !== WOFF) throw new Error('the font is no WOFF 1 file');
  const count = view.getUint16(12);
  const tables = Array.from({ length: count }, (_, i) => {
    const at = WOFF_HEADER + i * WOFF_ENTRY;
    const [offset, packed, size] = [view.getUint32(at + 4), view.getUint32(at + 8), view.getUint32(at + 12)];
    const bytes = woff.subarray(offset, offset + packed);
    const content = packed < size ? inflateSync(bytes, { maxOutputLength: size }) : bytes;
    if (content.length !== size) throw new Error('a table of the font has another size than its directory says');
    return { tag: view.getUint32(at), checksum: view.getUint32(at + 16), content };
  });
  const out = Buffer.alloc(
    HEADER + count * ENTRY + tables.reduce((sum, { content }) => sum + padded(content.length), 0),
  );
  const power = Math.floor(Math.log2(count));
  out.writeUInt32BE(view.getUint32(4), 0);
  out.writeUInt16BE(count, 4);
  out.writeUInt16BE(16 << power, 6);
  out.writeUInt16BE(power, 8);
  out.writeUInt16BE(count * 16 - (16 << power), 10);
  let offset = HEADER + count * ENTRY;
  for (const [i, { tag, checksum, content }] of tables.entries()) {
    const at = HEADER + i * ENTRY;
    out.writeUInt32BE(tag, at);
    out.writeUInt32BE(checksum, at + 4);
    out.writeUInt32BE(offset, at + 8);
    out.writeUInt32BE(content.length, at + 12);
    out.set(content, offset);
    offset += padded(content.length);
  }
  return out;
}

function padded(length: number): number {
  return (length + 3) & ~3;
}
