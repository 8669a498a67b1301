import { hash } from 'node:crypto';

/** Numbers by text; the first number of a text stands for it. */
interface FirstByText {
  /** How many texts there are. */
  readonly size: number;
  /** The number that the text came with first; null where it is new, and `number` stands for it from now on. */
  add(text: string, number: number): number | null;
}

/** Entries of a chunk. */
const CHUNK = 65_536;
/** Three words of a digest, and the number. */
const WORDS = 4;

/**
 * Holds 96 bits of a digest in place of each text: 24 to 32 bytes for each of a million, a third of what a map of texts takes, and none of
 * it to be moved by the garbage collector. Numbers are whole, from 0 to 2 ** 32 - 1.
 */
export function createFirstByText(): FirstByText {
  const chunks: Uint32Array[] = [];
  /** Numbers of entries from 1, by the first word of their digest and on to the next that is free; 0: free. */
  let slots = new Uint32Array(1_024);
  let size = 0;

  function grow(): void {
    slots = new Uint32Array(2 * slots.length);
    for (let entry = 0; entry < size; entry++) {
      const first = chunks[Math.floor(entry / CHUNK)][(entry % CHUNK) * WORDS];
      let slot = first & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = entry + 1;
    }
  }

  return {
    get size() {
      return size;
    },
    add(text, number) {
      const digest = hash('sha1', text, 'latin1');
      const [a, b, c] = [wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8)];
      if (2 * (size + 1) > slots.length) grow();
      let slot = a & (slots.length - 1);
      for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
        const entry = slots[slot] - 1;
        const chunk = chunks[Math.floor(entry / CHUNK)];
        const at = (entry % CHUNK) * WORDS;
        if (chunk[at] === a && chunk[at + 1] === b && chunk[at + 2] === c) return chunk[at + 3];
      }
      if (size % CHUNK === 0) chunks.push(new Uint32Array(CHUNK * WORDS));
      chunks.at(-1)!.set([a, b, c, number], (size % CHUNK) * WORDS);
      slots[slot] = ++size;
      return null;
    },
  };
}

/** Four bytes of a digest as a number. A buffer for each digest would be memory outside of the heap. */
function wordAt(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
  return (high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3)) >>> 0;
}
