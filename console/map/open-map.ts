import 'maplibre-gl/dist/maplibre-gl.css';
import {
  addProtocol,
  AttributionControl,
  Map as MapLibreMap,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import type { StyleSpecification } from 'maplibre-gl';
import { transport } from '../api/client.ts';
import { coarseWhileMoving } from './view/coarse-drawing.ts';
import { hasGraphicsCard } from './view/has-graphics-card.ts';
import { MARKS_PROTOCOL, markTile } from './marks/open-marks.ts';

setWorkerUrl(workerUrl);
addProtocol(MARKS_PROTOCOL, async ({ url }) => ({ data: await markTile(url) }));

export type { MapLibreMap };

/** Vector tiles of the service, which are for those who are signed in. */
const TILES = `${location.origin}/tiles/`;

function authorization(): Record<string, string> {
  const token = transport.token();
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

interface OpenMapOptions {
  readonly container: HTMLElement;
  readonly style: StyleSpecification;
  readonly center: readonly [lon: number, lat: number];
  readonly zoom: number;
  /** Said of the canvas to screen readers. */
  readonly label: string;
  /** Words of the controls, by MapLibre's own keys. */
  readonly locale: Readonly<Record<string, string>>;
}

/** A map with its controls. This file is the one that brings MapLibre along: import it when a map is shown. */
export function openMap({ container, style, center, zoom, label, locale }: OpenMapOptions): MapLibreMap {
  const isQuick = hasGraphicsCard();
  const isCalm = !isQuick || matchMedia('(prefers-reduced-motion: reduce)').matches;
  const map = new MapLibreMap({
    container,
    style,
    center: [center[0], center[1]],
    zoom,
    maxZoom: 19,
    minZoom: 0.5,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    // Shores are smooth by it: the fill of water has no edges of its own. Screens of finer pixels need none.
    canvasContextAttributes: { antialias: devicePixelRatio < 2 && isQuick },
    fadeDuration: isCalm ? 0 : 150,
    locale: { ...locale, 'Map.Title': label },
    transformRequest: (url) => (url.startsWith(TILES) ? { url, headers: authorization() } : { url }),
  });
  if (!isQuick) coarseWhileMoving(map);
  map.touchZoomRotate.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }), 'top-right');
  map.addControl(new ScaleControl({ unit: 'metric' }), 'bottom-left');
  map.addControl(new AttributionControl({ compact: true }), 'bottom-right');
  return map;
}
