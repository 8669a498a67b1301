import { UsageError } from '../command.ts';
import { MAX_REVIEWED_ROWS } from '../../collections/review.ts';

/** The numbers of a list such as `0,4-9`, each once, in their order. Throws `UsageError`. */
export function readRows(text: string): readonly number[] {
  const rows = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,9})(?:-(\d{1,9}))?\s*$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from > to) throw new UsageError(`--rows: wanted numbers such as 0,4-9, got "${part}"`);
    if (to - from >= MAX_REVIEWED_ROWS || rows.size + to - from >= MAX_REVIEWED_ROWS)
      throw new UsageError(`--rows: wanted at most ${MAX_REVIEWED_ROWS} rows, got more`);
    for (let row = from; row <= to; row++) rows.add(row);
  }
  return [...rows];
}
