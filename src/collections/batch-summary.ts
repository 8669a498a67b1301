import type { CollectionCounts } from './collection.ts';
import type { LocationsConfidence, PlotRecord, PlotStatistics } from './plot-record.ts';

/** What some records of a batch add to its counts; small JSON. */
export interface PartSummary {
  readonly counts: CollectionCounts;
  readonly confidence: Readonly<Partial<Record<LocationsConfidence, number>>>;
  /** How many locations have each reason for a confidence below `high`. */
  readonly reasons: Readonly<Record<string, number>>;
}

interface BatchSummary {
  add(record: PlotRecord, reasons: readonly string[]): void;
  merge(part: PartSummary): void;
  result(): PartSummary;
}

const KINDS = ['locations', 'plots', 'facilities', 'measured', 'problems'] as const;

/** Counts the locations of a batch or of a part of it. */
export function createBatchSummary(): BatchSummary {
  const counts = { locations: 0, plots: 0, facilities: 0, measured: 0, problems: 0 };
  const confidence: Partial<Record<LocationsConfidence, number>> = {};
  const reasons: Record<string, number> = Object.create(null);
  return {
    add(record, why) {
      counts.locations++;
      counts[record.locationType === 'plot' ? 'plots' : 'facilities']++;
      if (record.statistics !== null && isKnown(record.statistics)) counts.measured++;
      if (record.problem !== null) counts.problems++;
      if (record.confidence !== null) confidence[record.confidence] = (confidence[record.confidence] ?? 0) + 1;
      for (const reason of why) reasons[reason] = (reasons[reason] ?? 0) + 1;
    },
    merge(part) {
      for (const kind of KINDS) counts[kind] += part.counts[kind];
      for (const [level, count] of Object.entries(part.confidence) as [LocationsConfidence, number][])
        confidence[level] = (confidence[level] ?? 0) + count;
      for (const [reason, count] of Object.entries(part.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
    },
    result: () => ({ counts: { ...counts }, confidence: { ...confidence }, reasons: { ...reasons } }),
  };
}

/** Whether any dataset has data on the plot. */
function isKnown({ baseline, losses, biomass, diversity }: PlotStatistics): boolean {
  return [baseline, ...losses, biomass, diversity].some(({ status }) => status === 'measured');
}
