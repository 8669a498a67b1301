import type { PlotRecord, PlotStatistics, Losses, Measured } from '../plot-record.ts';
import type { Collection } from '../collection.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import { round } from '../../geo/round.ts';
import { CUT_OFF } from '../../monitoring-days.ts';
import { converge, type Convergence } from '../../plots/converge.ts';
import type { Evidence } from '../../plots/evidence.ts';
import { verdictText } from '../../plots/verdict-text.ts';
import { codesOf } from '../../messages/recognised/codes-of.ts';
import type { EudrVerdict } from './eudr-verdict.ts';
import type { Properties } from './view.ts';

type Measures = Pick<PlotStatistics, 'areaHa' | 'ground' | 'baseline' | 'losses' | 'evidence'>;

/** A part of a plot from which on it counts as covered. */
const WHOLE = 0.999;
const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

/** What all sources say of a plot, for the day a period ends; null for a facility, and where no evidence was gathered. */
export function convergenceOf(
  { locationType, statistics, commodity, feature }: PlotRecord,
  { options }: Pick<Collection, 'options'>,
  period: MonitoringPeriod,
): Convergence | null {
  if (locationType !== 'plot' || statistics?.evidence === undefined) return null;
  const { areaHa, ground, evidence } = statistics;
  const stated = feature.properties['commodity_type'];
  const crop = commodity ?? (typeof stated === 'string' ? stated : null) ?? options?.cropType ?? null;
  return converge([...evidence, ...singleMap(statistics)], crop, { areaHa, ground, until: period.end });
}

/** The check of one map of forest and one of losses as a vote among the others. */
function singleMap({ areaHa, baseline, losses }: Measures): Evidence[] {
  const loss = losses.find(
    (one): one is Extract<Measured<Losses>, { status: 'measured' }> => one.status === 'measured',
  );
  if (loss === undefined) return [];
  const { dataset, version, synthetic, years, coveredShare, lossHa, inBaselineHa } = loss;
  const source = {
    indicator: 'disturbance_after_2020',
    dataset: baseline.status === 'measured' ? `${dataset} in ${baseline.dataset}` : dataset,
    version: baseline.status === 'measured' ? `${version} in ${baseline.version}` : version,
    date: String(years[1]),
    synthetic,
    contract: 'derived',
    years,
  } as const;
  const lost = sumAfterCutOff(lossHa);
  const inside = inBaselineHa === null ? 0 : sumAfterCutOff(inBaselineHa);
  const isForestKnown = baseline.status === 'measured' && baseline.coveredShare >= WHOLE && inBaselineHa !== null;
  // What was lost where nobody knows of the forest may have been forest.
  const unknownShare = isForestKnown ? 0 : (lost - inside) / areaHa;
  return [{ ...source, yesHa: inside, coveredShare: Math.max(0, coveredShare - unknownShare) }];
}

function sumAfterCutOff(hectares: Readonly<Record<string, number>>): number {
  return Object.entries(hectares).reduce((sum, [year, value]) => (Number(year) > CUT_OFF_YEAR ? sum + value : sum), 0);
}

/** What each verdict is as the risk of the check of one map. */
const SAME_RISK = { low: ['low'], more_information_needed: ['medium', 'unknown'], high: ['high'] } as const;

/** The verdict of one map, whose comment says so where all sources together come to another one. */
export function withConvergence(verdict: EudrVerdict, convergence: Convergence | null): EudrVerdict {
  if (convergence === null || isSame(verdict, convergence)) return verdict;
  return { ...verdict, eudr_comment: `${verdict.eudr_comment} ${verdictText(convergence)}` };
}

/** Whether one map and all sources together come to the same. */
function isSame({ risk_level: risk }: EudrVerdict, { verdict }: Convergence): boolean {
  return (SAME_RISK[verdict] as readonly unknown[]).includes(risk);
}

/** The receipt as endpoints and exports give it. */
export function convergenceProperties(convergence: Convergence | null): Properties | null {
  if (convergence === null) return null;
  const { verdict, rules, isOpen, cropGroup, indicators, votes, wouldChange } = convergence;
  const comment = votes.some(({ synthetic }) => synthetic)
    ? `${verdictText(convergence)} From synthetic data that describes no real place.`
    : verdictText(convergence);
  return {
    verdict,
    crop_group: cropGroup,
    rules,
    is_open: isOpen,
    comment,
    ...codesOf({ comment }),
    indicators,
    votes: votes.map((vote) => ({
      indicator: vote.indicator,
      state: vote.state,
      dataset: vote.dataset,
      version: vote.version,
      date: vote.date,
      age_years: vote.ageYears,
      synthetic: vote.synthetic,
      contract: vote.contract,
      commodity: vote.commodity ?? null,
      embeddings: vote.embeddings ?? null,
      area_ha: vote.areaHa,
      share: vote.share,
      covered_share: round(vote.coveredShare, 4),
      counts: vote.counts,
      reason: vote.reason,
      ...codesOf({ reason: vote.reason }),
    })),
    would_change: wouldChange,
  };
}
