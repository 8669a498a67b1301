import type { PlotRecord } from '../plot-record.ts';
import { rounded } from './rounded.ts';

interface Ground {
  /** Hectares of the ground that was measured; for what was not, the area its file or outline states, or null. */
  readonly area_ha: number | null;
  /** `circle`: a circle of the stated area around a point. Null: not measured. */
  readonly measured_ground: 'polygon' | 'circle' | null;
}

/** The ground that the numbers of a plot are about. */
export function groundOf({ statistics, feature }: PlotRecord): Ground {
  // Statistics of a geometry without ground say why nothing was measured, with an area of 0 that is none.
  if (statistics !== null && statistics.areaHa > 0)
    return { area_ha: rounded(statistics.areaHa), measured_ground: statistics.ground };
  const stated = feature.properties['area_ha'];
  return { area_ha: typeof stated === 'number' ? stated : null, measured_ground: null };
}
