import type { PlotStatistics } from '../../collections/plot-record.ts';
import { judgeAgain, type JudgedLocation } from './locations.ts';
import { forestFinding } from '../forest/finding.ts';

/**
 * Validated locations with the check of deforestation that their statistics give, up to the end of the batch's monitoring period,
 * as the fetch endpoint says it. `statistics` has one entry a location, or none at all; null: it was not measured.
 */
export function withFindings(
  locations: readonly JudgedLocation[],
  statistics: readonly (PlotStatistics | null)[],
  monitoringEnd: string,
): readonly JudgedLocation[] {
  return locations.map((location, i) => {
    const measured = statistics[i] ?? null;
    const finding = measured === null ? null : forestFinding(measured, monitoringEnd);
    return finding === null ? location : judgeAgain(location, finding);
  });
}
