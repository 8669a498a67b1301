import { INPUT_FRONT } from './decode-file.ts';

/** Memory that the bytes of one job come into, seen by all threads, until it is released. */
export interface PooledInput {
  /** Of no other memory of the decoder; by it a thread knows again what it has met. */
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  /** As many as were requested, after `INPUT_FRONT` others. */
  readonly bytes: Uint8Array;
}

/** Memory for the bytes of jobs that is used again: fresh one would be cleared by the kernel, page by page, and then collected. */
interface InputPool {
  /** Memory for so many bytes; null when those at work leave no room. */
  take(bytes: number): PooledInput | null;
  /** May be used again: nobody reads or writes it any more. */
  release(input: PooledInput): void;
}

const SMALLEST = 65_536;
/** A memory is not taken for less than this share of it. */
const LEAST_SHARE = 1 / 4;

/**
 * @param maxBytes room for all memories, in use or not
 * @param forget called with the number of a memory that will not be used again
 */
export function createInputPool(maxBytes: number, forget: (id: number) => void): InputPool {
  const idle: Omit<PooledInput, 'bytes'>[] = [];
  let held = 0;
  let lastId = 0;

  function fresh(bytes: number): Omit<PooledInput, 'bytes'> | null {
    const size = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(bytes)));
    while (held + size > maxBytes) {
      const dropped = idle.shift();
      if (dropped === undefined) return null;
      held -= dropped.memory.byteLength;
      forget(dropped.id);
    }
    held += size;
    return { id: ++lastId, memory: new SharedArrayBuffer(size) };
  }

  return {
    take(count) {
      const bytes = INPUT_FRONT + count;
      const fits = idle.findIndex(
        ({ memory: { byteLength } }) =>
          byteLength >= bytes && (byteLength <= SMALLEST || bytes >= LEAST_SHARE * byteLength),
      );
      const found = fits >= 0 ? idle.splice(fits, 1)[0] : fresh(bytes);
      return found && { ...found, bytes: new Uint8Array(found.memory, INPUT_FRONT, count) };
    },
    release: ({ id, memory }) => void idle.push({ id, memory }),
  };
}
