import { compareTexts } from './compare-texts.ts';

/** The place of each text in the order of tables, from 0. */
export type Ranks = ReadonlyMap<string, number>;

/** Comparisons between two rests: less than 10 ms of processor for names of usual length. */
export const MOST_COMPARISONS = 10_000;
/** Texts that are sorted in one go; two thirds of the comparisons of a step. */
const RUN = 600;

/**
 * Ranks texts in steps, with a rest after each: to compare 50,000 names takes a third of a second, for which a page would not
 * answer. Texts that are equal in this order have one rank.
 */
export function* rankTexts(texts: ReadonlySet<string>, compare = compareTexts): Generator<undefined, Ranks> {
  let [from, into] = [[...texts], [...texts]];
  let left = MOST_COMPARISONS;
  for (let at = 0; at < from.length; at += RUN) {
    const run = from.slice(at, at + RUN);
    if (left < mostComparisons(run.length)) {
      yield;
      left = MOST_COMPARISONS;
    }
    left -= mostComparisons(run.length);
    run.sort(compare).forEach((text, i) => (from[at + i] = text));
  }
  for (let width = RUN; width < from.length; width *= 2) {
    for (let at = 0; at < from.length; at += 2 * width) {
      const [middle, end] = [Math.min(at + width, from.length), Math.min(at + 2 * width, from.length)];
      let [a, b] = [at, middle];
      for (let to = at; to < end; to++) {
        if (left-- === 0) {
          yield;
          left = MOST_COMPARISONS - 1;
        }
        const isFirst = b >= end || (a < middle && compare(from[a]!, from[b]!) <= 0);
        into[to] = from[isFirst ? a++ : b++]!;
      }
    }
    [from, into] = [into, from];
  }
  const ranks = new Map<string, number>();
  let rank = -1;
  for (const [i, text] of from.entries()) {
    if (left-- === 0) {
      yield;
      left = MOST_COMPARISONS - 1;
    }
    if (i === 0 || compare(from[i - 1]!, text) !== 0) rank++;
    ranks.set(text, rank);
  }
  return ranks;
}

/** Ranks texts at once. */
export function ranksOf(texts: Iterable<string>): Ranks {
  const steps = rankTexts(new Set(texts));
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Rows in the order of a text of theirs; equal ones stay as they are. */
export function sortByRank<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  ranks: Ranks,
  descending: boolean,
): readonly Row[] {
  const places = Uint32Array.from(rows, (row) => {
    const rank = ranks.get(textOf(row)) ?? ranks.size;
    return descending ? ranks.size - rank : rank;
  });
  // Counts how many have each place, then where each place begins: no two rows are compared.
  const next = new Uint32Array(ranks.size + 2);
  for (const place of places) next[place + 1]!++;
  for (let place = 1; place < next.length; place++) next[place]! += next[place - 1]!;
  const sorted = [...rows];
  rows.forEach((row, i) => (sorted[next[places[i]!]!++] = row));
  return sorted;
}

/** What a sort by merging needs at most. */
function mostComparisons(count: number): number {
  return count * Math.ceil(Math.log2(Math.max(2, count)));
}
