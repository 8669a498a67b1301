import { findCrs } from '../geo/crs/find-crs.ts';
import { lonLatFrom } from '../geo/crs/open-projection.ts';
import type { Geometry, Position } from '../geo/geometry.ts';
import type { Doubt } from './crs-of-row.ts';

/** Numbers beyond this are no degrees, however wrong. */
const NO_DEGREES = 360;

/** What is known of the coordinate system of a geometry that stands in the file. */
interface StatedCrs {
  /** That of a column of the row, or of the request; a UTM zone needs the northing to know its hemisphere. */
  crsAt(northing: number): string | null;
  /** The format could have named a system, and the file names none. */
  readonly isUnnamed: boolean;
}

interface Placed {
  /** On WGS84; null where it could not be taken there. */
  readonly geometry: unknown;
  /** Whether its numbers were taken for degrees because nobody says what they are. */
  readonly isAssumed: boolean;
}

/**
 * A geometry as it stands in the file on WGS84. What the file says nothing of is in the system of the request, and so are
 * numbers that can be no degrees; null, with a doubt, where nobody says which system these are in.
 */
export function placeGeometry(geometry: unknown, { crsAt, isUnnamed }: StatedCrs, doubt: Doubt): Placed {
  const first = firstPosition(geometry);
  if (first === null) return { geometry, isAssumed: isUnnamed };
  const [x, y] = first;
  const isFar = Math.abs(x) > NO_DEGREES || Math.abs(y) > NO_DEGREES;
  if (!isFar && !isUnnamed) return { geometry, isAssumed: false };
  const crs = crsAt(y);
  if (crs === null) {
    if (!isFar) return { geometry, isAssumed: true };
    doubt('crs_unknown', null, { x, y });
    return NOWHERE;
  }
  const found = findCrs(crs);
  if ('refused' in found) {
    doubt('crs_refused', null, { reason: found.refused });
    return NOWHERE;
  }
  // Degrees are not metres of that system, whatever was said.
  if (!isFar && !found.definition.includes('+proj=longlat')) return { geometry, isAssumed: true };
  const placed = lonLatFrom(found)(geometry as Geometry);
  if (firstPosition(placed)!.every(Number.isFinite)) return { geometry: placed, isAssumed: false };
  doubt('crs_refused', null, { reason: `${x}, ${y} lies outside ${found.name}` });
  return NOWHERE;
}

const NOWHERE: Placed = { geometry: null, isAssumed: false };

/** Null where the geometry has none, or is none. */
function firstPosition(geometry: unknown): Position | null {
  const { coordinates, geometries } = (geometry ?? {}) as { coordinates?: unknown; geometries?: unknown };
  if (Array.isArray(geometries)) {
    for (const member of geometries) {
      const found = firstPosition(member);
      if (found !== null) return found;
    }
    return null;
  }
  let at = coordinates;
  while (Array.isArray(at)) {
    if (typeof at[0] === 'number' && typeof at[1] === 'number') return [at[0], at[1]];
    at = at[0] as unknown;
  }
  return null;
}
