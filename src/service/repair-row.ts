import type { PreparedRow } from '../locations/normalize-file.ts';
import type { Overlay } from '../locations/plots/geos.ts';
import { repairGeometry } from '../locations/plots/repair-geometry.ts';
import { byGravity, locationWarning } from '../locations/warnings.ts';

export interface RepairedRow {
  readonly row: PreparedRow;
  /** What was changed; null where nothing was. */
  readonly log: readonly string[] | null;
}

/** A row whose geometry can be used, where that was asked for and can be done. */
export function repairRow(row: PreparedRow, repair: boolean, overlay: Overlay): RepairedRow {
  const fixed = repair && row.location.geometry !== null ? repairGeometry(row.location.geometry, overlay) : null;
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
