import type { Bbox } from '../shapes/shape.ts';

/** Zones that are wider or narrower than six degrees, by the boxes in which they are (Norway, Svalbard). */
const EXCEPTIONS: readonly (readonly [zone: number, box: Bbox])[] = [
  [32, [3, 56, 6, 64]],
  [31, [0, 72, 9, 84]],
  [33, [9, 72, 21, 84]],
  [35, [21, 72, 33, 84]],
  [37, [33, 72, 42, 84]],
];

/** The UTM zone, 1 to 60, whose grid of the military reference system has a place in degrees; edges belong to the zone east of them. */
export function utmZoneAt(lon: number, lat: number): number {
  for (const [zone, [west, south, east, north]] of EXCEPTIONS)
    if (lon >= west && lon < east && lat >= south && lat < north) return zone;
  const turned = (((lon + 180) % 360) + 360) % 360;
  return Math.floor(turned / 6) + 1;
}

/** The six degrees of a zone between the southern and northern limits of UTM. */
export function utmZoneBox(zone: number): Bbox {
  const west = zone * 6 - 186;
  return [west, -80, west + 6, 84];
}
