import { findingGroup, type PlotGroup } from '../plot-group.ts';
import { isFit } from './finding.ts';
import { isExported, type FittedPlot } from './fit-plot.ts';

/** The group of a location in an export: as everywhere, and apart from that what its caller left out. */
export function groupOf(plot: FittedPlot): PlotGroup {
  const { record, verdict, convergence, findings } = plot;
  if (record.locationType === 'facility') return 'facility';
  if (!isExported(plot))
    return isFit(findings) && findings.some(({ rule }) => rule === 'excluded') ? 'excluded' : 'left_out';
  return findingGroup(verdict?.eudr_status ?? 'unknown', convergence?.verdict ?? null);
}
