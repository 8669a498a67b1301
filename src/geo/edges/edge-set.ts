import { openTree, type PackedTree } from '../packed-tree.ts';

/**
 * The outlines of polygons, and lines, packed for looking up what holds a point and what is nearest to it.
 *
 * Every ring belongs to an owner (a country, a kind of water): a number from 0. Rings are cut into pieces of few edges, the pieces
 * laid along a space-filling curve and packed into blocks of about 64 vertices, stored as byte-long differences. Coordinates
 * are whole units of `1 / scale` degree, x east and y north. Exterior rings run counter-clockwise, holes clockwise, so that the
 * owners of a point follow from the edges between it and the nearest anchor (see `AnchorGrid`). All arrays may live in shared memory.
 */
export interface EdgeSet {
  readonly scale: number;
  /** Bounding boxes of the blocks. */
  readonly tree: PackedTree;
  /** Where each block begins in `bytes`, and one more for the end. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  readonly anchors: AnchorGrid;
  /** Owners from this number on are lines and hold no points. */
  readonly firstLine: number;
  /** Most vertices and pieces of a block. */
  readonly blockLimits: readonly [vertices: number, pieces: number];
}

/**
 * What holds the middle of every cell of a world grid of `1 / cellsPerDegree` degree, row by row from the south west.
 * 0 is nothing, 1 to 254 the owner plus 1, 255 more than one: then `shared` lists owner and winding number in turn.
 */
interface AnchorGrid {
  readonly cellsPerDegree: number;
  readonly cells: Uint8Array;
  readonly shared: ReadonlyMap<number, readonly number[]>;
}

export const SHARED_CELL = 255;

/** The arrays of an edge set as they are stored, and the rest as JSON. */
export interface StoredEdgeSet {
  readonly arrays: {
    readonly boxes: Int32Array;
    readonly offsets: Uint32Array;
    readonly bytes: Uint8Array;
    readonly cells: Uint8Array;
  };
  readonly meta: EdgeSetMeta;
}

export interface EdgeSetMeta {
  readonly scale: number;
  readonly blocks: number;
  readonly firstLine: number;
  readonly blockLimits: readonly [number, number];
  readonly cellsPerDegree: number;
  readonly shared: readonly (readonly [cell: number, counts: readonly number[]])[];
}

export function openEdgeSet({ arrays, meta }: StoredEdgeSet): EdgeSet {
  return {
    scale: meta.scale,
    tree: openTree(arrays.boxes, meta.blocks),
    offsets: arrays.offsets,
    bytes: arrays.bytes,
    anchors: { cellsPerDegree: meta.cellsPerDegree, cells: arrays.cells, shared: new Map(meta.shared) },
    firstLine: meta.firstLine,
    blockLimits: meta.blockLimits,
  };
}

/** The vertices of one block, unpacked. Vertices of piece `i` run from `ends[i - 1]` (0 for the first) up to before `ends[i]`. */
export interface EdgeBlock {
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly owners: Int32Array;
  readonly ends: Int32Array;
  pieces: number;
}

/** Room for any block of the set. */
export function createEdgeBlock(set: EdgeSet): EdgeBlock {
  const [vertices, pieces] = set.blockLimits;
  return {
    x: new Int32Array(vertices),
    y: new Int32Array(vertices),
    owners: new Int32Array(pieces),
    ends: new Int32Array(pieces),
    pieces: 0,
  };
}

/**
 * Unpacks a block. A piece is stored as: owner x 2 + 1 when it ends where it began, edges, then the step from the start of
 * the piece before it (for the first: from the south west corner of the block) and the step of every edge but an implied last one.
 * Counts are LEB128 varints, steps zigzag varints, x before y.
 */
export function readEdgeBlock(set: EdgeSet, block: number, out: EdgeBlock): void {
  const { bytes } = set;
  const { x, y } = out;
  let at = set.offsets[block];
  const end = set.offsets[block + 1];
  let startX = set.tree.boxes[block * 4];
  let startY = set.tree.boxes[block * 4 + 1];
  let piece = 0;
  let vertex = 0;
  let byte = 0;
  while (at < end) {
    byte = bytes[at++];
    let head = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++];
      head |= (byte & 127) << shift;
    }
    const edges = bytes[at++];
    const closed = head & 1;
    const first = vertex;
    let px = startX;
    let py = startY;
    for (let i = edges - closed; i >= 0; i--) {
      byte = bytes[at++];
      let step = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++];
        step |= (byte & 127) << shift;
      }
      px += (step >>> 1) ^ -(step & 1);
      byte = bytes[at++];
      step = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++];
        step |= (byte & 127) << shift;
      }
      py += (step >>> 1) ^ -(step & 1);
      x[vertex] = px;
      y[vertex++] = py;
    }
    startX = x[first];
    startY = y[first];
    if (closed === 1) {
      x[vertex] = startX;
      y[vertex++] = startY;
    }
    out.owners[piece] = head >>> 1;
    out.ends[piece++] = vertex;
  }
  out.pieces = piece;
}

/** Writes a signed whole number of up to 31 bits, small ones of either sign in one byte (zigzag); returns where the next goes. */
export function writeStep(out: Uint8Array, at: number, step: number): number {
  return writeVarint(out, at, (step << 1) ^ (step >> 31));
}

/** Writes a whole number from 0 to 2^32 - 1, seven bits to a byte, lowest first (LEB128); returns where the next goes. */
export function writeVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value >>> 0;
  while (rest > 127) {
    out[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}
