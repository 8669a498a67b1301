import type { PlotStatistics } from '../collections/plot-record.ts';
import { judgeAgain } from './collection-locations.ts';
import type { LocationGroup } from './collection-parts.ts';
import { forestFinding } from './forest-finding.ts';

/**
 * Validated locations with the check of deforestation that their statistics give, up to the end of the batch's monitoring period,
 * as the fetch endpoint says it. `statistics` has one entry a location, or none at all; null: it was not measured.
 */
export function withFindings(
  { locations, texts }: LocationGroup,
  statistics: readonly (PlotStatistics | null)[],
  monitoringEnd: string,
): LocationGroup {
  const judged = locations.map((location, i) => {
    const measured = statistics[i] ?? null;
    const finding = measured === null ? null : forestFinding(measured, monitoringEnd);
    return finding === null ? location : judgeAgain(location, finding);
  });
  return {
    locations: judged,
    texts: judged.map(({ record }, i) => (record === locations[i].record ? texts[i] : JSON.stringify(record.feature))),
  };
}
