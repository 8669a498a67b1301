import type { NormalizedLocation } from '../../locations/normalized.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { createBatchIndex, type BatchIndex } from '../../locations/plots/batch-index.ts';
import type { Overlay } from '../../locations/plots/geos.ts';
import type { OpenedLocations } from '../locations/locations.ts';
import { processingOf } from './evaluate-location.ts';
import { repairRow, type RepairMode } from './repair-row.ts';

/** Locations at the beginning of a file that were validated before, and are not again. */
export interface ValidatedBefore {
  readonly count: number;
  /** As they were then. */
  readonly locations: () => AsyncIterable<IndexedLocation>;
}

type IndexedLocation = Pick<NormalizedLocation, 'geometry' | 'properties'>;

/** Adds a plot by the shape that its geometry has; nothing without one. */
export function addPlot(
  batch: Pick<ReturnType<typeof createBatchIndex>, 'addPlot'>,
  index: number,
  { geometry, properties: { source_row: row, area_ha: area } }: IndexedLocation,
  shape: Shape | null,
): void {
  const statedHa = area !== null && area > 0 ? area : null;
  if (shape !== null) batch.addPlot({ index, row, geometry: geometry as Geometry, shape, statedHa });
}

/** What the locations of a file have to do with each other; goes through all of them. */
export async function indexLocations(
  opened: OpenedLocations,
  overlay: Overlay,
  repair: RepairMode,
  before: ValidatedBefore,
  signal: AbortSignal,
): Promise<BatchIndex> {
  const index = createBatchIndex(overlay);
  let at = 0;
  const add = (location: IndexedLocation): void => {
    const { location_type: type, location_id: id, source_row: row } = location.properties;
    if (id !== null) index.addId(at, row, id);
    // One that is known only to its region or country stands nowhere that a distance could be measured to.
    const { shape } = toShape(location.geometry as Geometry | null);
    if (shape !== null && type === 'facility' && processingOf(location) === 'processed')
      index.addFacility(shape.inside, row);
    if (type === 'plot') addPlot(index, at, location, shape);
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
  return index;
}
