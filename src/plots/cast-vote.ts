import { CUT_OFF } from '../monitoring-days.ts';
import { round } from '../geo/round.ts';
import type { Evidence, EvidenceSource, PlotAlerts } from './evidence.ts';
import { INDICATOR_RULES, VOTE_THRESHOLDS } from './indicators.ts';

export const VOTE_STATES = ['yes', 'no', 'unknown'] as const;
export type VoteState = (typeof VOTE_STATES)[number];

/** What one dataset says of one question about a plot. */
export interface Vote extends EvidenceSource {
  readonly state: VoteState;
  /** Why it is unknown, or is not counted; else null. */
  readonly reason: string | null;
  /** Hectares for which the answer is yes, and their share of the plot; null: unknown. */
  readonly areaHa: number | null;
  readonly share: number | null;
  /** The share of the plot where the dataset has data. */
  readonly coveredShare: number;
  /** Whole years from the last day of its data to the day of the verdict; null: no date is stated. */
  readonly ageYears: number | null;
  /** Whether the verdict depends on it. What is not counted neither speaks for nor against the plot. */
  readonly counts: boolean;
}

/** The plot that is voted on, and the day for which. */
export interface VotedPlot {
  readonly areaHa: number;
  readonly ground: 'polygon' | 'circle';
  /** `YYYY-MM-DD`. */
  readonly until: string;
}

/** A share from which on a plot counts as covered: rounding of edges takes less. */
const WHOLE = 0.999;
/** As in the verdict of one map: less than a pixel of 30 m (hectares) and than this share of a plot is its edge, which nobody can decide. */
const PIXEL_HA = 0.09;
const EDGE_SHARE = 0.05;
/** Hectares of one square metre: on less nothing can be found. */
const LEAST_HA = 0.0001;
/** The year in which the published trees begin to count losses. */
const FIRST_YEAR = 2001;
const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));
/** Maps of losses appear in the year after the last one they cover. */
const MAX_LAG_YEARS = 1;

/**
 * Turns what was measured into a vote. Yes and no are both proven: the part without data is taken as the answer that would
 * change the vote, and where it could, the vote is unknown.
 */
export function castVote(evidence: Evidence, plot: VotedPlot): Vote {
  const { reason, yesHa, coveredShare, alerts, ...source } = {
    reason: null,
    yesHa: null,
    coveredShare: 0,
    alerts: null,
    ...evidence,
  };
  const about = { ...source, coveredShare, ageYears: ageOf(source.date, plot.until) };
  const rest = untimely(source, plot.until);
  if (yesHa === null)
    return { ...about, state: 'unknown', reason: sentence(reason), areaHa: null, share: null, counts: rest === null };
  const share = Math.min(1, yesHa / plot.areaHa);
  const measured = { ...about, areaHa: round(yesHa, 4), share: round(share, 4) };
  if (alerts !== null) return { ...measured, ...stateOfAlerts(source, yesHa, coveredShare, alerts, plot) };
  const [state, why] = stateOf(source, yesHa, share, coveredShare, plot);
  // What cannot answer the question neither does so nor keeps those that can from answering it.
  const unfit = (state === 'yes' ? null : rest) ?? tooLate(source, state);
  if (unfit !== null) return { ...measured, state: 'unknown', reason: unfit, counts: false };
  return { ...measured, state, reason: why, counts: true };
}

function stateOf(
  source: EvidenceSource,
  yesHa: number,
  share: number,
  coveredShare: number,
  { ground, areaHa }: VotedPlot,
): readonly [VoteState, string | null] {
  if (areaHa < LEAST_HA) return ['unknown', `The plot has ${areaHa.toFixed(6)} ha, on which nothing can be found.`];
  const { dataset, indicator } = source;
  const { direction } = INDICATOR_RULES[indicator];
  const { yesAbove, noUpTo } = VOTE_THRESHOLDS[ground][direction];
  const most = coveredShare >= WHOLE ? share : share + 1 - coveredShare;
  const state = share > yesAbove ? 'yes' : most <= noUpTo ? 'no' : 'unknown';
  if (state === 'yes' && yesHa < PIXEL_HA && share < EDGE_SHARE)
    return ['unknown', `${hectares(yesHa)} is less than one pixel of 30 m: look at the edge of the plot.`];
  if (state !== 'unknown') return [state, null];
  if (share > noUpTo)
    return ['unknown', `${percent(share)} of the circle around the point: its outline decides whether it is the plot.`];
  return ['unknown', `${dataset} covers ${percent(coveredShare)} of the plot.`];
}

/**
 * Alerts that are sure are a yes, and others raise a doubt. Where there is none the vote is not counted: nobody knows since when a
 * map of alerts has looked at a place, so that it never clears a plot.
 */
function stateOfAlerts(
  source: EvidenceSource,
  yesHa: number,
  coveredShare: number,
  { doubtfulHa, years }: PlotAlerts,
  plot: VotedPlot,
): Pick<Vote, 'state' | 'reason' | 'counts'> {
  const { dataset } = source;
  const when = years === null ? '' : `, seen first in ${years[0] === years[1] ? years[0] : years.join(' to ')}`;
  const stateOfArea = (hectares: number) =>
    stateOf(source, hectares, Math.min(1, hectares / plot.areaHa), coveredShare, plot);
  const [state, why] = stateOfArea(yesHa);
  if (state === 'yes') return { state, reason: why, counts: true };
  const alertedHa = yesHa + doubtfulHa;
  const { noUpTo } = VOTE_THRESHOLDS[plot.ground].against;
  if (alertedHa / plot.areaHa > noUpTo) {
    const [together, edge] = stateOfArea(alertedHa);
    const reason = `${dataset} has alerts on ${percent(Math.min(1, alertedHa / plot.areaHa))} of the plot${when}. How sure they are is not known.`;
    return { state: 'unknown', reason: together === 'yes' ? reason : edge, counts: true };
  }
  const some =
    alertedHa > 0 ? `alerts on ${percent(alertedHa / plot.areaHa)} of the plot${when}` : 'no alert on the plot';
  const where = coveredShare >= WHOLE ? '' : ` and covers ${percent(coveredShare)} of it`;
  return {
    state: 'unknown',
    reason: `${dataset} has ${some}${where}, which does not say that nothing was lost.`,
    counts: false,
  };
}

/** Why a map of a later day cannot say what was there on 2020-12-31: what it shows may have come, or gone, since. Null: it can. */
function tooLate({ indicator, dataset, date }: EvidenceSource, state: VoteState): string | null {
  const { direction, ofCutOff } = INDICATOR_RULES[indicator];
  if (!ofCutOff || direction === 'shown' || (date !== null && Number(date.slice(0, 4)) <= CUT_OFF_YEAR)) return null;
  // What clears a plot may be younger than the cut-off; what speaks against it may have gone since.
  if (state !== (direction === 'clears' ? 'yes' : 'no')) return null;
  const when = date === null ? 'does not say of when it is' : `is of ${date}`;
  return `${dataset} ${when}, and cannot say what was there on ${CUT_OFF}.`;
}

/** Why a map of years that says "no" is not counted: the years it covers are not those of the question. Null: they are. */
function untimely({ indicator, dataset, years }: EvidenceSource, until: string): string | null {
  if (years === undefined) return null;
  const [first, last] = years;
  const covers = `${dataset} covers losses from ${first} to ${last}.`;
  if (indicator === 'disturbance_before_2020') return first > FIRST_YEAR ? covers : null;
  if (indicator !== 'disturbance_after_2020') return null;
  const isLate = first > CUT_OFF_YEAR + 1;
  return isLate || Number(until.slice(0, 4)) - last > MAX_LAG_YEARS ? covers : null;
}

function ageOf(date: string | null, until: string): number | null {
  return date === null ? null : Math.max(0, Number(until.slice(0, 4)) - Number(date.slice(0, 4)));
}

function sentence(reason: string | null): string | null {
  return reason === null ? null : /[.!?]$/.test(reason) ? reason : `${reason}.`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function hectares(value: number): string {
  return `${round(value, 4)} ha`;
}
