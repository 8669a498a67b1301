import type { LonLat } from '../geo/shapes/shape.ts';
import type { Query } from './query.ts';
import type { CountryRef, FacilitySources } from './sources.ts';
import { whenReady, type MaybePromise } from '../maybe-promise.ts';

/**
 * The country that holds an unusable position when its two numbers change places, or null: its second number is no
 * latitude either way, the other way round it lies in no country, or not in the one the input states.
 */
export function swappedPlace(
  geometry: unknown,
  stated: string | null,
  sources: Pick<FacilitySources, 'whereabouts' | 'countryCode'>,
  query: Query,
): MaybePromise<CountryRef | null> {
  const at = swappedPosition(firstPosition(geometry));
  if (at === null) return null;
  return whenReady(
    query('country', () => sources.whereabouts(at)),
    (result) => {
      const country = result.dataset === null ? null : result.value.country;
      const wanted = stated === null ? null : sources.countryCode(stated);
      return country === null || (wanted !== null && wanted !== country.iso2) ? null : country;
    },
  );
}

function swappedPosition([lon, lat]: readonly unknown[]): LonLat | null {
  if (typeof lon !== 'number' || typeof lat !== 'number') return null;
  return Math.abs(lon) <= 90 && Math.abs(lat) > 90 && Math.abs(lat) <= 180 ? [lat, lon] : null;
}

/** The first position of a geometry of any type, or what stands in its place. */
function firstPosition(geometry: unknown): readonly unknown[] {
  let value: unknown = (geometry as { readonly coordinates?: unknown } | null)?.coordinates;
  while (Array.isArray(value) && Array.isArray(value[0])) value = value[0];
  return Array.isArray(value) ? value : [];
}
