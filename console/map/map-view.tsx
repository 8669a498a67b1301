import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, GeoJSONSource } from 'maplibre-gl';
import { language, t } from '../text/translate.ts';
import { param, setParams } from '../state/address.ts';
import { settings } from '../state/settings.ts';
import { theme } from '../state/theme.ts';
import { mapStyle } from './base-style.ts';
import type { MapTheme } from './colours.ts';
import { MARK_DENSITY, markImages } from './level-marks.ts';
import { readMapPlace, writeMapPlace, type MapPlace } from './map-place.ts';
import type { MapLibreMap } from './open-map.ts';
import { createRefresh } from './refresh-base.ts';

export type Box = readonly [west: number, south: number, east: number, north: number];

interface MapClick {
  readonly lon: number;
  readonly lat: number;
  /** Properties of the features of `pick` layers under the pointer, the upper ones first. */
  readonly features: readonly Readonly<Record<string, unknown>>[];
}

interface MapViewProps {
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

/** Pixels around a click within which a feature is meant. */
const REACH = 4;
const START: MapPlace = { zoom: 1.6, lat: 8, lon: 20 };

/** A map over the base map. Everything it shows is also on the page in words. */
export function MapView(props: MapViewProps) {
  const container = useRef<HTMLDivElement>(null);
  const map = useRef<MapLibreMap | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** Whether the address or the user, and not `fit`, says where the map stands. */
  const isPlaced = useRef(readMapPlace(param('map')) !== null);
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
    const start = readMapPlace(param('map'));
    void import('./open-map.ts')
      .then(({ openMap }) => {
        if (isGone || container.current === null) return;
        const { lon, lat, zoom } = start ?? START;
        const opened = openMap({
          container: container.current,
          style: styleOf(theme.peek()),
          center: [lon, lat],
          zoom,
          label: props.label,
          locale: controlWords(),
        });
        map.current = opened;
        const refresh = createRefresh(opened);
        opened.on('style.load', () => {
          for (const [id, image] of Object.entries(markImages(theme.peek())))
            if (!opened.hasImage(id)) opened.addImage(id, image, { pixelRatio: MARK_DENSITY });
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
          const { lng, lat: middle } = opened.getCenter();
          setParams({ map: writeMapPlace({ zoom: opened.getZoom(), lat: middle, lon: lng }) });
        });
        followPointer(opened, () => latest.current);
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

/** Reports clicks, and shows by the pointer what can be clicked. */
function followPointer(map: MapLibreMap, props: () => Pick<MapViewProps, 'pick' | 'onClick' | 'crosshair'>): void {
  const at = (where: Parameters<MapLibreMap['queryRenderedFeatures']>[0]) => {
    const layers = (props().pick ?? []).filter((id) => map.getLayer(id) !== undefined);
    return layers.length === 0 ? [] : map.queryRenderedFeatures(where, { layers });
  };
  map.on('click', ({ point: { x, y }, lngLat }) => {
    const features = at([
      [x - REACH, y - REACH],
      [x + REACH, y + REACH],
    ]);
    const { lng: lon, lat } = lngLat.wrap();
    props().onClick?.({ lon, lat, features: features.map(({ properties }) => properties) });
  });
  map.on('mousemove', ({ point }) => {
    map.getCanvas().style.cursor = at(point).length > 0 ? 'pointer' : props().crosshair === true ? 'crosshair' : '';
  });
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

/** Words of the controls, by MapLibre's own keys. */
function controlWords(): Record<string, string> {
  return {
    'NavigationControl.ZoomIn': t('map.zoomIn'),
    'NavigationControl.ZoomOut': t('map.zoomOut'),
    'AttributionControl.ToggleAttribution': t('map.attribution'),
  };
}
