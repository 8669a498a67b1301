import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, GeoJSONSource } from 'maplibre-gl';
import { language, t } from '../text/translate.ts';
import { param, setParams } from '../state/address.ts';
import { settings } from '../state/settings.ts';
import { theme } from '../state/theme.ts';
import { baseMapFor, worldMap, type View } from './base-map.ts';
import { mapStyle } from './base-style.ts';
import type { MapTheme } from './colours.ts';
import type { MapLibreMap } from './open-map.ts';
import { packFeaturesFor } from './pack-tiles.ts';

export type Box = readonly [west: number, south: number, east: number, north: number];

export interface MapClick {
  readonly lon: number;
  readonly lat: number;
  /** Properties of the features of `pick` layers under the pointer, the upper ones first. */
  readonly features: readonly Readonly<Record<string, unknown>>[];
}

export interface MapViewProps {
  /** What the map shows, for screen readers. */
  readonly label: string;
  /** Sources of the page by name; their data comes in `data`. */
  readonly sources?: Readonly<Record<string, Omit<Extract<SourceSpecification, { type: 'geojson' }>, 'type' | 'data'>>>;
  readonly layers?: (theme: MapTheme) => readonly LayerSpecification[];
  readonly data?: Readonly<Record<string, FeatureCollection>>;
  /** Shown as a whole whenever it changes, unless the address says where the map stands. */
  readonly fit?: Box | null;
  readonly onClick?: (click: MapClick) => void;
  /** Layers whose features can be clicked. */
  readonly pick?: readonly string[];
  readonly crosshair?: boolean;
  /** Farthest that `fit` goes in; default 14. */
  readonly fitZoom?: number;
  readonly children?: ComponentChildren;
}

/** Where the map stands, in the address as `map=zoom/lat/lon`. */
function place(): { zoom: number; center: [number, number] } | null {
  const [zoom, lat, lon] = (param('map') ?? '').split('/').map(Number);
  if (zoom === undefined || lat === undefined || lon === undefined) return null;
  if (![zoom, lat, lon].every(Number.isFinite) || Math.abs(lat) > 90 || Math.abs(lon) > 540) return null;
  return { zoom, center: [lon, lat] };
}

const START = { zoom: 1.6, center: [20, 8] as [number, number] };

/** A map over the base map. Everything it shows is also on the page in words. */
export function MapView(props: MapViewProps) {
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibreMap | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** Whether the address or the user, and not `fit`, says where the map stands. */
  const isPlaced = useRef(place() !== null);
  const fitted = useRef<string>('');
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const shown = theme.value;
  const styleOf = (name: MapTheme) =>
    mapStyle({
      theme: name,
      tiles: settings.value.tiles,
      sources: Object.fromEntries(
        Object.entries(latest.current.sources ?? {}).map(([id, options]) => [
          id,
          { type: 'geojson', data: { type: 'FeatureCollection', features: [] }, ...options },
        ]),
      ),
      layers: latest.current.layers?.(name) ?? [],
    });

  useEffect(() => {
    let isGone = false;
    const start = place();
    void import('./open-map.ts')
      .then(({ openMap }) => {
        if (isGone || container.current === null) return;
        const { center, zoom } = start ?? START;
        const opened = openMap({
          container: container.current,
          style: styleOf(theme.peek()),
          center,
          zoom,
          label: props.label,
          locale: controlWords(),
        });
        map.current = opened;
        const refresh = createRefresh(opened);
        opened.on('style.load', () => {
          refresh.forget();
          applyData(opened, latest.current.data);
          void refresh.run();
        });
        opened.on('movestart', ({ originalEvent }) => {
          if (originalEvent !== undefined) isPlaced.current = true;
        });
        opened.on('moveend', () => {
          void refresh.run();
          // A map that only found its size stands nowhere yet.
          if (!isPlaced.current && fitted.current === '') return;
          const { lng, lat } = opened.getCenter();
          setParams({ map: `${opened.getZoom().toFixed(2)}/${lat.toFixed(5)}/${lng.toFixed(5)}` });
        });
        opened.on('click', (event) => {
          const layers = (latest.current.pick ?? []).filter((id) => opened.getLayer(id) !== undefined);
          const { x, y } = event.point;
          const features = opened.queryRenderedFeatures(
            [
              [x - 4, y - 4],
              [x + 4, y + 4],
            ],
            { layers },
          );
          const { lng: lon, lat } = event.lngLat.wrap();
          latest.current.onClick?.({ lon, lat, features: features.map(({ properties }) => properties) });
        });
        opened.on('mousemove', (event) => {
          const layers = (latest.current.pick ?? []).filter((id) => opened.getLayer(id) !== undefined);
          const over = layers.length > 0 && opened.queryRenderedFeatures(event.point, { layers }).length > 0;
          opened.getCanvas().style.cursor = over ? 'pointer' : latest.current.crosshair === true ? 'crosshair' : '';
        });
        opened.on('idle', () => container.current?.setAttribute('data-idle', 'true'));
        opened.on('movestart', () => container.current?.removeAttribute('data-idle'));
        if (start === null && latest.current.fit) fitTo(opened, latest.current.fit, false, props.fitZoom);
        setState('ready');
      })
      .catch(() => setState('failed'));
    return () => {
      isGone = true;
      map.current?.remove();
      map.current = null;
    };
  }, []);

  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else map.current?.setStyle(styleOf(shown), { diff: false });
  }, [shown, language.value]);

  useEffect(() => {
    if (container.current !== null) nameControls(container.current, props.label);
  }, [props.label, language.value, state]);

  useEffect(() => {
    if (map.current?.isStyleLoaded() !== undefined) applyData(map.current, props.data);
  }, [props.data]);

  useEffect(() => {
    const wanted = props.fit?.join() ?? '';
    if (map.current === null || wanted === '' || wanted === fitted.current) return;
    const isFirst = fitted.current === '';
    fitted.current = wanted;
    if (!(isFirst && isPlaced.current)) fitTo(map.current, props.fit as Box, !isFirst, props.fitZoom);
  }, [props.fit?.join(), state]);

  return (
    <div class="map">
      <div ref={container} class="map-canvas" data-state={state} />
      {state === 'loading' && <p class="map-note">{t('map.loading')}</p>}
      {state === 'failed' && (
        <p class="map-note" role="alert">
          {t('map.failed')}
        </p>
      )}
      {props.children}
    </div>
  );
}

/** What lies in view is fetched as the map moves; what came for a view that is left again is not shown. */
function createRefresh(map: MapLibreMap) {
  let baseKey = '';
  let packKey = '';
  let run = 0;
  const set = (id: string, data: FeatureCollection): void => {
    (map.getSource(id) as GeoJSONSource | undefined)?.setData(data);
  };
  return {
    forget() {
      baseKey = packKey = '';
      void nameCountries(set);
    },
    async run() {
      const mine = ++run;
      const view = viewOf(map);
      const [base, packs] = await Promise.allSettled([baseMapFor(view), packFeaturesFor(view)]);
      if (mine !== run) return;
      if (base.status === 'fulfilled' && base.value.key !== baseKey) {
        baseKey = base.value.key;
        for (const [id, data] of Object.entries(base.value.data)) set(id, data);
      }
      if (packs.status === 'fulfilled' && packs.value.key !== packKey) {
        packKey = packs.value.key;
        set('packs', packs.value.data);
      }
    },
  };
}

/** Countries by their names in the language of the page. */
async function nameCountries(set: (id: string, data: FeatureCollection) => void): Promise<void> {
  const { piece } = await worldMap();
  const names = new Intl.DisplayNames(language.peek(), { type: 'region', fallback: 'none' });
  set('countries', {
    type: 'FeatureCollection',
    features: piece.countries.flatMap(([code, lon, lat, people]) => {
      const name = names.of(code);
      return name === undefined
        ? []
        : [
            {
              type: 'Feature',
              properties: { name, people },
              geometry: { type: 'Point', coordinates: [lon, lat] },
            } as const,
          ];
    }),
  });
}

function viewOf(map: MapLibreMap): View {
  const bounds = map.getBounds();
  return {
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
    zoom: map.getZoom(),
  };
}

function applyData(map: MapLibreMap, data: MapViewProps['data'] = {}): void {
  for (const [id, collection] of Object.entries(data))
    (map.getSource(id) as GeoJSONSource | undefined)?.setData(collection);
}

function fitTo(map: MapLibreMap, [west, south, east, north]: Box, moves: boolean, maxZoom = 14): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.fitBounds([west, south, east, north], { padding: 48, maxZoom, animate: moves && !calm, duration: 600 });
}

/** What the map shows and what its controls do, in the present language: MapLibre says both as they were at first. */
function nameControls(container: HTMLElement, label: string): void {
  const names = {
    '.maplibregl-canvas': label,
    '.maplibregl-ctrl-zoom-in': t('map.zoomIn'),
    '.maplibregl-ctrl-zoom-out': t('map.zoomOut'),
    '.maplibregl-ctrl-attrib-button': t('map.attribution'),
  };
  for (const [selector, name] of Object.entries(names)) {
    const element = container.querySelector(selector);
    element?.setAttribute('aria-label', name);
    if (element?.hasAttribute('title') === true) element.setAttribute('title', name);
  }
}

function controlWords(): Record<string, string> {
  return {
    'NavigationControl.ZoomIn': t('map.zoomIn'),
    'NavigationControl.ZoomOut': t('map.zoomOut'),
    'AttributionControl.ToggleAttribution': t('map.attribution'),
  };
}
