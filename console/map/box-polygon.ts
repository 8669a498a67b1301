import type { Feature, Polygon } from 'geojson';

/** In degrees. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** A frame of a box, for maps that show an area. */
export function boxPolygon([west, south, east, north]: Box): Feature<Polygon> {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
}
