import type { CollectionCounts } from './collection.ts';
import { noGroups, PLOT_GROUPS, type PlotGroup } from './plot-group.ts';
import type { LocationsConfidence, PlotRecord } from './plot-record.ts';

/** What some records of a batch add to its counts; small JSON. */
export interface PartSummary {
  readonly counts: CollectionCounts;
  readonly confidence: Readonly<Partial<Record<LocationsConfidence, number>>>;
  /** How many locations have each reason for a confidence below `high`. */
  readonly reasons: Readonly<Record<string, number>>;
}

/** What a record counts as. */
export interface Counted {
  readonly group: PlotGroup;
  /** Whether anything is known of forest that was lost on it. */
  readonly isMeasured: boolean;
}

interface BatchSummary {
  add(record: PlotRecord, counted: Counted, reasons: readonly string[]): void;
  merge(part: PartSummary): void;
  result(): PartSummary;
}

const KINDS = ['locations', 'plots', 'facilities', 'measured', 'problems'] as const;

/** Counts the locations of a batch or of a part of it. */
export function createBatchSummary(): BatchSummary {
  const counts = { locations: 0, plots: 0, facilities: 0, measured: 0, problems: 0 };
  const groups = noGroups();
  // A part that an earlier version made says nothing of groups.
  let areGrouped = true;
  const confidence: Partial<Record<LocationsConfidence, number>> = {};
  const reasons: Record<string, number> = Object.create(null);
  return {
    add(record, { group, isMeasured }, why) {
      counts.locations++;
      counts[record.locationType === 'plot' ? 'plots' : 'facilities']++;
      groups[group]++;
      if (isMeasured) counts.measured++;
      if (record.problem !== null) counts.problems++;
      if (record.confidence !== null) confidence[record.confidence] = (confidence[record.confidence] ?? 0) + 1;
      for (const reason of why) reasons[reason] = (reasons[reason] ?? 0) + 1;
    },
    merge(part) {
      for (const kind of KINDS) counts[kind] += part.counts[kind];
      const { groups: more = null } = part.counts;
      areGrouped &&= more !== null;
      for (const group of PLOT_GROUPS) groups[group] += more?.[group] ?? 0;
      for (const [level, count] of Object.entries(part.confidence) as [LocationsConfidence, number][])
        confidence[level] = (confidence[level] ?? 0) + count;
      for (const [reason, count] of Object.entries(part.reasons)) reasons[reason] = (reasons[reason] ?? 0) + count;
    },
    result: () => ({
      counts: { ...counts, groups: areGrouped ? { ...groups } : null },
      confidence: { ...confidence },
      reasons: { ...reasons },
    }),
  };
}
