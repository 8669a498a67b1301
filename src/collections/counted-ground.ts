import type { PlotRecord } from './plot-record.ts';

/** Bits of the numbers that are known of a plot, in an order that the caller decides; up to 16. */
export type KnownNumbers = number;

/** A plot as totals count its ground. */
export interface CountedGround {
  readonly collectionId: string;
  /** Whether it was compared with the plots before it in its collection. */
  readonly isCompared: boolean;
  /**
   * By bit the share of the plot whose ground a total has already counted that number for, from 0 to 1; null where none of
   * it has been.
   */
  readonly before: Float64Array | null;
}

/** Remembers which plots have been counted: two bytes a plot of one collection. */
interface CountedPlots {
  /** Counts a plot. Plots come collection by collection, in the order of their files. */
  add(collectionId: string, record: Pick<PlotRecord, 'number' | 'earlier'>, known: KnownNumbers): CountedGround;
  /** What is known of the ground of a plot of the same collection; 0 where it was not counted. */
  knownOf(number: number): KnownNumbers;
}

const BITS = 16;

export function countPlots(): CountedPlots {
  let known = new Uint16Array(1_024);
  let current: string | null = null;
  const knownOf = (number: number): KnownNumbers => known[number] ?? 0;
  return {
    knownOf,
    add(collectionId, { number, earlier }, numbers) {
      if (collectionId !== current) known.fill(0);
      current = collectionId;
      const before = earlier === undefined ? null : sharesBefore(earlier.pieces, knownOf);
      const ground = groundNumber({ number, earlier });
      if (ground >= known.length) known = grown(known, ground + 1);
      known[ground]! |= numbers;
      return { collectionId, isCompared: earlier !== undefined, before };
    },
  };
}

/** The number that stands for the ground of a plot: that of the first plot with the same ground. */
export function groundNumber({
  number,
  earlier,
}: Pick<PlotRecord, 'number'> & { readonly earlier?: PlotRecord['earlier'] | undefined }): number {
  return earlier?.sameAs ?? number;
}

/** By bit, the share of a plot that lies on plots of which the number is known; null where there is none. */
export function sharesBefore(
  pieces: NonNullable<PlotRecord['earlier']>['pieces'],
  knownOf: (plot: number) => KnownNumbers,
): Float64Array | null {
  let shares: Float64Array | null = null;
  for (const [share, ...plots] of pieces) {
    const known = plots.reduce((numbers, plot) => numbers | knownOf(plot), 0);
    if (known === 0) continue;
    shares ??= new Float64Array(BITS);
    for (let bit = 0; bit < BITS; bit++) if ((known >> bit) & 1) shares[bit] = Math.min(1, shares[bit]! + share);
  }
  return shares;
}

function grown(known: Uint16Array<ArrayBuffer>, size: number): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(Math.max(size, known.length * 2));
  larger.set(known);
  return larger;
}

/** What totals say of ground that several plots share. */
interface OverlapNote {
  /** Whether no ground is in the totals twice. */
  readonly isCountedOnce: boolean;
  /** Why it may be, as a sentence or two; null where it is not. */
  readonly reason: string | null;
}

const SEVERAL = 'Plots of different collections are not compared with each other.';

/** Gathers whether the plots of a total were compared with each other. */
export function noteOverlaps() {
  const collections = new Set<string>();
  let plots = 0;
  let notCompared = 0;
  return {
    /** Adds a plot that has some ground in the total. */
    add({ collectionId, isCompared }: CountedGround): void {
      collections.add(collectionId);
      plots++;
      if (!isCompared) notCompared++;
    },
    result(): OverlapNote {
      // A single plot has nothing to be compared with.
      const reasons = [
        ...(collections.size > 1 ? [SEVERAL] : []),
        ...(plots > 1 && notCompared > 0 ? [notComparedReason(notCompared)] : []),
      ];
      return reasons.length === 0
        ? { isCountedOnce: true, reason: null }
        : { isCountedOnce: false, reason: reasons.join(' ') };
    },
  };
}

function notComparedReason(plots: number): string {
  return `Plots that were not compared with the others of their collection: ${plots}. A batch compares plots, except those without a usable geometry, with too many neighbours, or in a file with too many plots; one of an earlier version has to be processed again.`;
}
