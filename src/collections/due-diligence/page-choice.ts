import { RULES } from './finding.ts';
import { isExported, type FittedPlot } from './fit-plot.ts';

/** How much a plot needs to be looked at: left out, lost forest, has warnings, nothing. */
const RANKS = 4;

/**
 * Chooses the plots that get a page of the audit trail: all while there are few, else those that need to be looked at most,
 * in the order they came in. Memory is a byte a plot.
 */
export function createPageChoice() {
  const chosen: { readonly id: string; readonly ranks: number[] }[] = [];
  return {
    /** Begins a collection; its plots come numbered from 0, without gaps. */
    begin: (id: string): void => void chosen.push({ id, ranks: [] }),
    add: (plot: FittedPlot): void => void chosen.at(-1)?.ranks.push(rankOf(plot)),
    /** Numbers of the plots chosen, by id of the collection. */
    choose(pages: number): Map<string, Set<number>> {
      const out = new Map(chosen.map(({ id }) => [id, new Set<number>()]));
      let left = pages;
      for (let rank = 0; rank < RANKS; rank++)
        for (const { id, ranks } of chosen)
          for (let number = 0; number < ranks.length && left > 0; number++)
            if (ranks[number] === rank) {
              out.get(id)!.add(number);
              left--;
            }
      return out;
    },
  };
}

function rankOf(plot: FittedPlot): number {
  const { record, findings } = plot;
  if (record.locationType === 'facility') return RANKS;
  if (!isExported(plot)) return 0;
  if (findings.some(({ rule }) => rule === 'loss-in-baseline-forest')) return 1;
  return findings.some(({ rule, fixed }) => !fixed && RULES[rule].severity === 'warning') ? 2 : 3;
}
