import { RULES } from './finding.ts';
import type { FittedPlot } from './fit-plot.ts';
import { groupOf } from './group-of.ts';

/** How many plots of its kind fit on a page: what was met without a word takes a quarter, what needs reading half. */
export type Room = 2 | 3 | 4;

/** The plots that are drawn and the room each needs, by number in the order of their file, by id of the collection. */
export type PagesOf = ReadonlyMap<string, ReadonlyMap<number, Room>>;

/** How much a plot needs to be looked at: left out, lost forest, has warnings, nothing. */
const RANKS = 4;
/** Remarks that fit in a third of a page. */
const FEW_REMARKS = 2;

/**
 * Chooses the plots that are drawn in the audit trail: all while there are few, else those that need to be looked at most, in
 * the order they came in. Memory is a byte a plot.
 */
export function createPageChoice() {
  const chosen: { readonly id: string; readonly marks: number[] }[] = [];
  return {
    /** Begins a collection; its plots come numbered from 0, without gaps. */
    begin: (id: string): void => void chosen.push({ id, marks: [] }),
    add: (plot: FittedPlot): void => void chosen.at(-1)?.marks.push(rankOf(plot) * 8 + roomOf(plot)),
    choose(plots: number): PagesOf {
      const out = new Map(chosen.map(({ id }) => [id, [] as number[]]));
      let left = plots;
      for (let rank = 0; rank < RANKS; rank++)
        for (const { id, marks } of chosen)
          for (let number = 0; number < marks.length && left > 0; number++)
            if (marks[number]! >> 3 === rank) {
              out.get(id)!.push(number);
              left--;
            }
      return new Map(
        chosen.map(({ id, marks }) => [
          id,
          new Map(
            out
              .get(id)!
              .toSorted((a, b) => a - b)
              .map((number) => [number, (marks[number]! & 7) as Room]),
          ),
        ]),
      );
    },
  };
}

function rankOf(plot: FittedPlot): number {
  const group = groupOf(plot);
  if (group === 'facility') return RANKS;
  if (group === 'left_out' || group === 'excluded') return 0;
  if (group === 'deforested' || plot.findings.some(({ rule }) => rule === 'loss-in-baseline-forest')) return 1;
  return plot.findings.some(({ rule, fixed }) => !fixed && RULES[rule].severity === 'warning') ? 2 : 3;
}

function roomOf(plot: FittedPlot): Room {
  const { record, findings, facts, convergence } = plot;
  const texts = [
    ...findings.filter(({ rule }) => rule !== 'snapped').map(({ detail }) => detail),
    ...facts.warnings.map(({ message }) => message),
  ];
  const remarks = new Set(texts).size + (record.review == null ? 0 : 1);
  const group = groupOf(plot);
  const isPlain = convergence === null || convergence.verdict === 'low';
  if (!isPlain || remarks > FEW_REMARKS || group === 'left_out' || group === 'deforested') return 2;
  return convergence !== null || remarks > 0 || facts.checks.length > 0 || record.statistics === null ? 3 : 4;
}

/** Twelfths of a page, which halves, thirds and quarters are made of. */
const UNITS = 12;

/** Where a plot stands: its page, from 0, and where on it, as shares of its height. */
export interface Place {
  readonly page: number;
  readonly top: number;
  readonly height: number;
}

/** Puts plots on pages in their order, each whole. */
export function createPlacing() {
  let [page, used] = [0, 0];
  return {
    next(room: Room): Place {
      const units = UNITS / room;
      if (used + units > UNITS) [page, used] = [page + 1, 0];
      const place = { page, top: used / UNITS, height: units / UNITS };
      used += units;
      return place;
    },
    pages: (): number => (used === 0 ? 0 : page + 1),
  };
}
