import { isFileSource, type FileRun } from '../../io/file-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { FlatGeobufError } from './layout.ts';
import type { PageMemory } from './page-memory.ts';

/** Bytes of a source in pages that are kept while there is room, the ones used last. */
export interface PagedBytes {
  /** Pages that are best loaded at once. */
  readonly atOnce: number;
  readonly pageBytes: number;
  /** What `find` has found its bytes in; until the next look or wait. */
  readonly view: DataView;
  /** Where bytes begin in `view`, or -1 when some of them have to be fetched. */
  find(offset: number, length: number): number;
  /** Adds to `out` the pages that have to be fetched for some bytes. Those that are there stay longer. */
  missing(offset: number, length: number, out: number[]): void;
  /** Fetches pages, those that lie together at once. They may be given up again before they are looked at when others read much. */
  load(pages: number[], signal: AbortSignal): Promise<void>;
  /** Rejects when the file was written into, if anything was loaded since the last time it was not: to be called before an answer is given. */
  check(): Promise<void>;
  /** Any bytes, in memory of their own. */
  read(offset: number, length: number, signal: AbortSignal): Promise<DataView>;
}

/** Most bytes that are read at once. */
const RUN_BYTES = 1 << 20;
/** Times that pages are fetched again whose first reader gave up. */
const ROUNDS = 3;

export function pagedBytes(source: ByteSource, size: number, memory: PageMemory): PagedBytes {
  const { pageBytes } = memory;
  const slots = new Map<number, number>();
  const underWay = new Map<number, Promise<void>>();
  const readRuns = runReader(source);
  /** Loads that have ended, and as many of them as came before the last check. */
  let loads = 0;
  let checked = 0;
  let joined = new Uint8Array(0);
  let view: DataView = new DataView(joined.buffer);

  function checkRange(offset: number, length: number): void {
    if (offset < 0 || offset + length > size)
      throw new FlatGeobufError(
        source.id,
        `wanted bytes ${offset} to ${offset + length} of ${size}; the file is damaged`,
      );
  }

  /** Copies bytes of several pages together; false when some of them are missing. */
  function join(offset: number, length: number, first: number, last: number): boolean {
    for (let page = first; page <= last; page++) if (!slots.has(page)) return false;
    if (joined.length < length) joined = new Uint8Array(length * 2);
    for (let page = first; page <= last; page++) {
      const slot = slots.get(page);
      if (slot === undefined) return false;
      const from = Math.max(0, offset - page * pageBytes);
      const to = Math.min(pageBytes, offset + length - page * pageBytes);
      joined.set(memory.bytes(slot).subarray(from, to), page * pageBytes + from - offset);
    }
    view = new DataView(joined.buffer, 0, length);
    return true;
  }

  /** Begins to read what of some pages nobody reads yet. */
  function begin(pages: readonly number[], signal: AbortSignal): Promise<void> | null {
    const runs: Run[] = [];
    for (const page of pages) {
      if (slots.has(page) || underWay.has(page)) continue;
      const slot = memory.take();
      const into = memory.bytes(slot).subarray(0, Math.min(pageBytes, size - page * pageBytes));
      const run = runs.at(-1);
      if (run === undefined || run.page + run.slots.length !== page || run.slots.length * pageBytes >= RUN_BYTES)
        runs.push({ page, offset: page * pageBytes, slots: [slot], into: [into] });
      else {
        run.slots.push(slot);
        run.into.push(into);
      }
      // Stands for the read until it has begun.
      underWay.set(page, NOTHING);
    }
    if (runs.length === 0) return null;
    const reading = readRuns(runs, signal).then(
      () => finish(runs, (slot, page) => memory.keep(slot, slots, page)),
      (error: unknown) => {
        finish(runs, memory.drop);
        throw error;
      },
    );
    for (const { page, slots: taken } of runs) for (const i of taken.keys()) underWay.set(page + i, reading);
    return reading;
  }

  function finish(runs: readonly Run[], end: (slot: number, page: number) => void): void {
    loads++;
    for (const { page, slots: taken } of runs)
      for (const [i, slot] of taken.entries()) {
        underWay.delete(page + i);
        end(slot, page + i);
      }
  }

  return {
    pageBytes,
    atOnce: memory.atOnce,
    get view() {
      return view;
    },
    find(offset, length) {
      checkRange(offset, length);
      const first = Math.floor(offset / pageBytes);
      const start = offset - first * pageBytes;
      if (start + length > pageBytes)
        return join(offset, length, first, Math.floor((offset + length - 1) / pageBytes)) ? 0 : -1;
      const slot = slots.get(first);
      if (slot === undefined) return -1;
      view = memory.view(slot);
      return start;
    },
    missing(offset, length, out) {
      checkRange(offset, length);
      const last = Math.floor((offset + Math.max(1, length) - 1) / pageBytes);
      for (let page = Math.floor(offset / pageBytes); page <= last; page++) {
        const slot = slots.get(page);
        if (slot !== undefined) memory.touch(slot);
        else if (out.length === 0 || out[out.length - 1] !== page) out.push(page);
      }
    },
    async load(pages, signal) {
      signal.throwIfAborted();
      pages.sort(ascending);
      for (let round = 1; ; round++) {
        const others = new Set<Promise<void>>();
        for (const page of pages) {
          const running = underWay.get(page);
          if (running !== undefined) others.add(running);
        }
        const own = begin(pages, signal);
        const [ours, ...theirs] = await Promise.allSettled([own, ...others]);
        if (ours.status === 'rejected') throw ours.reason;
        const failed = theirs.find((result) => result.status === 'rejected');
        if (failed === undefined) return;
        // What another caller began is fetched again when that caller has given up.
        if (round === ROUNDS) throw failed.reason;
        signal.throwIfAborted();
      }
    },
    async check() {
      const upTo = loads;
      if (checked >= upTo || !isFileSource(source)) return;
      await source.checkUnchanged();
      checked = Math.max(checked, upTo);
    },
    async read(offset, length, signal) {
      checkRange(offset, length);
      const bytes = await source.fetch(offset, length, { signal });
      if (bytes === null) throw gone(source);
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
  };
}

const NOTHING = Promise.resolve();

/** Pages that lie one after the other. */
interface Run extends FileRun {
  readonly page: number;
  readonly slots: number[];
  readonly into: Uint8Array[];
}

/** Reads runs into their buffers: of a file straight from disk, else through the source. */
function runReader(source: ByteSource): (runs: readonly FileRun[], signal: AbortSignal) => Promise<void> {
  if (isFileSource(source))
    return async (runs, signal) => {
      if (!(await source.fetchInto(runs, { signal }))) throw gone(source);
    };
  return async (runs, signal) => {
    const reads = runs.map(async ({ offset, into }) => {
      const length = into.reduce((sum, { byteLength }) => sum + byteLength, 0);
      const bytes = await source.fetch(offset, length, { signal });
      if (bytes === null) throw gone(source);
      let at = 0;
      for (const part of into) part.set(bytes.subarray(at, (at += part.byteLength)));
    });
    const settled = await Promise.allSettled(reads);
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  };
}

function gone({ id }: ByteSource): FlatGeobufError {
  return new FlatGeobufError(id, 'the file is no longer there');
}

function ascending(a: number, b: number): number {
  return a - b;
}
