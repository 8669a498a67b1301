import type { StagedRow } from '../../locations/normalize-file.ts';
import type { Overlay } from '../../locations/plots/geos.ts';
import { repairGeometry } from '../../locations/plots/repair-geometry.ts';
import { byGravity, locationWarning } from '../../locations/warnings.ts';

export interface RepairedRow<R extends StagedRow = StagedRow> {
  readonly row: R;
  /** What was changed; null where nothing was. */
  readonly log: readonly string[] | null;
}

/** Whether geometries are repaired: not at all, where validation was not requested; what is plainly meant; or whatever can be. */
export type RepairMode = boolean | 'trusted';

/** A row whose geometry can be used, where that was requested and can be done. */
export function repairRow<R extends StagedRow>(row: R, repair: RepairMode, overlay: Overlay): RepairedRow<R> {
  const { geometry } = row.location;
  const isWanted = repair !== false && geometry !== null && !row.isSound;
  const fixed = isWanted ? repairGeometry(geometry, overlay, repair === 'trusted') : null;
  if (fixed === null) return { row, log: null };
  const { properties } = row.location;
  const warning = locationWarning(
    'geometry_repaired',
    { row: properties.source_row },
    { changes: fixed.log.join('; ') },
  );
  const others = properties.warnings.filter(({ code }) => code !== 'invalid_geometry');
  const location = {
    ...row.location,
    geometry: fixed.geometry,
    properties: { ...properties, warnings: byGravity([...others, warning]) },
  };
  return { row: { ...row, location }, log: fixed.log };
}
