import type { FeatureCollection, Polygon } from 'geojson';
import { call, type Answer } from '../../api/client.ts';
import { patchStanding } from './patch-standing.ts';

export type ForestAnswer = Answer<'getForestResults'>;

export interface Place {
  readonly lon: number;
  readonly lat: number;
  /** What it was called where it comes from. */
  readonly name?: string;
}

/** Most points of one lookup. */
export const MAX_POINTS = 100;

/** The patches of some places, with their outlines before smoothing. */
export async function lookUp(
  places: readonly Place[],
  outputCrs: string | null,
  signal: AbortSignal,
): Promise<ForestAnswer> {
  const answer = await call('lookUpForestPolygons', {
    body: bodyOf(places, outputCrs),
    accept: 'application/geo+json, application/json;q=0.9',
    signal,
  });
  return answer as ForestAnswer;
}

/** Hands a batch over and gives the id of its task. */
export async function lookUpLater(places: readonly Place[], signal: AbortSignal): Promise<string> {
  const task = await call('lookUpForestPolygons', { query: { async_mode: true }, body: bodyOf(places, null), signal });
  return (task as { task_id: string }).task_id;
}

function bodyOf(places: readonly Place[], outputCrs: string | null) {
  return {
    features: places.map(({ lon, lat, name = '' }, i) => ({
      type: 'Feature' as const,
      id: i + 1,
      geometry: { type: 'Point' as const, coordinates: [lon, lat] },
      properties: name === '' ? {} : { name },
    })),
    raw_outline: true,
    ...(outputCrs === null ? {} : { output_crs: outputCrs }),
  };
}

/** `latitude,longitude` of an address, or null. */
export function readPlace(text: string | null): Place | null {
  const [lat, lon, ...rest] = (text ?? '').split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (lat === undefined || lon === undefined || rest.length > 0) return null;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lon, lat } : null;
}

export function writePlace({ lon, lat }: Place): string {
  return `${Number(lat.toFixed(6))},${Number(lon.toFixed(6))}`;
}

/** The marks of places: in a patch, in none, and not looked at. */
export const STANDING_LOOKS = { found: 'high', none: 'invalid', unknown: 'unverified' } as const;

/** What a place was called by whoever looked it up; empty where it had no name. */
export function nameOf(properties: Readonly<Record<string, unknown>>): string {
  const name = properties['name'];
  return typeof name === 'string' ? name : '';
}

/** What an answer draws: patches by their numbers, outlines before smoothing, and the points looked up. */
export function drawn({ features }: ForestAnswer): Readonly<Record<'patches' | 'raw' | 'points', FeatureCollection>> {
  const collection = (list: FeatureCollection['features']): FeatureCollection => ({
    type: 'FeatureCollection',
    features: list,
  });
  return {
    patches: collection(
      features.flatMap(({ geometry }, index) =>
        geometry === null ? [] : [{ type: 'Feature', properties: { index }, geometry: geometry as Polygon } as const],
      ),
    ),
    raw: collection(
      features.flatMap(({ properties }, index) =>
        properties.raw_outline === undefined || properties.raw_outline === null
          ? []
          : [
              {
                type: 'Feature',
                properties: { index },
                geometry: properties.raw_outline as unknown as Polygon,
              } as const,
            ],
      ),
    ),
    points: collection(
      features.flatMap(({ geometry, properties }, index) =>
        properties.input_point === null
          ? []
          : [
              {
                type: 'Feature',
                properties: {
                  index,
                  crowded: false,
                  look: STANDING_LOOKS[patchStanding({ geometry, properties })],
                  name: nameOf(properties),
                },
                geometry: { type: 'Point', coordinates: properties.input_point },
              } as const,
            ],
      ),
    ),
  };
}

/** Coordinate systems that fit a place: degrees, its UTM zone and the one of web maps. */
export function crsChoices({ lon, lat }: Place): readonly string[] {
  const zone = Math.min(60, Math.floor((lon + 180) / 6) + 1);
  return ['EPSG:4326', `EPSG:${(lat < 0 ? 32_700 : 32_600) + zone}`, 'EPSG:3857'];
}
