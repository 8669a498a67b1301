import type { Separation } from './ground-sums.ts';

/** What decides whether a plot is clearly two things, and how large a part is at least. */
export const SPLIT_RULES = {
  /** Hectares of the smallest part, and of the smallest piece of ground that is looked at by itself: 12 cells of 20 m. */
  leastHa: 0.5,
  /** Share of the plot of the smallest part. */
  leastShare: 0.1,
  /**
   * 1 - cosine between the mean embeddings of two kinds of ground, at least. Over 1,440 labelled points in the Amazon and in Iowa trees
   * are 0.19 to 0.45 from every other class of Dynamic World; grass, crops and shrubs of the Amazon are 0.01 to 0.03 from each other.
   */
  leastDistance: 0.15,
  /**
   * Ashman's D, at least. 2 is the published bound of a clean separation; at 3 about 93 of 100 cells of two equal bell curves lie on their own side
   * of the middle.
   */
  leastAshmanD: 3,
} as const;

/** Two kinds of ground are clearly apart when their means are, and their cells too. */
export function isClearlyApart({ distance, ashmanD }: Separation): boolean {
  return distance >= SPLIT_RULES.leastDistance && ashmanD >= SPLIT_RULES.leastAshmanD;
}
