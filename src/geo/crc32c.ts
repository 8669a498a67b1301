/**
 * The CRC-32C of bytes (Castagnoli; RFC 3720, appendix B.4), 0 to 2^32 - 1. Eight bytes a step ("slicing by eight").
 */
export function crc32c(bytes: Uint8Array): number {
  const { length } = bytes;
  let crc = -1;
  let at = 0;
  for (; at + 8 <= length; at += 8) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      TABLES[0x700 | (crc & 255)] ^
      TABLES[0x600 | ((crc >>> 8) & 255)] ^
      TABLES[0x500 | ((crc >>> 16) & 255)] ^
      TABLES[0x400 | (crc >>> 24)] ^
      TABLES[0x300 | bytes[at + 4]] ^
      TABLES[0x200 | bytes[at + 5]] ^
      TABLES[0x100 | bytes[at + 6]] ^
      TABLES[bytes[at + 7]];
  }
  for (; at < length; at++) crc = TABLES[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The polynomial of RFC 3720 with its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Table k, 256 entries from k * 256: what a byte does to the remainder k bytes further on. */
const TABLES: Int32Array = makeTables();

function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const before = tables[at - 256];
    tables[at] = tables[before & 255] ^ (before >>> 8);
  }
  return tables;
}
