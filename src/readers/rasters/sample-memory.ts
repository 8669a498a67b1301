import type { SampleArray } from '../formats/tiff/tiff-image.ts';

/** Decoded blocks by key, the ones used last, and the memory of those that are no longer kept. */
export interface SampleMemory {
  /** A block, held until it is released; undefined: it is not there. */
  pin(key: string): SampleArray | undefined;
  /** Memory for a block to be decoded into: that of a dropped one of the same size, or new and not cleared. */
  room(bytes: number): Uint8Array<ArrayBuffer>;
  /** Keeps a block, held until it is released. */
  keep(key: string, samples: SampleArray): void;
  /** Lets go of a block that was pinned or kept; once for each time. */
  release(key: string): void;
}

interface Entry {
  readonly samples: SampleArray;
  pins: number;
}

/** Bytes of dropped blocks that wait to be used again. */
const SPARE_BYTES = 16_000_000;

/**
 * Holds blocks up to `maxBytes`, and those that are pinned whatever they take. New memory for every block would have to be
 * cleared by the kernel and gathered by the garbage collector, which costs more than half of decoding it.
 */
export function createSampleMemory(maxBytes: number): SampleMemory {
  /** In order of use, the longest unused first. */
  const entries = new Map<string, Entry>();
  const spares = new Map<number, Uint8Array<ArrayBuffer>[]>();
  let held = 0;
  let spare = 0;

  function shrink(): void {
    for (const [key, { samples, pins }] of entries) {
      if (held <= maxBytes) return;
      if (pins > 0) continue;
      entries.delete(key);
      held -= samples.byteLength;
      if (spare + samples.byteLength > SPARE_BYTES) continue;
      spare += samples.byteLength;
      const bytes = new Uint8Array(samples.buffer as ArrayBuffer, samples.byteOffset, samples.byteLength);
      const same = spares.get(samples.byteLength);
      if (same === undefined) spares.set(samples.byteLength, [bytes]);
      else same.push(bytes);
    }
  }

  return {
    pin(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      entry.pins += 1;
      return entry.samples;
    },
    room(bytes) {
      const used = spares.get(bytes)?.pop();
      if (used === undefined) return Buffer.allocUnsafeSlow(bytes);
      spare -= bytes;
      return used;
    },
    keep(key, samples) {
      const known = entries.get(key);
      // Somebody else was faster; both hold what he has kept, and this one is used up by its maker.
      if (known !== undefined) {
        known.pins += 1;
        return;
      }
      entries.set(key, { samples, pins: 1 });
      held += samples.byteLength;
      shrink();
    },
    release(key) {
      const entry = entries.get(key);
      if (entry === undefined || entry.pins === 0) throw new RangeError(`${key} is not held`);
      entry.pins -= 1;
      shrink();
    },
  };
}
