import type { NormalizedLocation } from '../../locations/normalized.ts';
import { comparable, createBatchIndex, type BatchIndex } from '../../locations/plots/batch-index.ts';
import type { Overlay } from '../../locations/plots/geos.ts';
import type { OpenedLocations } from '../locations/locations.ts';
import { processingOf } from './evaluate-location.ts';
import { repairRow, type RepairMode } from './repair-row.ts';

/** Locations at the beginning of a file that were validated before, and are not again. */
export interface ValidatedBefore {
  readonly count: number;
  /** As they were then. */
  readonly locations: () => AsyncIterable<Pick<NormalizedLocation, 'geometry' | 'properties'>>;
}

/** What the locations of a file have to do with each other; goes through all of them. */
export async function indexLocations(
  opened: OpenedLocations,
  overlay: Overlay,
  repair: RepairMode,
  before: ValidatedBefore,
  signal: AbortSignal,
): Promise<BatchIndex> {
  const index = createBatchIndex();
  let at = 0;
  const add = (location: Pick<NormalizedLocation, 'geometry' | 'properties'>): void => {
    const { location_type: type, location_id: id, source_row: row } = location.properties;
    const found = location.geometry === null ? null : comparable(location.geometry);
    if (id !== null) index.addId(at, row, id);
    // One that is known only to its region or country stands nowhere that a distance could be measured to.
    if (found !== null && type === 'facility' && processingOf(location) === 'processed')
      index.addFacility(found.shape.inside, row);
    if (found !== null && type === 'plot') {
      const { area_ha: area } = location.properties;
      index.addPlot({ index: at, row, ...found, statedHa: area !== null && area > 0 ? area : null });
    }
    at++;
  };
  for await (const location of before.locations()) {
    signal.throwIfAborted();
    add(location);
  }
  const { watch } = opened;
  for await (const prepared of opened.prepared.rows(signal, before.count)) {
    if (prepared.aside === null) watch.beginLocation('comparing', at);
    add(repairRow(prepared, repair, overlay).row.location);
    watch.begin(null);
  }
  return index.finish(overlay);
}
