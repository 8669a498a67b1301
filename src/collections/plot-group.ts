import type { PlotRecord } from './plot-record.ts';

/** The groups of locations in the order of a summary; each location is in exactly one of them. */
export const PLOT_GROUPS = ['deforested', 'open', 'cleared', 'left_out', 'excluded', 'facility'] as const;
export type PlotGroup = (typeof PLOT_GROUPS)[number];

/** What a group is called wherever it is counted or shown. */
export const GROUP_WORDS = {
  deforested: 'Signs of deforestation',
  open: 'Not settled',
  cleared: 'No deforestation found',
  left_out: 'Not fit to submit',
  excluded: 'Left out on request',
  facility: 'Facility',
} as const satisfies Record<PlotGroup, string>;

/** Locations by group; one that has none is 0. */
export type GroupCounts = Readonly<Record<PlotGroup, number>>;

export function noGroups(): Record<PlotGroup, number> {
  return Object.fromEntries(PLOT_GROUPS.map((group) => [group, 0])) as Record<PlotGroup, number>;
}

/** What a group is decided by, next to what was found. */
type Grouped = Pick<PlotRecord, 'locationType' | 'fit'>;

/**
 * The group of a location: what became of it, and where it can be submitted what was found on it. By all sources `together`, or by
 * the `status` of one map where they were not gathered. Null in records of earlier versions, which do not say whether they are fit.
 */
export function plotGroup({ locationType, fit }: Grouped, status: string, together: string | null): PlotGroup | null {
  if (locationType === 'facility') return 'facility';
  if (fit === undefined) return null;
  return fit ? findingGroup(status, together) : 'left_out';
}

/** The group of a plot that can be submitted. */
export function findingGroup(status: string, together: string | null): 'deforested' | 'open' | 'cleared' {
  if (status === 'deforestation_found' || together === 'high') return 'deforested';
  const isClear = together === null ? status === 'no_deforestation_found' : together === 'low';
  return isClear ? 'cleared' : 'open';
}
