import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { language } from '../../text/translate.ts';
import { rankTexts, type Ranks } from './rank-texts.ts';

interface Ranking {
  readonly steps: Iterator<undefined, Ranks>;
  /** Null until the last step. */
  ranks: Ranks | null;
}

const NONE: Ranks = new Map();

/**
 * The ranks of a text of each row; null while there are too many to be ranked at once, for as long as that takes next to other
 * work of the page. `textOf` null: none are needed.
 */
function useRanks<Row>(rows: readonly Row[], textOf: ((row: Row) => string) | null): Ranks | null {
  const ranking = useMemo(() => begin(rows, textOf), [rows, textOf, language.value]);
  const [, again] = useState<Ranking>();
  useEffect(() => {
    if (ranking.ranks !== null) return;
    // Each message is a task of its own, between which the page answers and draws; a timer would wait for 4 ms each time.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      if (step(ranking)) again(ranking);
      else port2.postMessage(null);
    });
    port1.start();
    port2.postMessage(null);
    return () => port1.close();
  }, [ranking]);
  return ranking.ranks;
}

/**
 * Rows arranged by the ranks of a text, with whether they still wait for these: until then they are as they were last, at first as
 * they came. `inputs` are what `arrange` depends on.
 */
export function useRanked<Row, T>(
  { rows, textOf, first }: { rows: readonly Row[]; textOf: ((row: Row) => string) | null; first: T },
  arrange: (ranks: Ranks) => T,
  inputs: readonly unknown[],
): { readonly arranged: T; readonly isRanking: boolean } {
  const ranks = useRanks(rows, textOf);
  const made = useMemo(() => (ranks === null ? null : arrange(ranks)), [...inputs, ranks, language.value]);
  return { arranged: useLast(made, first), isRanking: made === null };
}

/** The last value that was there. */
function useLast<T>(value: T | null, first: T): T {
  const last = useRef(first);
  if (value !== null) last.current = value;
  return last.current;
}

function begin<Row>(rows: readonly Row[], textOf: ((row: Row) => string) | null): Ranking {
  const steps = rankTexts(new Set(textOf === null ? [] : rows.map(textOf)));
  const ranking: Ranking = { steps, ranks: textOf === null ? NONE : null };
  step(ranking);
  return ranking;
}

/** Whether it was the last one. */
function step(ranking: Ranking): boolean {
  const { done, value } = ranking.steps.next();
  if (done !== true) return false;
  ranking.ranks ??= value;
  return true;
}
