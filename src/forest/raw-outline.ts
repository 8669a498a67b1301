import type { Polygon } from '../geo/geometry.ts';
import { latticeProjection } from '../geo/outline/lattice.ts';
import { toPolygon } from '../geo/outline/rings.ts';
import type { FoundPatch } from './answer.ts';

/** The outline of a segment along its cells, before any smoothing, in degrees. */
export function rawOutline({ corners, lattice }: Pick<FoundPatch, 'corners' | 'lattice'>): Polygon {
  const degrees = new Float64Array(corners.coords.length);
  const { originX, originY, cellWidth, cellHeight, crs } = lattice;
  const projection = latticeProjection(crs);
  for (let i = 0; i < degrees.length; i += 2)
    projection.toLonLat(
      originX + (corners.coords[i] ?? 0) * cellWidth,
      originY - (corners.coords[i + 1] ?? 0) * cellHeight,
      degrees,
      i,
    );
  return toPolygon({ coords: degrees, starts: corners.starts });
}
