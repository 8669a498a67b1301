import { hash } from 'node:crypto';
import { round } from '../../geo/round.ts';
import type { Verdict } from '../../plots/trees.ts';
import type { Collection } from '../collection.ts';
import { convergenceOf } from '../fetch/convergence.ts';
import type { EUDR_STATUSES } from '../fetch/eudr-verdict.ts';
import { lastDayKnown, plotVerdict } from '../fetch/plot-verdict.ts';
import type { PlotRecord, PlotStatistics } from '../plot-record.ts';
import { checkDeforestation } from '../statistics/deforestation.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';

/** What was found of a plot, as far as it is compared with what is found later. */
export interface PlotFinding {
  /** Place in the collection, from 0. */
  readonly number: number;
  /** Its own id, as the file has it. */
  readonly plot: string;
  /**
   * A hash of it. With the place it says which plot this is: where the file is read otherwise (columns, sheets), a place holds
   * another one. Missing in what was stored by versions that went by the place alone.
   */
  readonly geometry?: string;
  /** By all sources together; null where no evidence was gathered. */
  readonly verdict: Verdict | null;
  /** By one map of forest and one of losses. */
  readonly eudrStatus: (typeof EUDR_STATUSES)[number];
  /** Square metres of the forest of 2020-12-31 that were lost after it; null: not known. */
  readonly lossM2: number | null;
  /** Rules of the decision tree that decided. */
  readonly rules: readonly string[];
  /** Datasets that have data on the plot. */
  readonly heard: readonly string[];
}

/** A finding of now, with the datasets that gave nothing, and why. */
export interface PresentFinding extends PlotFinding {
  readonly geometry: string;
  readonly silent: readonly { readonly dataset: string; readonly reason: string }[];
  /** Why nothing at all was measured; null where something was. */
  readonly problem: string | null;
}

/** What is found of a plot; null for a facility. */
export function plotFinding(record: PlotRecord, collection: Pick<Collection, 'options'>): PresentFinding | null {
  if (record.locationType !== 'plot') return null;
  const { number, feature, statistics, problem } = record;
  const plot = String(feature.id ?? feature.properties['location_id'] ?? number + 1);
  const geometry = hash('sha1', JSON.stringify(feature.geometry ?? null), 'base64');
  const place = { number, plot, geometry };
  const nothing = { ...place, verdict: null, eudrStatus: 'unknown', lossM2: null, rules: [], heard: [] } as const;
  if (statistics === null) return { ...nothing, silent: [], problem: problem ?? 'The plot was not measured.' };
  const period = periodOf(statistics, collection);
  const check = checkDeforestation(statistics, period);
  const { eudr_status: eudrStatus } = plotVerdict(check, statistics, period, lastDayKnown(statistics, period));
  const convergence = convergenceOf(record, collection, period);
  const { noncompliance_area_ha: loss } = check;
  return {
    ...nothing,
    verdict: convergence?.verdict ?? null,
    eudrStatus,
    lossM2: loss === null ? null : round(loss * 10_000, 0),
    rules: convergence?.rules ?? [],
    heard: heardOf(statistics),
    silent: (statistics.evidence ?? []).flatMap((one) =>
      'reason' in one ? [{ dataset: one.dataset, reason: one.reason }] : [],
    ),
    problem: null,
  };
}

/** The period of the batch, to the end of the losses that are known: what is found depends on no clock. */
function periodOf({ losses }: PlotStatistics, { options }: Pick<Collection, 'options'>): MonitoringPeriod {
  const { monitoringStart: start, monitoringEnd: end } = options!;
  const known = losses.find((loss) => loss.status === 'measured');
  const last = known === undefined ? end : `${known.years[1]}-12-31`;
  return { start, end: last > end ? last : end };
}

function heardOf({ baseline, losses, evidence = [] }: PlotStatistics): readonly string[] {
  const measured = [baseline, ...losses].flatMap((one) => (one.status === 'measured' ? [one.dataset] : []));
  const voted = evidence.flatMap((one) => ('yesHa' in one ? [one.dataset] : []));
  return [...new Set([...measured, ...voted])].toSorted();
}
