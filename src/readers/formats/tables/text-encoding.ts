import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import chardet from 'chardet';

export interface TextEncodingFound {
  /** A label of the Encoding Standard. */
  readonly encoding: string;
  /** Why; part of a sentence. */
  readonly because: string;
}

const CHUNK_BYTES = 1 << 18;
const SAMPLE_BYTES = 1 << 17;

/**
 * The encoding of a text file: by its byte order mark, as UTF-8 where every byte of the file fits, as UTF-16 by its zero
 * bytes, as Thai, Arabic or Chinese by the shares of its bytes, otherwise what the statistics of the bytes suggest; windows-1252 last.
 */
export async function findTextEncoding(path: string): Promise<TextEncodingFound> {
  await using file = await open(path);
  const sample = Buffer.alloc(SAMPLE_BYTES);
  const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, 0);
  const head = sample.subarray(0, bytesRead);
  const marked = markOf(head);
  if (marked !== null) return { encoding: marked, because: 'its byte order mark says so' };
  const wide = wideOf(head);
  if (wide !== null) return { encoding: wide, because: 'every second byte of it is zero' };
  if (await isWholeUtf8(file)) return { encoding: 'utf-8', because: 'all of it is valid UTF-8' };
  const thai = thaiShare(head);
  if (thai > 0.6) return { encoding: 'windows-874', because: 'its bytes beyond ASCII are Thai letters' };
  const arabic = arabicOf(head);
  if (arabic !== null) return { encoding: arabic, because: 'its bytes beyond ASCII are Arabic words' };
  if (isChinese(head)) return { encoding: 'gb18030', because: 'its bytes beyond ASCII are common Chinese characters' };
  const guessed = usable(chardet.detect(head));
  return guessed === null
    ? { encoding: 'windows-1252', because: 'it is not UTF-8 and nothing else fits' }
    : { encoding: guessed, because: 'it is not UTF-8 and its bytes look like that' };
}

function markOf(head: Uint8Array): string | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null;
}

function wideOf(head: Uint8Array): string | null {
  const length = Math.min(head.length, 4096);
  if (length < 8) return null;
  const zeros = [0, 0];
  for (let i = 0; i < length; i++) if (head[i] === 0) zeros[i % 2]++;
  if (zeros[1] > length * 0.3 && zeros[0] < length * 0.02) return 'utf-16le';
  return zeros[0] > length * 0.3 && zeros[1] < length * 0.02 ? 'utf-16be' : null;
}

interface Readable {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

async function isWholeUtf8(file: Readable): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0, kept = 0; ;) {
    const { bytesRead } = await file.read(buffer, kept, CHUNK_BYTES - kept, position);
    if (bytesRead === 0) return kept === 0;
    position += bytesRead;
    const filled = buffer.subarray(0, kept + bytesRead);
    const end = characterEnd(filled);
    if (!isUtf8(filled.subarray(0, end))) return false;
    kept = filled.copy(buffer, 0, end);
  }
}

/** Where the last whole character of the bytes ends. */
function characterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

/** Thai text has runs of bytes from 0xA1 to 0xFB; accents of European languages stand alone between ASCII letters. */
function thaiShare(head: Uint8Array): number {
  let [high, inRuns] = [0, 0];
  for (let i = 0; i < head.length; i++) {
    if (head[i] < 0xa1) continue;
    high++;
    if (head[i] <= 0xfb && ((head[i + 1] ?? 0) >= 0xa1 || (head[i - 1] ?? 0) >= 0xa1)) inRuns++;
  }
  const leading = head.filter((byte) => byte === 0xe0 || (byte >= 0xd0 && byte <= 0xda)).length;
  return high < 8 || leading < high * 0.2 ? 0 : inRuns / high;
}

/** The Arabic article is in every other word: 0xC7 0xE1 in windows-1256, 0xC7 0xE4 in ISO 8859-6. */
function arabicOf(head: Uint8Array): 'windows-1256' | 'iso-8859-6' | null {
  let [high, windows, iso] = [0, 0, 0];
  for (let i = 0; i < head.length; i++) {
    if (head[i] < 0xa1) continue;
    high++;
    if (head[i] !== 0xc7) continue;
    if (head[i + 1] === 0xe1) windows++;
    else if (head[i + 1] === 0xe4) iso++;
  }
  const most = Math.max(windows, iso);
  if (most < 3 || most < high * 0.02) return null;
  return windows >= iso ? 'windows-1256' : 'iso-8859-6';
}

/**
 * Pairs of bytes from 0xA1 whose first lies among those of the 3,755 common characters of GB 2312 (0xB0 to 0xD7), a good part of
 * them beyond the syllables of Korean (0xB0 to 0xC8), and not in rows of Japanese kana.
 */
function isChinese(head: Uint8Array): boolean {
  let [pairs, common, notKorean, kana] = [0, 0, 0, 0];
  for (let i = 0; i < head.length; i++) {
    if (head[i] < 0x80) continue;
    if (i + 1 === head.length) break;
    if (head[i] < 0xa1 || head[i + 1] < 0xa1) return false;
    const lead = head[i++];
    pairs++;
    if (lead >= 0xb0 && lead <= 0xd7) common++;
    if (lead >= 0xc9 && lead <= 0xd7) notKorean++;
    if (lead === 0xa4 || lead === 0xa5) kana++;
  }
  return pairs >= 8 && common > pairs * 0.8 && notKorean > pairs * 0.15 && kana < pairs * 0.05;
}

/** Those that say no more than "some bytes are beyond ASCII" are left to windows-1252, of which they are parts. */
function usable(guess: string | null): string | null {
  if (guess === null || /^(ASCII|UTF-8|ISO-8859-1|UTF-32.*)$/i.test(guess)) return null;
  try {
    return new TextDecoder(guess).encoding;
  } catch {
    return null;
  }
}
