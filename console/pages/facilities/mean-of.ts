import type { ResultRow } from './result-row.ts';

interface Mean {
  readonly score: number;
  /** With what is not known at its lowest and at its highest; null where nothing is open. */
  readonly range: readonly [lowest: number, highest: number] | null;
}

/** The mean score of the rows that have one, as the service computes that of all; null where none has. */
export function meanOf(rows: readonly ResultRow[]): Mean | null {
  let [count, score, lowest, highest] = [0, 0, 0, 0];
  for (const row of rows) {
    if (row.score === null) continue;
    count++;
    score += row.score;
    lowest += row.range?.[0] ?? row.score;
    highest += row.range?.[1] ?? row.score;
  }
  if (count === 0) return null;
  return { score: score / count, range: lowest === highest ? null : [lowest / count, highest / count] };
}
