import type { FeatureCollection } from 'geojson';

/** West, south, east and north of everything in some collections, or null when there is nothing. */
export function boundsOf(collections: readonly FeatureCollection[]): readonly [number, number, number, number] | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    const [lon, lat] = value as unknown[];
    if (typeof lon !== 'number' || typeof lat !== 'number') return value.forEach(visit);
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  };
  for (const { features } of collections)
    for (const { geometry } of features)
      if (geometry !== null && 'coordinates' in geometry) visit(geometry.coordinates);
  return west > east ? null : [west, south, east, north];
}
