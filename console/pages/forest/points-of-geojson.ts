import type { Place } from './lookup.ts';

/** The points of a GeoJSON text, features without one left out; null when it is no GeoJSON. */
export function pointsOfGeojson(text: string): readonly Place[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return null;
  const { type, features } = parsed as { type: unknown; features?: unknown };
  const list = type === 'FeatureCollection' && Array.isArray(features) ? (features as unknown[]) : [parsed];
  return list.flatMap((item) => {
    const geometry = (item as { geometry?: unknown } | null)?.geometry ?? item;
    const { type: kind, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown };
    if (kind !== 'Point' || !Array.isArray(coordinates)) return [];
    const [lon, lat] = coordinates as unknown[];
    return typeof lon === 'number' && typeof lat === 'number' ? [{ lon, lat }] : [];
  });
}
