import { isUtf8 } from 'node:buffer';

/** Checks that chunks of any size make up valid UTF-8 together; reports the first byte that breaks it. */
export class GeojsonUtf8 {
  #carried: Uint8Array = new Uint8Array(0);
  #bytesBefore = 0;

  /** Returns the offset in the whole text of a byte that is not UTF-8, or null while all is well. */
  push(chunk: Uint8Array): number | null {
    const bytes = this.#carried.length === 0 ? chunk : Buffer.concat([this.#carried, chunk]);
    const end = bytes.length - unfinishedTail(bytes);
    if (!isUtf8(bytes.subarray(0, end))) return this.#bytesBefore + firstInvalid(bytes.subarray(0, end));
    this.#carried = bytes.slice(end);
    this.#bytesBefore += end;
    return null;
  }

  /** Like `push`, behind the last chunk. */
  finish(): number | null {
    return this.#carried.length === 0 ? null : this.#bytesBefore;
  }
}

/** How many bytes at the end may be the beginning of a character whose rest comes with the next chunk: 0 to 3. */
function unfinishedTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return back < characterLength(byte) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** Bisects for the shortest valid prefix; called once, when the bytes are known to be broken. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let broken = bytes.length;
  while (broken - valid > 1) {
    const middle = (valid + broken) >>> 1;
    if (isUtf8(bytes.subarray(0, middle - unfinishedTail(bytes.subarray(0, middle))))) valid = middle;
    else broken = middle;
  }
  return valid - unfinishedTail(bytes.subarray(0, valid));
}
