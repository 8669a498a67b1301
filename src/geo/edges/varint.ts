/** Writes a signed whole number of up to 31 bits, small ones of either sign in one byte (zigzag); returns where the next goes. */
export function writeStep(out: Uint8Array, at: number, step: number): number {
  return writeVarint(out, at, (step << 1) ^ (step >> 31));
}

/** Writes a whole number from 0 to 2^32 - 1, seven bits to a byte, lowest first (LEB128); returns where the next goes. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value >>> 0;
  while (rest > 127) {
    out[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}
