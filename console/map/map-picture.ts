import type { CanvasSource } from 'maplibre-gl';
import type { MapLibreMap } from './open-map.ts';

/** A picture that lies on the ground, below the marks of the page. */
export interface MapPicture {
  readonly canvas: HTMLCanvasElement;
  /** Longitude and latitude of its corners: north-west, north-east, south-east, south-west. */
  readonly corners: readonly [Corner, Corner, Corner, Corner];
}

type Corner = readonly [lon: number, lat: number];

const ID = 'picture';

/** Lays a picture below a layer, in place of the one before; null takes it away. */
export function showPicture(map: MapLibreMap, picture: MapPicture | null, below: string): void {
  if (map.getLayer(ID) !== undefined) map.removeLayer(ID);
  if (map.getSource(ID) !== undefined) map.removeSource(ID);
  if (picture === null) return;
  const coordinates = picture.corners.map(([lon, lat]) => [lon, lat]) as unknown as CanvasSource['coordinates'];
  map.addSource(ID, { type: 'canvas', canvas: picture.canvas, coordinates, animate: false });
  map.addLayer(
    { id: ID, type: 'raster', source: ID, paint: { 'raster-fade-duration': 0, 'raster-resampling': 'nearest' } },
    below,
  );
}
