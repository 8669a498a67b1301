/** Remembers at which places the rings of a polygon touch. */
interface RingTouches {
  /** Records that a ring passes a place where rings touch; true when that closes a chain of rings, which cuts the interior in two. */
  add(ring: number, x: number, y: number): boolean;
}

/**
 * Rings and the places they share form a graph: the interior is in one piece exactly while it has no cycle.
 * Kept as sets that are joined (union-find).
 */
export function createRingTouches(ringCount: number): RingTouches {
  const parent = Array.from({ length: ringCount }, (_, ring) => ring);
  const places = new Map<string, number>();
  const known = new Set<string>();

  return {
    add(ring, x, y) {
      const key = `${x} ${y}`;
      if (known.has(`${ring} ${key}`)) return false;
      known.add(`${ring} ${key}`);
      const place = places.get(key) ?? parent.push(parent.length) - 1;
      places.set(key, place);
      const [a, b] = [root(ring), root(place)];
      parent[a] = b;
      return a === b;
    },
  };

  function root(node: number): number {
    let top = node;
    while (parent[top] !== top) {
      parent[top] = parent[parent[top] ?? top] ?? top;
      top = parent[top] ?? top;
    }
    return top;
  }
}
