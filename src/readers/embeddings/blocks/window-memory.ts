/**
 * Memory of windows that were given back, the last one first. Fresh memory for each window is cleared by the kernel, page by page,
 * and makes the collector look through the whole heap every few lookups.
 */
const idle: Int8Array[] = [];
let idleBytes = 0;

/** Of one thread: the windows of most lookups. */
const MOST_IDLE = 8_388_608;
/** Memories have a multiple of this size, so that they fit each other. */
const STEP = 1_048_576;
/** A memory is not taken for less than this share of it, nor for less than this share of a step. */
const LEAST_SHARE = 1 / 8;

/** So many bytes; what is in them is not said. */
export function takeWindowMemory(bytes: number): Int8Array {
  if (bytes < LEAST_SHARE * STEP) return new Int8Array(bytes);
  const fits = idle.findIndex(({ length }) => length >= bytes && bytes >= LEAST_SHARE * length);
  if (fits < 0) return new Int8Array(Math.ceil(bytes / STEP) * STEP).subarray(0, bytes);
  const [memory] = idle.splice(fits, 1);
  idleBytes -= memory.length;
  return memory.subarray(0, bytes);
}

/** Takes back what `takeWindowMemory` gave, once: nobody reads or writes it any more. */
export function giveWindowMemory({ buffer }: Int8Array): void {
  const memory = new Int8Array(buffer);
  if (memory.length < STEP || memory.length > MOST_IDLE) return;
  idle.unshift(memory);
  idleBytes += memory.length;
  while (idleBytes > MOST_IDLE) idleBytes -= idle.pop()?.length ?? 0;
}
