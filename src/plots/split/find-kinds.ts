import { BANDS } from '../../geo/segmentation/grid.ts';
import { findPieces, type GroundPieces, type PlotCells } from './find-pieces.ts';
import { addSums, emptySums, separationOf, wardCost, type GroundSums, type Separation } from './ground-sums.ts';
import { isClearlyApart, SPLIT_RULES } from './split-rules.ts';
import { wardTree, type GroundNode } from './ward-tree.ts';

/** A kind of ground in a plot. */
export interface GroundKind {
  readonly sums: GroundSums;
  /** Large enough, by area and share, to be a part of its own. */
  readonly isMajor: boolean;
  /** 1 - cosine of its mean to that of the nearest other kind; null where it is the only one. */
  readonly nearestDistance: number | null;
  /** Ashman's D to that kind. */
  readonly ashmanD: number | null;
  /** Share of its hectares whose cells are nearer to its own mean than to that of any other kind; null where it is the only one. */
  readonly ownShare: number | null;
}

/** What the ground of a plot consists of. */
export interface PlotKinds {
  /** The largest first; each two of them are clearly apart. */
  readonly kinds: readonly GroundKind[];
  /** The kind of each cell, by its place in `kinds`; `NO_DATA` or `OUTSIDE`. */
  readonly kindOf: Int16Array;
  /** The same, with the ground of minor kinds given to the major kind whose part it lies in. */
  readonly partOf: Int16Array;
  /** Hectares of the plot, and of its cells without data. */
  readonly plotHa: number;
  readonly unknownHa: number;
  /** How far apart the two halves are into which Ward's method divides all of the ground; null for ground in one piece. */
  readonly halves: Separation | null;
  /** Connected parts of segments that were compared. */
  readonly pieces: number;
}

/** Of a cell in the plot that has no data. */
export const NO_DATA = -1;
/** Of a cell outside the plot. */
export const OUTSIDE = -2;

/**
 * The kinds of ground of a plot. Pieces of segments (`findPieces`) are united by Ward's method into a tree (`wardTree`), which is cut from
 * the top: a node is cut where its halves are clearly apart (`isClearlyApart`), and where a node below it has to be cut because it has halves that are
 * clearly apart and each large enough for a part. What is left is compared again, and of those that are not clearly apart the two whose union costs least become one, until
 * all are clearly apart.
 */
export function findKinds(cells: PlotCells): PlotKinds {
  const pieces = findPieces(cells, SPLIT_RULES.leastHa);
  const plotHa = cells.weights.reduce((sum, weight) => sum + weight, 0);
  const tree = wardTree(pieces.sums);
  const cut = tree === null ? [] : cutTree(tree, plotHa);
  const groups = mergeAlike(
    cut.map(({ pieces: own }) => [...own].sort((a, b) => a - b)),
    pieces.sums,
  );
  groups.sort((a, b) => b.sums.weight - a.sums.weight || a.pieces[0] - b.pieces[0]);
  const kindOfPiece = new Int16Array(pieces.sums.length);
  groups.forEach((group, kind) => group.pieces.forEach((piece) => (kindOfPiece[piece] = kind)));
  const kindOf = pieces.pieceOf.map((piece, cell) =>
    piece >= 0 ? kindOfPiece[piece] : cells.weights[cell] > 0 ? NO_DATA : OUTSIDE,
  );
  const kinds = describeKinds(
    cells,
    kindOf,
    groups.map(({ sums }) => sums),
    plotHa,
  );
  const partOfPiece = giveMinorAway(pieces, kindOfPiece, kinds);
  return {
    kinds,
    kindOf: Int16Array.from(kindOf),
    partOf: Int16Array.from(pieces.pieceOf, (piece, cell) => (piece >= 0 ? partOfPiece[piece] : kindOf[cell])),
    plotHa,
    unknownHa: kindOf.reduce((sum, kind, cell) => (kind === NO_DATA ? sum + cells.weights[cell] : sum), 0),
    halves: tree?.separation ?? null,
    pieces: pieces.found,
  };
}

function isLarge(hectares: number, plotHa: number): boolean {
  return hectares >= SPLIT_RULES.leastHa && hectares >= SPLIT_RULES.leastShare * plotHa;
}

function cutTree(node: GroundNode, plotHa: number): readonly GroundNode[] {
  const { halves, separation } = node;
  if (halves === null) return [node];
  const below = halves.map((half) => cutTree(half, plotHa));
  const isCut = isClearlyApart(separation!) || below.some((parts) => parts.length > 1 && isWorthCutting(parts, plotHa));
  return isCut ? below.flat() : [node];
}

/** A cut far down is kept where it leaves two parts that are large enough; else it would cut everything above it for a spot. */
function isWorthCutting(parts: readonly GroundNode[], plotHa: number): boolean {
  return parts.filter(({ weight }) => isLarge(weight, plotHa)).length > 1;
}

interface Group {
  readonly pieces: readonly number[];
  readonly sums: GroundSums;
}

function mergeAlike(found: readonly (readonly number[])[], sums: readonly GroundSums[]): Group[] {
  const groups: Group[] = found
    .map((pieces) => ({ pieces, sums: sumOf(pieces.map((piece) => sums[piece])) }))
    .sort((a, b) => a.pieces[0] - b.pieces[0]);
  for (;;) {
    let best: readonly [number, number] | null = null;
    let least = Infinity;
    for (let i = 0; i < groups.length; i++)
      for (let j = i + 1; j < groups.length; j++) {
        const cost = wardCost(groups[i].sums, groups[j].sums);
        if (cost < least && !isClearlyApart(separationOf(groups[i].sums, groups[j].sums)))
          [best, least] = [[i, j], cost];
      }
    if (best === null) return groups;
    const [i, j] = best;
    const [a, b] = [groups[i], groups[j]];
    groups[i] = { pieces: [...a.pieces, ...b.pieces].sort((x, y) => x - y), sums: sumOf([a.sums, b.sums]) };
    groups.splice(j, 1);
  }
}

function sumOf(sums: readonly GroundSums[]): GroundSums {
  const all = emptySums();
  for (const one of sums) addSums(all, one);
  return all;
}

function describeKinds(
  { weights, units }: PlotCells,
  kindOf: ArrayLike<number>,
  sums: readonly GroundSums[],
  plotHa: number,
): GroundKind[] {
  const own = ownHectares(weights, units, kindOf, sums);
  return sums.map((mine, kind) => {
    const nearest = sums
      .filter((other) => other !== mine)
      .map((other) => separationOf(mine, other))
      .reduce<Separation | null>((best, one) => (best === null || one.distance < best.distance ? one : best), null);
    return {
      sums: mine,
      isMajor: isLarge(mine.weight, plotHa),
      nearestDistance: nearest?.distance ?? null,
      ashmanD: nearest?.ashmanD ?? null,
      ownShare: nearest === null ? null : own[kind] / mine.weight,
    };
  });
}

/** By kind, the hectares of its cells that are nearest to its own mean. */
function ownHectares(
  weights: Float64Array,
  units: Int16Array,
  kindOf: ArrayLike<number>,
  sums: readonly GroundSums[],
): Float64Array {
  const means = sums.map(({ vector }) => {
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
  const own = new Float64Array(sums.length);
  for (let cell = 0; cell < kindOf.length; cell++) {
    const kind = kindOf[cell];
    if (kind < 0) continue;
    let nearest = 0;
    let most = -Infinity;
    for (const [i, mean] of means.entries()) {
      let dot = 0;
      for (let band = 0; band < BANDS; band++) dot += mean[band] * units[cell * BANDS + band];
      if (dot > most) [nearest, most] = [i, dot];
    }
    if (nearest === kind) own[kind] += weights[cell];
  }
  return own;
}

/** The part of each piece: its own kind where that is major, else that of the neighbour most like it, step by step from the major ones. */
function giveMinorAway(
  { sums, neighbours }: GroundPieces,
  kindOfPiece: Int16Array,
  kinds: readonly GroundKind[],
): Int16Array {
  const major = [...kinds.keys()].filter((kind) => kinds[kind].isMajor);
  // With no major kind nothing is drawn; the largest stands for the plot.
  const choices = major.length > 0 ? major : [0];
  const parts = kindOfPiece.map((kind) => (choices.includes(kind) ? kind : -1));
  const mostAlike = (piece: number, among: readonly number[]): number =>
    among.toSorted((a, b) => wardCost(sums[piece], kinds[a].sums) - wardCost(sums[piece], kinds[b].sums) || a - b)[0];
  for (let open = openOf(parts); open.length > 0; open = openOf(parts)) {
    const reached = open.flatMap((piece) => {
      const next = [...new Set([...neighbours[piece]].map((other) => parts[other]))].filter((part) => part >= 0);
      return next.length > 0 ? [[piece, mostAlike(piece, next)] as const] : [];
    });
    // A piece with no way to a part, such as one across a gap without data, goes by likeness alone.
    const given = reached.length > 0 ? reached : open.map((piece) => [piece, mostAlike(piece, choices)] as const);
    for (const [piece, part] of given) parts[piece] = part;
  }
  return parts;
}

function openOf(parts: Int16Array): number[] {
  return [...parts.keys()].filter((piece) => parts[piece] < 0);
}
