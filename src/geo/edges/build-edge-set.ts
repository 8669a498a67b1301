import { finishTree, treeBoxCount } from '../packed-tree.ts';
import { AnchorSweep } from './anchor-sweep.ts';
import { type StoredEdgeSet, writeStep, writeVarint } from './edge-set.ts';
import { GrowingArray } from './growing-array.ts';
import { hilbert } from '../hilbert.ts';
import { dropRepeats, reverse, twiceArea } from './ring-coordinates.ts';

interface EdgeSetOptions {
  /** Units in a degree. */
  readonly scale: number;
  /** Owners from this number on are lines. Default: none. */
  readonly firstLine?: number;
  /** Cells of the anchor grid in a degree: 4 by default. */
  readonly cellsPerDegree?: number;
}

/** Edges in a piece, and vertices in a block, at most: enough to spread the cost of a box, few enough to unpack in under a microsecond. */
const PIECE_EDGES = 32;
const BLOCK_VERTICES = 64;
/** Degrees a piece or block may span unless one edge alone spans more. */
const WIDEST = 0.5;
/** Numbers kept for each piece while building. */
const PIECE_FIELDS = 6;
const [START_X, START_Y, EDGES, HEAD, FROM, BYTES] = [0, 1, 2, 3, 4, 5];

/** Packs rings and lines, added one by one, into an edge set. Same input in the same order gives the same bytes. */
export class EdgeSetBuilder {
  readonly #options: Required<EdgeSetOptions>;
  readonly #anchors: AnchorSweep;
  readonly #bytes = new GrowingArray(Uint8Array);
  readonly #pieces = new GrowingArray(Int32Array);
  /** Hilbert distance of each piece's middle. */
  readonly #order = new GrowingArray(Uint32Array);

  constructor(options: EdgeSetOptions) {
    this.#options = { firstLine: 0x7fffffff, cellsPerDegree: 4, ...options };
    this.#anchors = new AnchorSweep(options.scale, this.#options.cellsPerDegree);
  }

  /**
   * Adds a closed ring of `count` vertices `[x, y, ...]`, which it may reverse and rid of repeated vertices in place. A hole takes away
   * from the owner's ground. Rings that enclose nothing are left out.
   */
  addRing(coordinates: Int32Array, count: number, owner: number, hole: boolean): void {
    const kept = dropRepeats(coordinates, count);
    const area = twiceArea(coordinates, kept);
    if (kept < 4 || area === 0) return;
    if (area > 0 === hole) reverse(coordinates, kept);
    for (let i = 0; i < kept - 1; i++) {
      const at = i * 2;
      this.#anchors.addEdge(coordinates[at], coordinates[at + 1], coordinates[at + 2], coordinates[at + 3], owner);
    }
    this.#addPieces(coordinates, kept, owner);
  }

  /** Adds an open or closed line of `count` vertices; repeated ones are dropped in place. */
  addLine(coordinates: Int32Array, count: number, owner: number): void {
    if (owner < this.#options.firstLine)
      throw new RangeError(`Owner ${owner} holds ground, lines belong to owners from ${this.#options.firstLine}`);
    const kept = dropRepeats(coordinates, count);
    if (kept >= 2) this.#addPieces(coordinates, kept, owner);
  }

  finish(): StoredEdgeSet {
    const order = this.#sortedPieces();
    const blocks = this.#planBlocks(order);
    const anchors = this.#anchors.finish();
    const boxes = new Int32Array(treeBoxCount(blocks.count) * 4);
    const offsets = new Uint32Array(blocks.count + 1);
    const bytes = new Uint8Array(this.#bytes.length + order.length * 20);
    let end = 0;
    for (let block = 0; block < blocks.count; block++) {
      boxes.set(blocks.boxes.subarray(block * 4, block * 4 + 4), block * 4);
      end = this.#writeBlock(
        order.subarray(blocks.starts[block], blocks.starts[block + 1]),
        boxes[block * 4],
        boxes[block * 4 + 1],
        bytes,
        end,
      );
      offsets[block + 1] = end;
    }
    finishTree(boxes, blocks.count);
    const { scale, firstLine, cellsPerDegree } = this.#options;
    return {
      arrays: { boxes, offsets, bytes: bytes.subarray(0, end), cells: anchors.cells },
      meta: {
        scale,
        blocks: blocks.count,
        firstLine,
        blockLimits: blocks.limits,
        cellsPerDegree,
        shared: anchors.shared,
      },
    };
  }

  #addPieces(coordinates: Int32Array, count: number, owner: number): void {
    const widest = WIDEST * this.#options.scale;
    for (let first = 0; first < count - 1;) {
      const last = pieceEnd(coordinates, first, count, widest);
      const closed =
        coordinates[first * 2] === coordinates[last * 2] && coordinates[first * 2 + 1] === coordinates[last * 2 + 1];
      const from = this.#bytes.length;
      this.#bytes.reserve((last - first) * 10);
      const stop = closed ? last - 1 : last;
      let at = from;
      for (let i = first * 2; i < stop * 2; i += 2) {
        at = writeStep(this.#bytes.values, at, coordinates[i + 2] - coordinates[i]);
        at = writeStep(this.#bytes.values, at, coordinates[i + 3] - coordinates[i + 1]);
      }
      this.#bytes.length = at;
      const middle = ((first + last) >> 1) * 2;
      this.#order.push(this.#hilbertOf(coordinates[middle], coordinates[middle + 1]));
      this.#pieces.reserve(PIECE_FIELDS);
      this.#pieces.values.set(
        [
          coordinates[first * 2],
          coordinates[first * 2 + 1],
          last - first,
          owner * 2 + (closed ? 1 : 0),
          from,
          at - from,
        ],
        this.#pieces.length,
      );
      this.#pieces.length += PIECE_FIELDS;
      first = last;
    }
  }

  #hilbertOf(x: number, y: number): number {
    const { scale } = this.#options;
    return hilbert(
      Math.floor(((x + 180 * scale) / (360 * scale)) * 32_767),
      Math.floor(((y + 90 * scale) / (180 * scale)) * 32_767),
    );
  }

  #sortedPieces(): Uint32Array {
    const { length } = this.#order;
    if (length === 0) throw new RangeError('An edge set needs at least one ring or line');
    const keys = new Float64Array(length);
    for (let i = 0; i < length; i++) keys[i] = this.#order.values[i] * 0x400000 + i;
    keys.sort();
    const order = new Uint32Array(length);
    for (let i = 0; i < length; i++) order[i] = keys[i] % 0x400000;
    return order;
  }

  /** Puts pieces that follow each other on the curve into blocks until one is full or would spread too wide. */
  #planBlocks(order: Uint32Array): BlockPlan {
    const starts = new GrowingArray(Uint32Array);
    const boxes = new GrowingArray(Int32Array);
    const widest = WIDEST * this.#options.scale;
    const box = new Int32Array(4);
    const joined = new Int32Array(4);
    const current = new Int32Array(4);
    let vertices = Infinity;
    let pieces = 0;
    const limits: [number, number] = [0, 0];
    for (let i = 0; i < order.length; i++) {
      const size = this.#pieces.values[order[i] * PIECE_FIELDS + EDGES] + 1;
      this.#boxOf(order[i], box);
      join(current, box, joined);
      if (vertices + size > BLOCK_VERTICES || joined[2] - joined[0] > widest || joined[3] - joined[1] > widest) {
        if (i > 0) pushBox(boxes, current);
        starts.push(i);
        current.set(box);
        vertices = 0;
        pieces = 0;
      } else current.set(joined);
      vertices += size;
      pieces++;
      limits[0] = Math.max(limits[0], vertices);
      limits[1] = Math.max(limits[1], pieces);
    }
    pushBox(boxes, current);
    const count = starts.length;
    starts.push(order.length);
    return { count, starts: starts.values, boxes: boxes.values, limits };
  }

  #boxOf(piece: number, out: Int32Array): void {
    const fields = this.#pieces.values;
    const at = piece * PIECE_FIELDS;
    let x = fields[at + START_X];
    let y = fields[at + START_Y];
    let [west, south, east, north] = [x, y, x, y];
    const bytes = this.#bytes.values;
    const end = fields[at + FROM] + fields[at + BYTES];
    let axis = 0;
    for (let i = fields[at + FROM]; i < end; axis ^= 1) {
      let byte = bytes[i++];
      let step = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[i++];
        step |= (byte & 127) << shift;
      }
      const by = (step >>> 1) ^ -(step & 1);
      if (axis === 0) {
        x += by;
        if (x < west) west = x;
        if (x > east) east = x;
      } else {
        y += by;
        if (y < south) south = y;
        if (y > north) north = y;
      }
    }
    out[0] = west;
    out[1] = south;
    out[2] = east;
    out[3] = north;
  }

  #writeBlock(pieces: Uint32Array, west: number, south: number, out: Uint8Array, at: number): number {
    const fields = this.#pieces.values;
    let x = west;
    let y = south;
    for (const piece of pieces) {
      const field = piece * PIECE_FIELDS;
      at = writeVarint(out, at, fields[field + HEAD]);
      out[at++] = fields[field + EDGES];
      at = writeStep(out, at, fields[field + START_X] - x);
      at = writeStep(out, at, fields[field + START_Y] - y);
      x = fields[field + START_X];
      y = fields[field + START_Y];
      const from = fields[field + FROM];
      const size = fields[field + BYTES];
      for (let i = 0; i < size; i++) out[at++] = this.#bytes.values[from + i];
    }
    return at;
  }
}

interface BlockPlan {
  readonly count: number;
  readonly starts: Uint32Array;
  readonly boxes: Int32Array;
  readonly limits: readonly [number, number];
}

function pushBox(boxes: GrowingArray<Int32Array>, box: Int32Array): void {
  boxes.reserve(4);
  boxes.values.set(box, boxes.length);
  boxes.length += 4;
}

function join(a: Int32Array, b: Int32Array, out: Int32Array): void {
  out[0] = Math.min(a[0], b[0]);
  out[1] = Math.min(a[1], b[1]);
  out[2] = Math.max(a[2], b[2]);
  out[3] = Math.max(a[3], b[3]);
}

/** Index of the last vertex of the piece that begins at `first`. */
function pieceEnd(coordinates: Int32Array, first: number, count: number, widest: number): number {
  let west = coordinates[first * 2];
  let east = west;
  let south = coordinates[first * 2 + 1];
  let north = south;
  let last = first + 1;
  for (; last < count && last - first <= PIECE_EDGES; last++) {
    const x = coordinates[last * 2];
    const y = coordinates[last * 2 + 1];
    west = Math.min(west, x);
    east = Math.max(east, x);
    south = Math.min(south, y);
    north = Math.max(north, y);
    if ((east - west > widest || north - south > widest) && last > first + 1) break;
  }
  return last - 1;
}
