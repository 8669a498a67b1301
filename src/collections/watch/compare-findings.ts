import { findingGroup } from '../plot-group.ts';
import type { PlotFinding, PresentFinding } from './plot-finding.ts';

/** The last finding of a plot that was one. `unmeasured`: a later run could not measure it. */
export interface KnownFinding extends PlotFinding {
  readonly unmeasured?: true;
}

type Compared = Pick<PlotFinding, 'verdict' | 'eudrStatus' | 'lossM2' | 'rules'>;

/** A plot of which something else is found than before. */
export interface PlotChange {
  readonly number: number;
  readonly plot: string;
  readonly direction: 'worse' | 'better' | 'other';
  readonly before: Compared;
  readonly after: Compared;
}

/** A plot that could not be measured, because datasets that had data on it gave none. That is neither better nor worse. */
export interface UnmeasuredPlot {
  readonly number: number;
  readonly plot: string;
  /** Sentences. */
  readonly reasons: readonly string[];
  /** What was known, and goes on to count. */
  readonly before: Compared;
  /** What the other datasets say. */
  readonly now: Compared;
}

/** A plot that was not there before and is not settled: deforestation is found on it, or somebody has to look. */
export interface NewPlot {
  readonly number: number;
  readonly plot: string;
  readonly after: Compared;
}

/** What a run found, compared with what was known. */
export interface WatchReport {
  readonly counts: {
    /** Plots that were there before and are there now: each is unchanged, changed or not measured. */
    readonly plots: number;
    readonly unchanged: number;
    readonly changed: number;
    readonly worse: number;
    readonly better: number;
    readonly not_measured: number;
    /** Of these, plots that could be measured the time before. */
    readonly newly_not_measured: number;
    /** Plots that were there before and are not there now; in no other count. */
    readonly only_before: number;
    /** Plots that are there now and were not there before; in no other count but the next. */
    readonly only_after: number;
    /** Of these, plots that are not settled. */
    readonly only_after_not_cleared: number;
  };
  /** The first {@link REPORTED_PLOTS} of each, in the order of the file. */
  readonly changes: readonly PlotChange[];
  readonly unmeasured: readonly UnmeasuredPlot[];
  readonly newPlots: readonly NewPlot[];
}

/** Plots that a report names; the counts are of all. */
export const REPORTED_PLOTS = 1_000;

/**
 * Compares what is found now with what was known, and what is known after it. A plot is the same one where its place in the file
 * holds the same geometry.
 */
export function compareFindings(
  known: readonly KnownFinding[],
  present: readonly PresentFinding[],
): { readonly report: WatchReport; readonly known: readonly KnownFinding[] } {
  const before = new Map(known.map((finding) => [finding.number, finding]));
  const changes: PlotChange[] = [];
  const unmeasured: UnmeasuredPlot[] = [];
  const newPlots: NewPlot[] = [];
  let fresh = 0;
  let both = 0;
  const next = present.map(({ silent, problem, ...now }): KnownFinding => {
    const { number, plot } = now;
    const earlier = before.get(number);
    if (earlier === undefined || !isSamePlot(earlier, now)) {
      if (findingGroup(now.eudrStatus, now.verdict) !== 'cleared')
        newPlots.push({ number, plot, after: comparedOf(now) });
      return now;
    }
    both++;
    const { unmeasured: wasUnmeasured, ...old } = earlier;
    const reasons = lostReasons(old, { silent, problem });
    // A loss that was found counts whatever else could not be read.
    const isFound = now.eudrStatus === 'deforestation_found' && old.eudrStatus !== 'deforestation_found';
    if (reasons.length > 0 && !isFound) {
      unmeasured.push({ number, plot, reasons, before: comparedOf(old), now: comparedOf(now) });
      if (wasUnmeasured !== true) fresh++;
      return { ...old, geometry: now.geometry, unmeasured: true };
    }
    if (!isSame(old, now))
      changes.push({
        number,
        plot,
        direction: directionOf(old, now),
        before: comparedOf(old),
        after: comparedOf(now),
      });
    return now;
  });
  const going = (direction: PlotChange['direction']): number =>
    changes.filter((change) => change.direction === direction).length;
  const counts = {
    plots: both,
    unchanged: both - changes.length - unmeasured.length,
    changed: changes.length,
    worse: going('worse'),
    better: going('better'),
    not_measured: unmeasured.length,
    newly_not_measured: fresh,
    only_before: known.length - both,
    only_after: present.length - both,
    only_after_not_cleared: newPlots.length,
  };
  return {
    report: {
      counts,
      changes: changes.slice(0, REPORTED_PLOTS),
      unmeasured: unmeasured.slice(0, REPORTED_PLOTS),
      newPlots: newPlots.slice(0, REPORTED_PLOTS),
    },
    known: next,
  };
}

/** Of two in one place. What was stored without a geometry goes by the id of the plot. */
function isSamePlot(earlier: PlotFinding, now: PlotFinding): boolean {
  return earlier.geometry === undefined ? earlier.plot === now.plot : earlier.geometry === now.geometry;
}

/** Why the plot could not be measured: what had data on it, and gave none now though it is still there. */
function lostReasons(
  { heard }: PlotFinding,
  { silent, problem }: Pick<PresentFinding, 'silent' | 'problem'>,
): readonly string[] {
  if (problem !== null) return heard.length === 0 ? [] : [problem];
  const lost = silent.filter(
    ({ dataset, reason }) => heard.includes(dataset) && reason !== `${dataset} has no data there`,
  );
  return [...new Set(lost.map(({ reason }) => reason))];
}

function comparedOf({ verdict, eudrStatus, lossM2, rules }: Compared): Compared {
  return { verdict, eudrStatus, lossM2, rules };
}

function isSame(one: Compared, other: Compared): boolean {
  return JSON.stringify(comparedOf(one)) === JSON.stringify(comparedOf(other));
}

/** How grave what was found is; what is not known has no place among them. */
const GRAVITY = {
  low: 0,
  no_deforestation_found: 0,
  more_information_needed: 1,
  high: 2,
  deforestation_found: 2,
  unknown: null,
  not_a_plot: null,
} as const;

/** By the verdict, then by the one map, then by what was lost. */
function directionOf(before: Compared, after: Compared): PlotChange['direction'] {
  const scales: readonly (readonly [number | null, number | null])[] = [
    [gravity(before.verdict), gravity(after.verdict)],
    [GRAVITY[before.eudrStatus], GRAVITY[after.eudrStatus]],
    [before.lossM2, after.lossM2],
  ];
  const decisive = scales.find(([old, now]) => old !== null && now !== null && old !== now);
  if (decisive === undefined) return 'other';
  return decisive[1]! > decisive[0]! ? 'worse' : 'better';
}

function gravity(verdict: Compared['verdict']): number | null {
  return verdict === null ? null : GRAVITY[verdict];
}
