import type { Feature, Polygon } from 'geojson';

/** A frame of a box, for maps that show an area. */
export function boxPolygon([west, south, east, north]: readonly [number, number, number, number]): Feature<Polygon> {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
}
