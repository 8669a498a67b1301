/** The vertices of all rings of a polygon in one row, repeats removed. Edge i runs from vertex i to vertex `next[i]`. */
export interface RingLayout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Ring a vertex belongs to: 0 is the exterior. */
  readonly ring: Int32Array;
  /** Index of the vertex in its ring as it was given. */
  readonly index: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** For each edge the vertex that comes first from left to right, then from bottom to top. */
  readonly left: Int32Array;
  /** For each edge the other one. */
  readonly right: Int32Array;
  readonly rings: readonly RingSpan[];
  /** For what else is kept of each vertex: six integers. */
  readonly memory: ColumnMemory;
}

interface RingSpan {
  readonly start: number;
  /** Different neighbouring vertices; a ring of fewer than 3 encloses nothing. */
  readonly count: number;
  /** The ring's leftmost vertex, the lowest of several. */
  readonly first: number;
}

/** Two doubles and six integers of the layout, and six integers for the sweep. */
const BYTES_PER_VERTEX = 2 * 8 + 12 * 4;

/** Lays out closed flat rings. The closing vertex and vertices equal to the one before are left out. */
export function layOutRings(rings: readonly Float64Array[]): RingLayout {
  const capacity = rings.reduce((sum, ring) => sum + ring.length / 2, 0);
  const memory = createColumnMemory(capacity * BYTES_PER_VERTEX);
  const [x, y] = [memory.doubles(capacity), memory.doubles(capacity)];
  const [ringOf, index] = [memory.integers(capacity), memory.integers(capacity)];
  const spans: RingSpan[] = [];
  let end = 0;
  for (const [number, flat] of rings.entries()) {
    const start = end;
    for (let i = 0; i < flat.length; i += 2) {
      if (end > start && flat[i] === x[end - 1] && flat[i + 1] === y[end - 1]) continue;
      x[end] = flat[i];
      y[end] = flat[i + 1];
      ringOf[end] = number;
      index[end++] = i / 2;
    }
    while (end - start > 1 && x[end - 1] === x[start] && y[end - 1] === y[start]) end--;
    spans.push({ start, count: end - start, first: firstOf(x, y, start, end) });
  }
  return {
    x: x.subarray(0, end),
    y: y.subarray(0, end),
    ring: ringOf,
    index,
    ...linkEdges(x, y, spans, memory, end),
    rings: spans,
    memory,
  };
}

function linkEdges(x: Float64Array, y: Float64Array, spans: readonly RingSpan[], memory: ColumnMemory, total: number) {
  const [next, previous] = [memory.integers(total), memory.integers(total)];
  const [left, right] = [memory.integers(total), memory.integers(total)];
  for (const { start, count } of spans) {
    for (let i = start; i < start + count; i++) {
      const j = i + 1 < start + count ? i + 1 : start;
      next[i] = j;
      previous[j] = i;
      const forward = x[i] < x[j] || (x[i] === x[j] && y[i] < y[j]);
      left[i] = forward ? i : j;
      right[i] = forward ? j : i;
    }
  }
  return { next, previous, left, right };
}

function firstOf(x: Float64Array, y: Float64Array, start: number, end: number): number {
  let first = start;
  for (let i = start + 1; i < end; i++) if (x[i] < x[first] || (x[i] === x[first] && y[i] < y[first])) first = i;
  return first;
}

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
