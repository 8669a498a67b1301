import type { LabelChunks } from './label-chunks.ts';

/** A segment as the chunks hold it, in cells of the arrays. */
interface FloodedSegment {
  /** Column and row of the mask's first cell. */
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
  /** `mask[row * width + column]`: 1 for a cell of the segment, else 0. */
  readonly mask: Uint8Array;
  /** Number of cells. */
  readonly area: number;
}

/** A chunk that the flood has reached. */
interface Reached {
  readonly cx: number;
  readonly cy: number;
  /** Null when it holds no labels. */
  readonly labels: Uint32Array | null;
  readonly mask: Uint8Array;
}

/** Cells of one chunk at which the flood has yet to begin. */
interface Seeds {
  readonly cx: number;
  readonly cy: number;
  readonly cells: number[];
}

/** Far more than any build can prove; a store with more is damaged, and must not fill the memory. */
const MAX_CHUNKS = 4096;

/**
 * The 4-connected component of equal labels that holds a cell, over the edges of chunks; only chunks that it touches are
 * read. Null when it reaches a chunk that was not built, where it may go on.
 * @throws RangeError when the cell has no label, or the component is larger than a segment can be.
 */
export async function floodChunks(
  chunks: LabelChunks,
  column: number,
  row: number,
  signal: AbortSignal,
): Promise<FloodedSegment | null> {
  const { size } = chunks;
  const [cx, cy] = [Math.floor(column / size), Math.floor(row / size)];
  const start: Seeds = { cx, cy, cells: [(row % size) * size + (column % size)] };
  const first = await chunks.labels(cx, cy, signal);
  if (first === null) return null;
  const label = first[start.cells[0]];
  if (label === 0) throw new RangeError(`wanted a label at column ${column}, row ${row}, got none`);
  const reached = new Map<number, Reached>();
  const bounds = { area: 0, west: Infinity, north: Infinity, east: -1, south: -1 };
  try {
    for (let wave: readonly Seeds[] = [start]; wave.length > 0;) {
      const next = new Map<number, Seeds>();
      const opened = await Promise.all(wave.map(({ cx, cy }) => open(cx, cy)));
      for (let i = 0; i < wave.length; i++) {
        const chunk = opened[i];
        if (chunk === null) return null;
        if (chunk.labels !== null)
          floodOne(chunk as Reached & { labels: Uint32Array }, wave[i].cells, label, chunks, bounds, next);
      }
      wave = [...next.values()];
    }
    return assemble(reached.values(), size, bounds);
  } finally {
    for (const { mask } of reached.values()) giveBack(mask);
  }

  async function open(cx: number, cy: number): Promise<Reached | null> {
    const key = cy * chunks.across + cx;
    const known = reached.get(key);
    if (known !== undefined) return known;
    if (reached.size >= MAX_CHUNKS)
      throw new RangeError(`wanted a segment in at most ${MAX_CHUNKS} chunks; the label ${label} goes on beyond that`);
    const labels = await chunks.labels(cx, cy, signal);
    if (labels === null && !(await chunks.isBuilt(cx, cy, signal))) return null;
    const chunk: Reached = { cx, cy, labels, mask: takeMask(size * size) };
    reached.set(key, chunk);
    return chunk;
  }
}

interface Bounds {
  area: number;
  west: number;
  north: number;
  east: number;
  south: number;
}

/** Floods within one chunk, row by row of cells in a run. A run is put on the stack once for each run that it touches. */
function floodOne(
  { cx, cy, labels, mask }: Reached & { readonly labels: Uint32Array },
  seeds: readonly number[],
  label: number,
  { size, across, down }: LabelChunks,
  out: Bounds,
  next: Map<number, Seeds>,
): void {
  const stack = stackOf(2 * size * size + 1);
  const last = size - 1;
  let depth = 0;
  let { area } = out;
  let [west, north, east, south] = [last, last, 0, 0];
  const before = area;
  const edges: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const seed of seeds) {
    if (labels[seed] === label) stack[depth++] = seed;
    while (depth > 0) {
      const cell = stack[--depth];
      if (mask[cell] !== 0) continue;
      const y = (cell / size) | 0;
      const begin = y * size;
      let from = cell;
      let to = cell + 1;
      while (from > begin && labels[from - 1] === label) from--;
      while (to < begin + size && labels[to] === label) to++;
      mask.fill(1, from, to);
      area += to - from;
      if (from - begin < west) west = from - begin;
      if (to - 1 - begin > east) east = to - 1 - begin;
      if (y < north) north = y;
      if (y > south) south = y;
      if (from === begin) edges[0].push(from + last);
      if (to === begin + size) edges[1].push(to - 1 - last);
      if (y === 0) for (let i = from; i < to; i++) edges[2].push(i + last * size);
      else depth = pushRuns(from - size, to - size, labels, mask, label, stack, depth);
      if (y === last) for (let i = from; i < to; i++) edges[3].push(i - last * size);
      else depth = pushRuns(from + size, to + size, labels, mask, label, stack, depth);
    }
  }
  if (area === before) return;
  out.area = area;
  out.west = Math.min(out.west, cx * size + west);
  out.east = Math.max(out.east, cx * size + east);
  out.north = Math.min(out.north, cy * size + north);
  out.south = Math.max(out.south, cy * size + south);
  for (let side = 0; side < 4; side++) {
    if (edges[side].length === 0) continue;
    const [x, y] = [cx + STEPS[side][0], cy + STEPS[side][1]];
    if (x < 0 || y < 0 || x >= across || y >= down) continue;
    const waiting = next.get(y * across + x);
    if (waiting === undefined) next.set(y * across + x, { cx: x, cy: y, cells: edges[side] });
    else for (const cell of edges[side]) waiting.cells.push(cell);
  }
}

/** Puts on the stack a cell of each run of a label between two cells of a row that has not been flooded. */
function pushRuns(
  from: number,
  to: number,
  labels: Uint32Array,
  mask: Uint8Array,
  label: number,
  stack: Int32Array,
  depth: number,
): number {
  let isWithin = false;
  for (let cell = from; cell < to; cell++) {
    const is = labels[cell] === label;
    if (is && !isWithin && mask[cell] === 0) stack[depth++] = cell;
    isWithin = is;
  }
  return depth;
}

/** West, east, north, south. */
const STEPS = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;

/** One mask of the smallest rectangle that holds the segment. */
function assemble(reached: Iterable<Reached>, size: number, bounds: Bounds): FloodedSegment {
  const { west, north, east, south, area } = bounds;
  const [width, height] = [east - west + 1, south - north + 1];
  const mask = new Uint8Array(width * height);
  for (const chunk of reached) {
    const [left, top] = [chunk.cx * size, chunk.cy * size];
    const from = Math.max(west, left);
    const to = Math.min(east + 1, left + size);
    if (from >= to) continue;
    for (let row = Math.max(north, top); row <= Math.min(south, top + size - 1); row++) {
      const start = (row - top) * size - left;
      mask.set(chunk.mask.subarray(start + from, start + to), (row - north) * width + from - west);
    }
  }
  return { column: west, row: north, width, height, mask, area };
}

let sharedStack = new Int32Array(0);

/** One for all: a chunk is flooded without a pause. */
function stackOf(cells: number): Int32Array {
  if (sharedStack.length < cells) sharedStack = new Int32Array(cells);
  return sharedStack;
}

/** Masks for reuse: most segments need one, and clearing is cheaper than making. */
const spare: Uint8Array[] = [];
const MOST_SPARE = 16;

function takeMask(cells: number): Uint8Array {
  const mask = spare.pop();
  if (mask?.length === cells) return mask.fill(0);
  return new Uint8Array(cells);
}

function giveBack(mask: Uint8Array): void {
  if (spare.length < MOST_SPARE) spare.push(mask);
}
