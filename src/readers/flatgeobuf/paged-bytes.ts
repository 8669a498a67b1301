import type { ByteSource } from '../byte-source.ts';
import { FlatGeobufError } from './layout.ts';

/** Bytes of a source in pages that are kept while there is room, the ones used last. */
export interface PagedBytes {
  /** Bytes that are there already, or null when some have to be fetched. */
  peek(offset: number, length: number): DataView | null;
  /** Fetches what is missing of several ranges, all at once. */
  load(ranges: readonly (readonly [offset: number, length: number])[], signal: AbortSignal): Promise<void>;
  /** Any bytes; fetches what is missing. */
  read(offset: number, length: number, signal: AbortSignal): Promise<DataView>;
}

/** A page cache that several files may share; the limit holds for all of them. */
export interface PageMemory {
  readonly pageBytes: number;
  /** By the file's own number and the page's. */
  readonly pages: Map<number, Uint8Array>;
  readonly maxPages: number;
  files: number;
}

/** More pages than any file has. */
const PAGES_A_FILE = 2 ** 32;

export function createPageMemory(pageBytes: number, maxBytes: number): PageMemory {
  return { pageBytes, pages: new Map(), maxPages: Math.max(8, Math.floor(maxBytes / pageBytes)), files: 0 };
}

export function pagedBytes(source: ByteSource, size: number, memory: PageMemory): PagedBytes {
  const { pageBytes, pages, maxPages } = memory;
  const underWay = new Map<number, Promise<void>>();

  const file = memory.files++ * PAGES_A_FILE;
  // Most looks are at the page of the look before: it is the newest already, unless another file was read since.
  let lastNumber = -1;
  let lastPage: Uint8Array = new Uint8Array(0);

  const keyOf = (page: number): number => file + page;

  function page(number: number): Uint8Array | null {
    if (number === lastNumber) return lastPage;
    const key = keyOf(number);
    const found = pages.get(key);
    if (found === undefined) return null;
    pages.delete(key);
    pages.set(key, found);
    lastNumber = number;
    lastPage = found;
    return found;
  }

  async function fetchPage(number: number, signal: AbortSignal): Promise<void> {
    const start = number * pageBytes;
    const bytes = await source.fetch(start, Math.min(pageBytes, size - start), { signal });
    if (bytes === null) throw new FlatGeobufError(source.id, 'the file is no longer there');
    pages.set(keyOf(number), bytes);
    if (pages.size > maxPages) for (const key of pages.keys()) if (pages.delete(key) && pages.size <= maxPages) break;
  }

  function ensure(number: number, signal: AbortSignal): Promise<void> | null {
    if (page(number) !== null) return null;
    const running = underWay.get(number) ?? fetchPage(number, signal).finally(() => underWay.delete(number));
    underWay.set(number, running);
    // A page that another caller began is fetched anew when that caller gives up.
    return running.catch((error: unknown) => {
      if (signal.aborted || !isAbort(error)) throw error;
      return fetchPage(number, signal);
    });
  }

  function checkRange(offset: number, length: number): void {
    if (offset < 0 || offset + length > size)
      throw new FlatGeobufError(
        source.id,
        `wanted bytes ${offset} to ${offset + length} of ${size}; the file is damaged`,
      );
  }

  const paged: PagedBytes = {
    peek(offset, length) {
      checkRange(offset, length);
      const first = Math.floor(offset / pageBytes);
      const last = Math.floor((offset + Math.max(1, length) - 1) / pageBytes);
      const start = offset - first * pageBytes;
      if (first === last) {
        const bytes = page(first);
        return bytes === null ? null : new DataView(bytes.buffer, bytes.byteOffset + start, length);
      }
      const joined = new Uint8Array(length);
      for (let number = first; number <= last; number++) {
        const bytes = page(number);
        if (bytes === null) return null;
        const from = Math.max(0, offset - number * pageBytes);
        const part = bytes.subarray(from, offset + length - number * pageBytes);
        joined.set(part, number * pageBytes + from - offset);
      }
      return new DataView(joined.buffer);
    },
    async load(ranges, signal) {
      const waits: Promise<void>[] = [];
      for (const [offset, length] of ranges) {
        checkRange(offset, length);
        const last = Math.floor((offset + Math.max(1, length) - 1) / pageBytes);
        for (let number = Math.floor(offset / pageBytes); number <= last; number++) {
          const wait = ensure(number, signal);
          if (wait !== null) waits.push(wait);
        }
      }
      const settled = await Promise.allSettled(waits);
      const failed = settled.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
    async read(offset, length, signal) {
      for (let tries = 0; tries < 3; tries++) {
        const there = paged.peek(offset, length);
        if (there !== null) return there;
        await paged.load([[offset, length]], signal);
      }
      // More pages than the memory holds: straight from the source.
      checkRange(offset, length);
      const bytes = await source.fetch(offset, length, { signal });
      if (bytes === null) throw new FlatGeobufError(source.id, 'the file is no longer there');
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
  };
  return paged;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
