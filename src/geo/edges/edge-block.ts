import type { EdgeSet } from './edge-set.ts';

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
