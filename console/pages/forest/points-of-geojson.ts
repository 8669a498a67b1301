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
    if (typeof lon !== 'number' || typeof lat !== 'number') return [];
    const name = nameOf(item);
    return [{ lon, lat, ...(name === '' ? {} : { name }) }];
  });
}

/** What a feature is called: its `name` in any letters, else its id. */
function nameOf(item: unknown): string {
  const { properties, id } = (item ?? {}) as { properties?: unknown; id?: unknown };
  const entries = Object.entries((properties ?? {}) as Record<string, unknown>);
  const [, name = id] = entries.find(([key, value]) => /^name$/i.test(key) && value !== null && value !== '') ?? [];
  return typeof name === 'string' || typeof name === 'number' ? String(name).trim().slice(0, 200) : '';
}
