import type { NormalizedLocation } from '../../locations/normalized.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { createBatchIndex, type BatchIndex, type BatchPlot } from '../../locations/plots/batch-index.ts';
import type { Overlay } from '../../locations/plots/geos.ts';
import type { OpenedLocations } from '../locations/locations.ts';
import { processingOf } from './evaluate-location.ts';
import { repairRow, type RepairMode } from './repair-row.ts';

type IndexedLocation = Pick<NormalizedLocation, 'geometry' | 'properties'>;
type GrowingIndex = ReturnType<typeof createBatchIndex>;
type PlotIndex = { addPlot(plot: BatchPlot): void };

/** Adds a plot by the shape that its geometry has; nothing without one. */
export function addPlot(
  batch: PlotIndex,
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
  signal: AbortSignal,
): Promise<BatchIndex> {
  const index = createBatchIndex(overlay);
  let at = 0;
  for await (const prepared of opened.prepared.rows(signal)) {
    if (prepared.aside === null) opened.watch.beginLocation('comparing', at);
    indexLocation(index, at++, repairRow(prepared, repair, overlay).row.location);
    opened.watch.begin(null);
  }
  return index;
}

/** Adds what others of its batch are compared with: its id, its place where it is a facility, its ground where it is a plot. */
export function indexLocation(
  index: Pick<GrowingIndex, 'addId' | 'addFacility'> & PlotIndex,
  at: number,
  location: IndexedLocation,
): void {
  const { location_type: type, location_id: id, source_row: row } = location.properties;
  if (id !== null) index.addId(at, row, id);
  // One that is known only to its region or country stands nowhere that a distance could be measured to.
  const { shape } = toShape(location.geometry as Geometry | null);
  if (shape !== null && type === 'facility' && processingOf(location) === 'processed')
    index.addFacility(shape.inside, row);
  if (type === 'plot') addPlot(index, at, location, shape);
}
