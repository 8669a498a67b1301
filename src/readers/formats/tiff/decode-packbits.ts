/**
 * PackBits (TIFF 6.0, section 9): a count and what it repeats or copies. Stops at the end of `bytes` or when `out` is
 * full; returns the bytes written.
 * @throws RangeError when a run is cut off.
 */
export function decodePackbits(bytes: Uint8Array, out: Uint8Array): number {
  let at = 0;
  let written = 0;
  while (at < bytes.length && written < out.length) {
    const count = (bytes[at++] << 24) >> 24;
    if (count === -128) continue;
    const wanted = count < 0 ? 1 : count + 1;
    if (at + wanted > bytes.length) throw new RangeError(`wanted a run of ${wanted} bytes, got ${bytes.length - at}`);
    const length = Math.min(count < 0 ? 1 - count : wanted, out.length - written);
    if (count < 0) out.fill(bytes[at], written, written + length);
    else out.set(bytes.subarray(at, at + length), written);
    at += wanted;
    written += length;
  }
  return written;
}
