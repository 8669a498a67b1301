import type { Vertices } from './clip-ring.ts';

/** Finds the borders between polygons that were drawn with the same vertices, ring by ring. */
interface SharedEdges {
  /**
   * The segments of a ring that an earlier ring has too, the other way round, joined to lines; what bounds one polygon alone, such as
   * a coast, is left out, and so is what two have the same way round: an islet that is counted to both is no border.
   */
  add(ring: Vertices): number[][];
}

export function createSharedEdges(): SharedEdges {
  const seen = { forward: createKeySet(), backward: createKeySet() };
  return {
    add(ring) {
      const lines: number[][] = [];
      let line: number[] | null = null;
      for (let i = 0; i + 3 < ring.length; i += 2) {
        const [ax, ay, bx, by] = [ring[i], ring[i + 1], ring[i + 2], ring[i + 3]];
        const { key, way } = edgeOf(ax, ay, bx, by);
        if (!seen[way === 'forward' ? 'backward' : 'forward'].has(key)) {
          seen[way].add(key);
          line = null;
          continue;
        }
        if (line === null) lines.push((line = [ax, ay]));
        line.push(bx, by);
      }
      return lines;
    },
  };
}

/** The same in both directions: 37 bits of the end that comes first, and 16 of the way to the other. Two edges of one end that share them are not distinguished. */
function edgeOf(
  ax: number,
  ay: number,
  bx: number,
  by: number,
): { readonly key: number; readonly way: 'forward' | 'backward' } {
  const isForward = ax < bx || (ax === bx && ay < by);
  const [x, y, dx, dy] = isForward ? [ax, ay, bx - ax, by - ay] : [bx, by, ax - bx, ay - by];
  const rest = (Math.imul(dx, 0x9e37) ^ Math.imul(dy, 0x79b9)) & 0xffff;
  return {
    key: ((x + 200_000) * 262_144 + (y + 100_000)) * 65_536 + rest,
    way: isForward ? 'forward' : 'backward',
  };
}

/** A set of whole numbers above 0: four million of them take a `Set` ten times as long. */
function createKeySet(): { has(key: number): boolean; add(key: number): void } {
  let slots = new Float64Array(1 << 16);
  let count = 0;

  /** Where a key is, or where it belongs. */
  function slotOf(key: number): number {
    const mask = slots.length - 1;
    const hash = Math.imul(key % 4_294_967_291, 0x9e3779b1) ^ Math.imul(key / 4_294_967_296, 0x85ebca6b);
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (slots[slot] !== 0 && slots[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  return {
    has: (key) => slots[slotOf(key)] === key,
    add(key) {
      const slot = slotOf(key);
      if (slots[slot] === key) return;
      slots[slot] = key;
      if (++count * 2 < slots.length) return;
      const old = slots;
      slots = new Float64Array(old.length * 2);
      for (const kept of old) if (kept !== 0) slots[slotOf(kept)] = kept;
    },
  };
}
