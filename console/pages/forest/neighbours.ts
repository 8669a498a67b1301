import type { FeatureCollection, Polygon, Position } from 'geojson';
import type { ForestAnswer, Place } from './lookup.ts';
import { patchStanding } from './patch-standing.ts';

/** Places that are looked up around a patch, and metres that they lie outside of it: two cells and a half. */
const PLACES = 48;
const AWAY_M = 50;
const M_PER_DEGREE = 111_320;

/** Places just outside of the outer ring of a patch, all the way around it. */
export function placesAround({ coordinates: [ring = []] }: Polygon): readonly Place[] {
  const [lon0 = 0, lat0 = 0] = ring[0] ?? [];
  const east = M_PER_DEGREE * Math.cos((lat0 * Math.PI) / 180);
  const flat = ring.map(([lon = 0, lat = 0]) => [(lon - lon0) * east, (lat - lat0) * M_PER_DEGREE] as const);
  const lengths = flat.slice(1).map(([x, y], i) => Math.hypot(x - flat[i]![0], y - flat[i]![1]));
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  if (whole === 0) return [];
  const side = areaOf(flat) > 0 ? 1 : -1;
  const found: Place[] = [];
  let [piece, begun] = [0, 0];
  for (let i = 0; i < PLACES; i++) {
    const along = ((i + 0.5) / PLACES) * whole;
    while (begun + lengths[piece]! < along) begun += lengths[piece++]!;
    const [[x0, y0], [x1, y1]] = [flat[piece]!, flat[piece + 1]!];
    const share = (along - begun) / lengths[piece]!;
    // To the right of a ring that runs against the clock.
    const [nx, ny] = [(side * (y1 - y0)) / lengths[piece]!, (-side * (x1 - x0)) / lengths[piece]!];
    const [x, y] = [x0 + share * (x1 - x0) + AWAY_M * nx, y0 + share * (y1 - y0) + AWAY_M * ny];
    found.push({ lon: round(lon0 + x / east), lat: round(lat0 + y / M_PER_DEGREE) });
  }
  return found;
}

function areaOf(ring: readonly (readonly [number, number])[]): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) sum += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1];
  return sum / 2;
}

function round(degrees: number): number {
  return Number(degrees.toFixed(6));
}

interface Neighbours {
  readonly patches: FeatureCollection;
  /** Of the places around: in another patch, in none, and those that could not be looked at. */
  readonly counts: { readonly places: number; readonly none: number; readonly unknown: number };
}

/** The patches among the answers around one, each once and without itself. */
export function neighboursOf({ features }: ForestAnswer, own: string | null): Neighbours {
  const patches = new Map<string, FeatureCollection['features'][number]>();
  const counts = { places: features.length, none: 0, unknown: 0 };
  for (const feature of features) {
    const standing = patchStanding(feature);
    if (standing !== 'found') counts[standing]++;
    const id = feature.properties.segment_id;
    if (feature.geometry === null || id === null || id === own) continue;
    patches.set(id, {
      type: 'Feature',
      properties: { segment: id },
      geometry: { type: 'Polygon', coordinates: feature.geometry.coordinates as Position[][] },
    });
  }
  return { patches: { type: 'FeatureCollection', features: [...patches.values()] }, counts };
}
