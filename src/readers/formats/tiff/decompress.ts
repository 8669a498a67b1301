const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
const MAX_CODES = 4096;

const prefix = new Uint16Array(MAX_CODES);
const suffix = new Uint8Array(MAX_CODES);
const lengths = new Uint16Array(MAX_CODES);
for (let code = 0; code < CLEAR; code++) {
  suffix[code] = code;
  lengths[code] = 1;
}

/**
 * TIFF's LZW (TIFF 6.0, section 13): codes of 9 to 12 bits, high bit first, one code earlier than GIF widens them. Stops
 * at the end code, at the end of `bytes` or when `out` is full; returns the bytes written.
 * @throws RangeError for a code that the table does not hold.
 */
export function decodeLzw(bytes: Uint8Array, out: Uint8Array): number {
  let bits = 0;
  let held = 0;
  let at = 0;
  let width = 9;
  let next = FIRST_FREE;
  let previous = -1;
  let written = 0;
  for (;;) {
    while (held < width) {
      if (at === bytes.length) return written;
      bits = ((bits << 8) | bytes[at++]) & 0xff_ffff;
      held += 8;
    }
    held -= width;
    const code = (bits >>> held) & ((1 << width) - 1);
    if (code === END) return written;
    if (code === CLEAR) {
      width = 9;
      next = FIRST_FREE;
      previous = -1;
      continue;
    }
    if (code > next || (code === next && previous < 0) || (previous < 0 && code > CLEAR))
      throw new RangeError(`wanted an LZW code up to ${next}, got ${code}`);
    // A code that is defined by this very step: the previous string and its own first byte again.
    const isNew = code === next;
    const length = isNew ? lengths[previous] + 1 : lengths[code];
    const room = out.length - written;
    let first = isNew ? previous : code;
    let end = written + length - (isNew ? 1 : 0);
    while (first >= FIRST_FREE) {
      end--;
      if (end < written + room) out[end] = suffix[first];
      first = prefix[first];
    }
    if (room > 0) out[written] = first;
    if (isNew && length <= room) out[written + length - 1] = first;
    if (length >= room) return out.length;
    if (previous >= 0 && next < MAX_CODES) {
      prefix[next] = previous;
      suffix[next] = first;
      lengths[next] = lengths[previous] + 1;
      next++;
      if (next + 1 >= 1 << width && width < 12) width++;
    }
    previous = code;
    written += length;
  }
}

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
