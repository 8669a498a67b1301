import type { Counted } from '../../collections/batch-summary.ts';
import type { Collection } from '../../collections/collection.ts';
import { fitPlot, isExported } from '../../collections/due-diligence/fit-plot.ts';
import { groupOf } from '../../collections/due-diligence/group-of.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import { countryCode } from '../../readers/built-in/country-code.ts';
import { reportPeriod } from './due-diligence.ts';

/** A location as it is kept, and what it counts as. */
interface GroupedRecord extends Counted {
  readonly record: PlotRecord;
}

export type GroupRecord = (record: PlotRecord) => GroupedRecord;

/** Holds each location of a batch to the rules of its report, so that both count the same. */
export async function openGrouping(
  collection: Pick<Collection, 'options' | 'file' | 'createdAt'>,
): Promise<GroupRecord> {
  const period = reportPeriod({ ...collection, completedAt: null });
  const parts = { geometry: await openOverlay(), isCountry: (code: string) => countryCode(code) === code };
  return (record) => {
    const plot = fitPlot(record, collection, period, parts);
    return {
      record: record.locationType === 'plot' ? { ...record, fit: isExported(plot) } : record,
      group: groupOf(plot),
      isMeasured: plot.verdict !== null && plot.verdict.eudr_status !== 'unknown',
    };
  };
}
