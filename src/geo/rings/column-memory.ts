/** Bytes from which the C library gives memory back to the system when it is freed, whatever was freed before (glibc: 32 MiB). */
const RETURNED_BYTES = 33_554_433;
/** Bytes from which a block is made that large. What is smaller costs little to keep. */
const LARGE_BYTES = 4_000_000;

/** Typed arrays as long as a polygon has vertices, filled with 0. */
export interface ColumnMemory {
  doubles(count: number): Float64Array;
  integers(count: number): Int32Array;
}

const SEPARATE: ColumnMemory = {
  doubles: (count) => new Float64Array(count),
  integers: (count) => new Int32Array(count),
};

/**
 * Memory for at most `bytes` of arrays, doubles first. Large arrays are cut out of one block, which leaves the process when
 * it is freed: arrays of some megabytes stay with the allocator, up to 64 MB for every thread that ever made them. Pages that
 * nobody writes to are no memory.
 */
export function createColumnMemory(bytes: number): ColumnMemory {
  if (bytes < LARGE_BYTES) return SEPARATE;
  const block = new ArrayBuffer(Math.max(bytes, RETURNED_BYTES));
  let used = 0;
  const take = (size: number): number => {
    used += size;
    return used - size;
  };
  return {
    doubles: (count) => new Float64Array(block, take(8 * count), count),
    integers: (count) => new Int32Array(block, take(4 * count), count),
  };
}
