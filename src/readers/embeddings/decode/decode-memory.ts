import type { NumberedMemory } from './decode-job.ts';
import { createSharedMemory } from '../mosaic/interleave-kernel.ts';

/** Memories that hold decoded blocks, by key; all of them together stay within a bound. */
export interface DecodeMemory {
  /** Most bytes that can be requested at once, which is also the bound for all. */
  readonly maxBytes: number;
  /**
   * Calls `use` with the memory of `key`, which `load` has filled. Callers of the same key share one load; the memory is
   * theirs until their `use` ends, and stays filled until others need the room. Waits for room, first come first served.
   * Hold one at a time: callers that wait for a second one may wait for each other.
   */
  with<T>(request: MemoryRequest, use: (memory: NumberedMemory) => Promise<T>): Promise<T>;
  /** Frees what nobody uses. */
  clear(): void;
}

interface MemoryRequest {
  readonly key: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
  /** Fills the memory. The signal it gets is aborted when nobody waits for it any more. */
  readonly load: (memory: NumberedMemory, signal: AbortSignal) => Promise<void>;
}

interface Entry {
  readonly key: string;
  readonly memory: NumberedMemory;
  readonly controller: AbortController;
  loaded: Promise<void>;
  isLoaded: boolean;
  users: number;
}

/** @param forget called with the number of a memory that will not be used again */
export function createDecodeMemory(maxBytes: number, forget: (id: number) => void): DecodeMemory {
  /** In order of use, the longest unused first. */
  const entries = new Map<string, Entry>();
  let spare: NumberedMemory[] = [];
  let waiting: (() => void)[] = [];
  let held = 0;
  let lastId = 0;

  /** Memory for so many bytes, or null when those at work leave no room. */
  function acquire(bytes: number): NumberedMemory | null {
    for (;;) {
      const fits = spare.findIndex((one) => sizeOf(one) >= bytes && sizeOf(one) <= 2 * bytes);
      if (fits >= 0) return spare.splice(fits, 1)[0];
      if (held + bytes <= maxBytes) break;
      const [dropped] = spare;
      const idle = entries.values().find(({ users, isLoaded }) => users === 0 && isLoaded);
      if (dropped !== undefined) drop(dropped);
      else if (idle === undefined) return null;
      else {
        entries.delete(idle.key);
        spare.push(idle.memory);
      }
    }
    const memory = createSharedMemory(bytes);
    held += memory.buffer.byteLength;
    return { id: ++lastId, memory };
  }

  function drop(memory: NumberedMemory): void {
    spare = spare.filter((one) => one !== memory);
    held -= sizeOf(memory);
    forget(memory.id);
  }

  function begin({ key, load }: MemoryRequest, memory: NumberedMemory): Entry {
    const controller = new AbortController();
    const entry: Entry = { key, memory, controller, loaded: Promise.resolve(), isLoaded: false, users: 0 };
    entry.loaded = load(memory, controller.signal).then(
      () => {
        entry.isLoaded = true;
        // Everybody left just before it was done.
        if (entries.get(key) !== entry) drop(memory);
        wake();
      },
      (error: unknown) => {
        if (entries.get(key) === entry) entries.delete(key);
        // Not used again: whatever made the load fail might still write into it.
        drop(memory);
        wake();
        throw error;
      },
    );
    entry.loaded.catch(() => {});
    entries.set(key, entry);
    return entry;
  }

  function leave(entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    if (entry.isLoaded) wake();
    else {
      if (entries.get(entry.key) === entry) entries.delete(entry.key);
      entry.controller.abort();
    }
  }

  function wake(): void {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  }

  async function enter(request: MemoryRequest): Promise<Entry> {
    for (let isFirst = true; ; isFirst = false) {
      request.signal.throwIfAborted();
      let entry = entries.get(request.key);
      if (entry === undefined && (waiting.length === 0 || !isFirst)) {
        const memory = acquire(request.bytes);
        if (memory !== null) entry = begin(request, memory);
      }
      if (entry !== undefined) {
        // Moved to the end of the order of use.
        entries.delete(entry.key);
        entries.set(entry.key, entry);
        entry.users += 1;
        return entry;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      await orAborted(promise, request.signal);
    }
  }

  return {
    maxBytes,
    async with(request, use) {
      if (request.bytes > maxBytes)
        throw new RangeError(`wanted memory of at most ${maxBytes} bytes, got a request for ${request.bytes}`);
      const entry = await enter(request);
      try {
        await orAborted(entry.loaded, request.signal);
        return await use(entry.memory);
      } finally {
        leave(entry);
      }
    },
    clear() {
      for (const entry of entries.values()) {
        if (entry.users > 0 || !entry.isLoaded) continue;
        entries.delete(entry.key);
        drop(entry.memory);
      }
      while (spare.length > 0) drop(spare[0]);
    },
  };
}

function sizeOf({ memory }: NumberedMemory): number {
  return memory.buffer.byteLength;
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
