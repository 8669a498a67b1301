import { BANDS } from '../../geo/segmentation/grid.ts';
import type { CellVectors } from '../../geo/segmentation/pool-cells.ts';
import { addCell, addSums, emptySums, wardCost, type GroundSums } from './ground-sums.ts';

/** A plot on the lattice of embedding cells. */
export interface PlotCells extends CellVectors {
  /** Hectares of each cell that lie inside the plot. */
  readonly weights: Float64Array;
  /** The segment of each cell, from 1 on; 0 where it has none. */
  readonly labels: Int32Array;
}

/** The ground of a plot in pieces. */
export interface GroundPieces {
  /** The piece of each cell; -1 for cells outside the plot or without data. */
  readonly pieceOf: Int32Array;
  readonly sums: readonly GroundSums[];
  /** The pieces that share an edge of a cell with each. */
  readonly neighbours: readonly ReadonlySet<number>[];
  /** Pieces there were before small ones joined a neighbour. */
  readonly found: number;
}

/**
 * Connected parts (over edges of cells) of segments inside the plot, numbered by their first cell, row after row. The smallest piece of less than
 * `leastHa` hectares joins the neighbour whose union with it costs least (`wardCost`), until every piece is large enough or has no neighbour.
 * Ties go to the piece that begins first.
 */
export function findPieces(cells: PlotCells, leastHa: number): GroundPieces {
  const { pieceOf, count } = connect(cells);
  const sums = Array.from({ length: count }, emptySums);
  const links = Array.from({ length: count }, () => new Set<number>());
  for (let cell = 0; cell < pieceOf.length; cell++) {
    const piece = pieceOf[cell];
    if (piece < 0) continue;
    addCell(sums[piece], cells.units, cell * BANDS, cells.weights[cell]);
    for (const next of cellsNextTo(cell, cells.width, cells.height)) {
      const other = pieceOf[next];
      if (other >= 0 && other !== piece) links[piece].add(other);
    }
  }
  return renumber(pieceOf, sums, links, absorbSmall(sums, links, leastHa));
}

/** The up to four cells that share an edge with a cell. */
export function cellsNextTo(cell: number, width: number, height: number): number[] {
  const column = cell % width;
  const next: number[] = [];
  if (cell >= width) next.push(cell - width);
  if (column > 0) next.push(cell - 1);
  if (column + 1 < width) next.push(cell + 1);
  if (cell + width < width * height) next.push(cell + width);
  return next;
}

function connect({ width, height, weights, labels, valid }: PlotCells): { pieceOf: Int32Array; count: number } {
  const pieceOf = new Int32Array(width * height).fill(-1);
  const stack: number[] = [];
  let count = 0;
  const isFree = (cell: number, label: number): boolean =>
    pieceOf[cell] === -1 && labels[cell] === label && weights[cell] > 0 && valid[cell] === 1;
  for (let first = 0; first < pieceOf.length; first++) {
    const label = labels[first];
    if (label === 0 || !isFree(first, label)) continue;
    pieceOf[first] = count;
    stack.push(first);
    for (let cell = stack.pop(); cell !== undefined; cell = stack.pop())
      for (const next of cellsNextTo(cell, width, height))
        if (isFree(next, label)) {
          pieceOf[next] = count;
          stack.push(next);
        }
    count++;
  }
  return { pieceOf, count };
}

/** The piece that each piece has joined; itself for one that stays. Changes `sums` and `links` of those that stay. */
function absorbSmall(sums: readonly GroundSums[], links: readonly Set<number>[], leastHa: number): Int32Array {
  const joined = Int32Array.from({ length: sums.length }, (_, piece) => piece);
  const small = new Set([...sums.keys()].filter((piece) => sums[piece].weight < leastHa && links[piece].size > 0));
  while (small.size > 0) {
    const piece = smallest(sums, small);
    const into = mostAlike(sums, piece, links[piece]);
    addSums(sums[into], sums[piece]);
    joined[piece] = into;
    for (const other of links[piece]) {
      links[other].delete(piece);
      if (other === into) continue;
      links[other].add(into);
      links[into].add(other);
    }
    small.delete(piece);
    if (sums[into].weight >= leastHa || links[into].size === 0) small.delete(into);
  }
  return joined;
}

function smallest(sums: readonly GroundSums[], pieces: Iterable<number>): number {
  let best = -1;
  for (const piece of pieces) {
    if (best < 0 || sums[piece].weight < sums[best].weight) best = piece;
    else if (sums[piece].weight === sums[best].weight) best = Math.min(best, piece);
  }
  return best;
}

function mostAlike(sums: readonly GroundSums[], piece: number, others: Iterable<number>): number {
  let best = -1;
  let least = Infinity;
  for (const other of others) {
    const cost = wardCost(sums[piece], sums[other]);
    if (cost < least || (cost === least && other < best)) [best, least] = [other, cost];
  }
  return best;
}

function renumber(
  pieceOf: Int32Array,
  sums: readonly GroundSums[],
  links: readonly Set<number>[],
  joined: Int32Array,
): GroundPieces {
  const kept = [...sums.keys()].filter((piece) => joined[piece] === piece);
  const numbers = new Map(kept.map((piece, i) => [piece, i]));
  const numberOf = (piece: number): number => {
    let at = piece;
    while (joined[at] !== at) at = joined[at];
    return numbers.get(at)!;
  };
  const final = Int32Array.from(sums.keys(), numberOf);
  return {
    pieceOf: pieceOf.map((piece) => (piece < 0 ? -1 : final[piece])),
    sums: kept.map((piece) => sums[piece]),
    neighbours: kept.map((piece) => new Set([...links[piece]].map((other) => final[other]))),
    found: sums.length,
  };
}
