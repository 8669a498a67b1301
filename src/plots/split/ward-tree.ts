import { addSums, emptySums, separationOf, wardCost, type GroundSums, type Separation } from './ground-sums.ts';

/** A node of a tree of pieces of ground. */
export interface GroundNode {
  /** Numbers of its pieces. */
  readonly pieces: readonly number[];
  readonly weight: number;
  /** What it was united from; null for a piece by itself. */
  readonly halves: readonly [GroundNode, GroundNode] | null;
  /** How far apart the halves are; null for a piece by itself. */
  readonly separation: Separation | null;
}

/**
 * Unites pieces of ground two by two, always the two whose union costs least (`wardCost`), until one is left: the tree of Ward's
 * method, with hectares as weights. Where pieces lie does not matter: forest at both ends of a plot is one kind of ground.
 * Ties go to the pair whose first pieces have the lower numbers. Null for no pieces. Quadratic in their number.
 */
export function wardTree(pieces: readonly GroundSums[]): GroundNode | null {
  const nodes: (GroundNode | null)[] = pieces.map(({ weight }, i) => ({
    pieces: [i],
    weight,
    halves: null,
    separation: null,
  }));
  const sums: (GroundSums | null)[] = [...pieces];
  const partners = pieces.map((_, i) => partnerOf(sums, i));
  for (let left = pieces.length; left > 1; left--) {
    const first = cheapest(partners);
    const second = partners[first].other;
    unite(nodes, sums, first, second);
    for (let i = 0; i < second; i++) {
      if (sums[i] === null) continue;
      const { other, cost } = partners[i];
      if (i === first || other === first || other === second) partners[i] = partnerOf(sums, i);
      else if (i < first) {
        // The union may be nearer than the partner so far.
        const toUnion = wardCost(sums[i]!, sums[first]!);
        if (toUnion < cost || (toUnion === cost && first < other)) partners[i] = { other: first, cost: toUnion };
      }
    }
    partners[second] = NOBODY;
  }
  return nodes[0] ?? null;
}

/** The cheapest partner among the nodes of higher numbers. */
interface Partner {
  readonly other: number;
  readonly cost: number;
}

const NOBODY: Partner = { other: -1, cost: Infinity };

function partnerOf(sums: readonly (GroundSums | null)[], i: number): Partner {
  let best = NOBODY;
  for (let other = i + 1; other < sums.length; other++) {
    const to = sums[other];
    if (to === null) continue;
    const cost = wardCost(sums[i]!, to);
    if (cost < best.cost) best = { other, cost };
  }
  return best;
}

function cheapest(partners: readonly Partner[]): number {
  let best = 0;
  for (let i = 1; i < partners.length; i++) if (partners[i].cost < partners[best].cost) best = i;
  return best;
}

/** The union takes the place of `first`, the lower number. */
function unite(nodes: (GroundNode | null)[], sums: (GroundSums | null)[], first: number, second: number): void {
  const halves = [nodes[first]!, nodes[second]!] as const;
  const [a, b] = [sums[first]!, sums[second]!];
  const both = emptySums();
  addSums(both, a);
  addSums(both, b);
  nodes[first] = {
    pieces: [...halves[0].pieces, ...halves[1].pieces],
    weight: both.weight,
    halves,
    separation: separationOf(a, b),
  };
  nodes[second] = null;
  sums[first] = both;
  sums[second] = null;
}
