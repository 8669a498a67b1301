import { isSimpleRing } from './is-simple-ring.ts';
import { orientation } from './point-in-polygon.ts';
import { layOutRings, type RingLayout } from './ring-layout.ts';
import { createSweepOrder } from './sweep-order.ts';

export type RingFaultKind =
  | 'short_ring'
  | 'crossing'
  | 'overlap'
  | 'self_touch'
  | 'hole_outside'
  | 'hole_in_hole'
  | 'disconnected_interior';

/** Where a polygon breaks the rules of a valid polygon. */
export interface RingFault {
  readonly kind: RingFaultKind;
  /** Ring the fault was met in: 0 is the exterior. */
  readonly ring: number;
  /** Index of the vertex, or of the vertex an edge starts at, in that ring. */
  readonly vertex: number;
  /** Where it happens, in the unit of the ring; for a crossing rounded to a double. */
  readonly at: readonly [x: number, y: number];
}

/**
 * The first fault of a polygon met by a sweep from left to right, or null when it is valid as OGC Simple Features
 * (and GEOS) mean it: rings are simple, do not cross or share a piece of an edge, may touch at points that leave the
 * interior in one piece, and holes lie inside the exterior and outside each other. Either direction of a ring will do.
 *
 * @param rings exterior and holes, flat `[x0, y0, x1, y1, ...]`, finite, closed. Repeated vertices count once.
 *
 * Time is O(n log n) whatever the shape (Shamos and Hoey 1976); every decision is taken on the exact sign of a
 * determinant, so nothing depends on rounding or on a tolerance.
 */
export function findRingFault(rings: readonly Float64Array[]): RingFault | null {
  if (rings.length === 1 && isSimpleRing(rings[0])) return null;
  const layout = layOutRings(rings);
  const short = layout.rings.findIndex((ring) => ring.count < 3);
  if (short >= 0) return faultAt(layout, 'short_ring', layout.rings[short]?.start ?? 0, short, rings[short]);
  return sweep(layout);
}

function sweep(layout: RingLayout): RingFault | null {
  const { x, y, ring, next, previous, left, right } = layout;
  const touches = createRingTouches(layout.rings.length);
  const order = createSweepOrder(x.length, isAbove, layout.memory);
  /** Whether a ring runs counter-clockwise; known once the sweep has met its first vertex. */
  const counterClockwise = new Uint8Array(layout.rings.length);
  const sorted = layout.memory.integers(x.length);
  for (let vertex = 0; vertex < sorted.length; vertex++) sorted[vertex] = vertex;
  sorted.sort((a, b) => x[a] - x[b] || y[a] - y[b]);
  for (let from = 0; from < sorted.length;) {
    let to = from + 1;
    while (to < sorted.length && x[sorted[to]] === x[sorted[from]] && y[sorted[to]] === y[sorted[from]]) to++;
    const fault = visit(sorted.subarray(from, to));
    if (fault !== null) return fault;
    from = to;
  }
  return null;

  /** Everything that happens at one place: edges that end, edges that begin, rings met for the first time. */
  function visit(vertices: Int32Array): RingFault | null {
    let fault = vertices.length > 1 ? meeting(vertices) : null;
    for (const vertex of vertices) {
      if (fault === null && right[vertex] === vertex) fault = end(vertex);
      if (fault === null && right[previous[vertex]] === vertex) fault = end(previous[vertex]);
    }
    for (const vertex of vertices) {
      if (fault === null && left[vertex] === vertex) fault = begin(vertex);
      if (fault === null && left[previous[vertex]] === vertex) fault = begin(previous[vertex]);
    }
    if (fault !== null) return fault;
    const firsts = [...vertices].filter(
      (vertex) => left[vertex] === vertex && left[previous[vertex]] === vertex && isNew(vertex),
    );
    for (const vertex of firsts) counterClockwise[ring[vertex]] = lowerEdge(vertex) === vertex ? 1 : 0;
    for (const vertex of firsts) fault ??= misplaced(vertex);
    return fault;
  }

  function begin(edge: number): RingFault | null {
    order.insert(edge);
    return contact(edge, order.below(edge)) ?? contact(edge, order.above(edge));
  }

  function end(edge: number): RingFault | null {
    const [below, above] = [order.below(edge), order.above(edge)];
    order.remove(edge);
    return contact(below, above);
  }

  function isAbove(edge: number, other: number): boolean {
    const [l, r] = [left[other], right[other]];
    const [start, stop] = [left[edge], right[edge]];
    const side = orientation(x[l], y[l], x[r], y[r], x[start], y[start]);
    return (side === 0 ? orientation(x[l], y[l], x[r], y[r], x[stop], y[stop]) : side) > 0;
  }

  function isNew(vertex: number): boolean {
    return layout.rings[ring[vertex]]?.first === vertex;
  }

  /** The lower of the two edges that leave a ring's leftmost vertex. The interior lies above it. */
  function lowerEdge(vertex: number): number {
    const [ahead, back] = [next[vertex], previous[vertex]];
    return orientation(x[vertex], y[vertex], x[ahead], y[ahead], x[back], y[back]) > 0 ? vertex : back;
  }

  /** Decides where a hole lies by the edge below its leftmost vertex. */
  function misplaced(vertex: number): RingFault | null {
    if (ring[vertex] === 0) return null;
    const below = order.below(lowerEdge(vertex));
    if (below < 0) return faultAt(layout, 'hole_outside', vertex);
    const around = ring[below];
    const insideIt = (left[below] === below) === (counterClockwise[around] === 1);
    if (around === 0) return insideIt ? null : faultAt(layout, 'hole_outside', vertex);
    return insideIt ? faultAt(layout, 'hole_in_hole', vertex) : null;
  }

  /** Several vertices at one place: of one ring it touches itself there; of several they must not pass through each other. */
  function meeting(vertices: Int32Array): RingFault | null {
    const seen = new Set<number>();
    for (const vertex of vertices) {
      if (seen.has(ring[vertex])) return faultAt(layout, 'self_touch', vertex);
      seen.add(ring[vertex]);
    }
    const first = vertices[0];
    if (passThrough(layout, vertices)) return faultAt(layout, 'crossing', first);
    const splits = [...seen].map((touching) => touches.add(touching, x[first], y[first]));
    return splits.includes(true) ? faultAt(layout, 'disconnected_interior', first) : null;
  }

  /** What two edges that are neighbours in the order have in common. Contacts vertex to vertex are decided in `meeting`. */
  function contact(a: number, b: number): RingFault | null {
    if (a < 0 || b < 0) return null;
    const [al, ar, bl, br] = [left[a], right[a], left[b], right[b]];
    const alSide = orientation(x[bl], y[bl], x[br], y[br], x[al], y[al]);
    const arSide = orientation(x[bl], y[bl], x[br], y[br], x[ar], y[ar]);
    if (alSide * arSide > 0) return null;
    const blSide = orientation(x[al], y[al], x[ar], y[ar], x[bl], y[bl]);
    const brSide = orientation(x[al], y[al], x[ar], y[ar], x[br], y[br]);
    if (blSide * brSide > 0) return null;
    if (alSide === 0 && arSide === 0)
      return sharesPiece(al, ar, bl, br) ? faultAt(layout, 'overlap', Math.max(a, b)) : null;
    if (alSide * arSide < 0 && blSide * brSide < 0) return crossing(a, b);
    if (alSide === 0 && blSide * brSide < 0) return touch(al, b);
    if (arSide === 0 && blSide * brSide < 0) return touch(ar, b);
    if (blSide === 0 && alSide * arSide < 0) return touch(bl, a);
    if (brSide === 0 && alSide * arSide < 0) return touch(br, a);
    return null;
  }

  /** Whether two edges on one line have more than a point in common. */
  function sharesPiece(al: number, ar: number, bl: number, br: number): boolean {
    return isBefore(al, br) && isBefore(bl, ar);
  }

  function isBefore(a: number, b: number): boolean {
    return x[a] < x[b] || (x[a] === x[b] && y[a] < y[b]);
  }

  /** A vertex in the middle of an edge. */
  function touch(vertex: number, edge: number): RingFault | null {
    const [l, r, ahead, back] = [left[edge], right[edge], next[vertex], previous[vertex]];
    const aheadSide = orientation(x[l], y[l], x[r], y[r], x[ahead], y[ahead]);
    const backSide = orientation(x[l], y[l], x[r], y[r], x[back], y[back]);
    if (aheadSide === 0 || backSide === 0) return faultAt(layout, 'overlap', vertex);
    if (ring[vertex] === ring[edge]) return faultAt(layout, 'self_touch', vertex);
    if (aheadSide !== backSide) return faultAt(layout, 'crossing', vertex);
    const splits = [ring[vertex], ring[edge]].map((touching) => touches.add(touching, x[vertex], y[vertex]));
    return splits.includes(true) ? faultAt(layout, 'disconnected_interior', vertex) : null;
  }

  function crossing(a: number, b: number): RingFault {
    const [p, q, r, s] = [left[a], right[a], left[b], right[b]];
    const [dx, dy, ex, ey] = [x[q] - x[p], y[q] - y[p], x[s] - x[r], y[s] - y[r]];
    const share = ((x[r] - x[p]) * ey - (y[r] - y[p]) * ex) / (dx * ey - dy * ex);
    const at = [x[p] + share * dx, y[p] + share * dy] as const;
    return { ...faultAt(layout, 'crossing', Math.max(a, b)), at };
  }
}

/** Whether rings that share a vertex change sides there: around the place their edges must nest like brackets. */
function passThrough({ x, y, ring, next, previous }: RingLayout, vertices: Int32Array): boolean {
  const centre = vertices[0];
  const [cx, cy] = [x[centre], y[centre]];
  const upper = (v: number): boolean => y[v] > cy || (y[v] === cy && x[v] > cx);
  const edges = [...vertices].flatMap((vertex) => [next[vertex], previous[vertex]]);
  edges.sort((a, b) => Number(upper(b)) - Number(upper(a)) || -orientation(cx, cy, x[a], y[a], x[b], y[b]));
  const open: number[] = [];
  for (const edge of edges) {
    if (open.at(-1) === ring[edge]) open.pop();
    else open.push(ring[edge]);
  }
  return open.length > 0;
}

function faultAt(
  layout: RingLayout,
  kind: RingFaultKind,
  vertex: number,
  ring = layout.ring[vertex],
  source?: Float64Array,
): RingFault {
  const at = [source?.[0] ?? layout.x[vertex] ?? 0, source?.[1] ?? layout.y[vertex] ?? 0] as const;
  return { kind, ring, vertex: source === undefined ? layout.index[vertex] : 0, at };
}

/** Remembers at which places the rings of a polygon touch. */
interface RingTouches {
  /** Records that a ring passes a place where rings touch; true when that closes a chain of rings, which cuts the interior in two. */
  add(ring: number, x: number, y: number): boolean;
}

/**
 * Rings and the places they share form a graph: the interior is in one piece exactly while it has no cycle.
 * Kept as sets that are joined (union-find).
 */
function createRingTouches(ringCount: number): RingTouches {
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
