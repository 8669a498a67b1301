import type { PlotStatistics } from '../../collections/plot-record.ts';

/** The statistics of a geometry that has no ground: nothing is known, and why. */
export function unmeasured(reason: string): PlotStatistics {
  const none = { status: 'unknown', reason } as const;
  return { areaHa: 0, ground: 'polygon', baseline: none, losses: [none], biomass: none, diversity: none, evidence: [] };
}
