/** A raster of whole numbers, row by row. */
interface PartImage {
  readonly width: number;
  readonly height: number;
  readonly labels: Int16Array;
}

/** A line along the edges of cells. */
export interface LabelArc {
  /** Column, row pairs of corners of cells: its ends and every turn. */
  readonly corners: Int32Array;
  /** Whether its last corner is next to the first, which is not repeated. */
  readonly isClosed: boolean;
}

/**
 * The lines between cells of different labels, each border once: from one place where borders meet or end to the next, or all the way round. Two
 * regions that share an arc share it exactly, whatever becomes of it later. In the order of their first corners, row after row;
 * edges of cells of the label `without` are no border.
 */
export function labelArcs({ width, height, labels }: PartImage, without: number): LabelArc[] {
  const stride = width + 1;
  const isBorder = (a: number, b: number): boolean => a !== b && a !== without && b !== without;
  /** Bit of each direction in which a border leaves a corner. */
  const leaves = new Uint8Array(stride * (height + 1));
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const cell = row * width + column;
      const corner = row * stride + column;
      if (row > 0 && isBorder(labels[cell - width], labels[cell])) {
        leaves[corner] |= 1 << EAST;
        leaves[corner + 1] |= 1 << WEST;
      }
      if (column > 0 && isBorder(labels[cell - 1], labels[cell])) {
        leaves[corner] |= 1 << SOUTH;
        leaves[corner + stride] |= 1 << NORTH;
      }
    }
  const steps = [1, stride, -1, -stride];
  const isNode = leaves.map((bits) => (bits !== 0 && bitsOf(bits).length !== 2 ? 1 : 0));
  const arcs: LabelArc[] = [];
  const follow = (start: number, direction: number): void => {
    const places = [start];
    let at = start;
    let heading = direction;
    for (;;) {
      leaves[at] &= ~(1 << heading);
      at += steps[heading];
      leaves[at] &= ~(1 << ((heading + 2) % 4));
      if (at === start || isNode[at] === 1) break;
      const [next] = bitsOf(leaves[at]);
      if (next !== heading) places.push(at);
      heading = next;
    }
    const isClosed = at === start && isNode[start] === 0;
    if (!isClosed) places.push(at);
    // A loop that begins in the middle of a run has a corner too many there.
    else if (heading === direction) places.shift();
    const corners = Int32Array.from(places.flatMap((place) => [place % stride, Math.floor(place / stride)]));
    arcs.push({ corners, isClosed });
  };
  for (let corner = 0; corner < leaves.length; corner++)
    if (isNode[corner] === 1)
      for (const direction of bitsOf(leaves[corner])) if (has(leaves[corner], direction)) follow(corner, direction);
  for (let corner = 0; corner < leaves.length; corner++)
    if (leaves[corner] !== 0) follow(corner, bitsOf(leaves[corner])[0]);
  return arcs;
}

const EAST = 0;
const SOUTH = 1;
const WEST = 2;
const NORTH = 3;

function has(bits: number, direction: number): boolean {
  return (bits & (1 << direction)) !== 0;
}

function bitsOf(bits: number): number[] {
  return [EAST, SOUTH, WEST, NORTH].filter((direction) => has(bits, direction));
}
