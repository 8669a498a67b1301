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
