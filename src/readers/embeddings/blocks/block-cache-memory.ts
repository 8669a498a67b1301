/** Decoded blocks by key, the ones used last; null stands for a block that is all nodata. */
export interface BlockMemory {
  /** Undefined: it is not there. */
  get(key: string): Int8Array | null | undefined;
  set(key: string, codes: Int8Array | null): void;
}

/** What an entry takes in addition to its codes, about. */
const ENTRY_BYTES = 512;

/** @param maxBytes room for the blocks; default 268,435,456, which is 63 of them */
export function createBlockMemory(maxBytes = 268_435_456): BlockMemory {
  /** In order of use, the longest unused first. */
  const entries = new Map<string, Int8Array | null>();
  let held = 0;

  function remove(key: string): void {
    const codes = entries.get(key);
    if (codes !== undefined && entries.delete(key)) held -= sizeOf(codes);
  }

  return {
    get(key) {
      const codes = entries.get(key);
      if (codes !== undefined) {
        entries.delete(key);
        entries.set(key, codes);
      }
      return codes;
    },
    set(key, codes) {
      remove(key);
      if (sizeOf(codes) > maxBytes) return;
      entries.set(key, codes);
      held += sizeOf(codes);
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}

function sizeOf(codes: Int8Array | null): number {
  return ENTRY_BYTES + (codes?.byteLength ?? 0);
}
