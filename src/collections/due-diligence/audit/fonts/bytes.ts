/** Big-endian numbers read one after the other. */
export interface Bytes {
  u8(): number;
  u16(): number;
  i16(): number;
  u32(): number;
  /** 255UInt16 of WOFF 2: one to three bytes (section 4.1). */
  u255(): number;
  take(length: number): Uint8Array;
  skip(length: number): Bytes;
}

/** Reads from the first byte on. Throws at the end. */
export function createBytes(bytes: Uint8Array): Bytes {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const step = (size: number): number => {
    at += size;
    if (at > bytes.length) throw new Error('the font ends early');
    return at - size;
  };
  const reader: Bytes = {
    u8: () => view.getUint8(step(1)),
    u16: () => view.getUint16(step(2)),
    i16: () => view.getInt16(step(2)),
    u32: () => view.getUint32(step(4)),
    u255() {
      const code = reader.u8();
      if (code === 253) return reader.u16();
      if (code === 254) return reader.u8() + 506;
      return code === 255 ? reader.u8() + 253 : code;
    },
    take: (length) => {
      const from = step(length);
      return bytes.subarray(from, from + length);
    },
    skip(length) {
      step(length);
      return reader;
    },
  };
  return reader;
}
