import type { Evidence, Finding, Indicator } from './evidence.ts';
import type { Findings } from '../run-checks.ts';
import { sentence } from './sentences.ts';
import type { Said } from '../../messages/said.ts';
import { penaltyHundredths, scoreHundredths } from '../score.ts';
import { BASES, PENALTIES, type ConfidenceBasis } from '../thresholds.ts';

/** How much of a score rests on what was looked at. Everything in whole hundredths. */
export interface Weighed {
  /** Part of the scored weight that was assessed, 0 to 100. */
  readonly coverage: number;
  /** The lowest and the highest score that the unknown indicators allow. */
  readonly lowest: number;
  readonly highest: number;
  readonly basis: ConfidenceBasis;
}

/** The weight of an indicator in hundredths: the most it can take off the score; 0 for what is never scored. */
function weightOf(indicator: Indicator): number {
  return WEIGHTS.get(indicator) ?? 0;
}

const WEIGHTS: ReadonlyMap<Indicator, number> = PENALTIES.reduce(
  (weights, { indicator, hundredths }) => weights.set(indicator, Math.max(hundredths, weights.get(indicator) ?? 0)),
  new Map<Indicator, number>(),
);

/**
 * How much of the score was assessed, and what the rest could make of it. An unknown indicator may turn out to be
 * anything from the value it is scored with to 1, and so may one that is known at least; a commodity whose country is
 * unknown may also be ruled out. A check that the caller switched off is not scored and so has no part in either.
 */
export function weighEvidence(found: Findings, hasRules: boolean): Weighed {
  const isRulingOpen = hasRules && found.country.status === 'unknown';
  const { commodity, poi, building, road, density } = found;
  const scored = [commodity, poi, building, road, density].filter(({ cause }) => cause !== 'not_requested');
  let [total, assessed, least, most] = [0, 0, 0, 0];
  for (const finding of scored) {
    const isOpen = isRulingOpen && finding.indicator === 'commodity_presence' && finding.status !== 'absent';
    const values = isOpen ? [0, ...possibleValues(finding)] : possibleValues(finding);
    const penalties = values.map((value) => penaltyHundredths(finding.indicator, value));
    const weight = weightOf(finding.indicator);
    total += weight;
    if (finding.status !== 'unknown' && finding.upTo === undefined && !isOpen) assessed += weight;
    least += Math.min(...penalties);
    most += Math.max(...penalties);
  }
  const coverage = Math.round((100 * assessed) / total);
  return { coverage, lowest: scoreHundredths([most]), highest: scoreHundredths([least]), basis: basisOf(coverage) };
}

/** The values a finding leaves open: one when it is settled. Those in between cost nothing that these do not. */
function possibleValues({ status, value, upTo }: Finding): readonly number[] {
  return status === 'unknown' ? [value, 1] : [value, upTo ?? value];
}

function basisOf(coverage: number): ConfidenceBasis {
  return BASES.find(({ from }) => coverage >= from)?.basis ?? 'unverified';
}

/** The weight that an entry of the receipt carries, 0 where it is not scored. */
export function evidenceWeight({ indicator, cause }: Finding): Evidence['weight'] {
  return cause === 'not_requested' ? 0 : weightOf(indicator) / 100;
}

/** How much of a score was looked at, and what the rest could make of it: a sentence that begins in lower case. */
export function weighedInWords({ coverage, lowest, highest, basis }: Weighed): Said {
  return lowest === highest
    ? sentence('weighed', { basis, coverage })
    : sentence('weighed_open', { basis, coverage, lowest_score: lowest / 100, highest_score: highest / 100 });
}
