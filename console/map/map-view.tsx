import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, GeoJSONSource } from 'maplibre-gl';
import { language, t } from '../text/translate.ts';
import { param, setParams } from '../state/address.ts';
import { settings } from '../state/settings.ts';
import { theme } from '../state/theme.ts';
import { mapStyle } from './base-style.ts';
import type { Box } from './box-polygon.ts';
import type { MapTheme } from './colours.ts';
import { LEVEL_IMAGES, MARK_DENSITY, markImage, MARKS_SOURCE } from './marks/level-marks.ts';
import { MARKS_ZOOM, type MarkPoint } from './marks/mark-tiles.ts';
import { openMarks, type MapMarks } from './marks/open-marks.ts';
import { pointAt } from './pointed.ts';
import { showPicture, type MapPicture } from './map-picture.ts';
import { readMapPlace, writeMapPlace, type MapPlace } from './map-place.ts';
import type { MapLibreMap } from './open-map.ts';
import { createRefresh, type BaseRefresh } from './refresh-base.ts';
import { leftOut, turn } from './switches.ts';
import { MapLegend } from './map-legend.tsx';
import type { LegendPart } from './legend-entry.ts';
import { baseLegend } from './base-legend.ts';
import { MAP_LATITUDE } from './main-box.ts';
import type { SetTheme } from './map-sets.ts';
import { principal } from '../state/session.ts';

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
  /** Points that `layers` draws by `markLayers`, however many. */
  readonly marks?: readonly MarkPoint[];
  /** Shown as a whole whenever it changes, unless the address says where the map stands. */
  readonly fit?: Box | null;
  readonly onClick?: (click: MapClick) => void;
  /** Layers whose features can be clicked. */
  readonly pick?: readonly string[];
  /** Layers whose features are only pointed at, besides those of `pick`. */
  readonly point?: readonly string[];
  /** Reports what the pointer is over, the upper ones first, and nothing when it leaves. */
  readonly onPoint?: (features: readonly Readonly<Record<string, unknown>>[]) => void;
  /** Reports the box that is in view, whenever it has changed. */
  readonly onView?: (box: Box) => void;
  readonly crosshair?: boolean;
  /** Lies below the layers of the page. */
  readonly picture?: MapPicture | null;
  /** What the marks of the page mean; those of the base map are added. */
  readonly legend?: readonly LegendPart[];
  /** Farthest that `fit` goes in; default 14. A place that is in view from nearer stays where it is. */
  readonly fitZoom?: number;
  readonly children?: ComponentChildren;
}

/** The upper end of what packs hold: a picture hides it, since one cannot see both. */
const BELOW_PAGE = 'slot-page';

/** Pixels around a click within which a feature is meant. */
const REACH = 4;
const START: MapPlace = { zoom: 1.6, lat: 8, lon: 20 };

/** A map over the base map. Everything it shows is also on the page in words. */
export function MapView(props: MapViewProps) {
  const container = useRef<HTMLDivElement>(null);
  /** Stands on paper in place of the canvas. */
  const picture = useRef<HTMLImageElement>(null);
  const map = useRef<MapLibreMap | null>(null);
  const latest = useRef(props);
  latest.current = props;
  /** Whether the address or the user, and not `fit`, says where the map stands. */
  const isPlaced = useRef(readMapPlace(param('map')) !== null);
  const fitted = useRef<string>('');
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const shown = theme.value;
  const [themes, setThemes] = useState<readonly SetTheme[]>([]);
  const refresh = useRef<BaseRefresh | null>(null);
  const applied = useRef(new Map<string, FeatureCollection>());
  const marks = useRef<MapMarks | null>(null);
  /** Whether the map has tiles of marks that are no longer shown. */
  const hasOldMarks = useRef(false);
  const styleOf = (name: MapTheme) =>
    mapStyle({
      origin: location.origin,
      theme: name,
      tiles: settings.value.tiles,
      terrain: settings.value.terrain,
      sources: {
        ...Object.fromEntries(
          Object.entries(latest.current.sources ?? {}).map(([id, options]) => [
            id,
            { type: 'geojson', data: { type: 'FeatureCollection', features: [] }, ...options },
          ]),
        ),
        ...(marks.current === null
          ? {}
          : { [MARKS_SOURCE]: { type: 'vector', tiles: [marks.current.tiles], maxzoom: MARKS_ZOOM } }),
      },
      layers: latest.current.layers?.(name) ?? [],
    });

  /** Goes to what is wanted now, which may have come before the map was there or after it. */
  const showFit = (): void => {
    const { fit, fitZoom } = latest.current;
    const wanted = fit?.join() ?? '';
    if (map.current === null || !fit || wanted === fitted.current) return;
    const isFirst = fitted.current === '';
    fitted.current = wanted;
    if (!(isFirst && isPlaced.current)) fitTo(map.current, fit, !isFirst, fitZoom);
  };

  useEffect(() => {
    if (props.marks === undefined) return;
    marks.current ??= openMarks();
    marks.current.show(props.marks);
    hasOldMarks.current = true;
    if (map.current !== null) renewMarks(map.current, hasOldMarks);
  }, [props.marks]);

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
        refresh.current = createRefresh(opened, (found) =>
          setThemes((old) => (old.join() === found.join() ? old : found)),
        );
        const addMark = (id: string): void => {
          const image = markImage(id, theme.peek());
          if (image !== null && !opened.hasImage(id)) opened.addImage(id, image, { pixelRatio: MARK_DENSITY });
        };
        // Those of years are drawn when the first of their kind is on the map.
        opened.on('styleimagemissing', ({ id }) => addMark(id));
        opened.on('style.load', () => {
          for (const id of LEVEL_IMAGES) addMark(id);
          refresh.current?.restyled(theme.peek());
          applied.current.clear();
          applyData(opened, latest.current.data, applied.current);
          hasOldMarks.current = false;
          applySwitches(opened);
          showPicture(opened, latest.current.picture ?? null, BELOW_PAGE);
          void refresh.current?.run();
        });
        opened.on('movestart', ({ originalEvent }) => {
          if (originalEvent !== undefined) isPlaced.current = true;
        });
        const report = (): void => latest.current.onView?.(boxInView(opened));
        opened.once('load', report);
        opened.on('moveend', () => {
          report();
          void refresh.current?.run();
          // A map that only found its size stands nowhere yet.
          if (!isPlaced.current && fitted.current === '') return;
          const { lng, lat: middle } = opened.getCenter();
          setParams({ map: writeMapPlace({ zoom: opened.getZoom(), lat: middle, lon: lng }) });
        });
        const print = (): void => {
          if (picture.current === null) return;
          // What was drawn is there to be read only until it is shown.
          opened.redraw();
          picture.current.src = opened.getCanvas().toDataURL();
        };
        addEventListener('beforeprint', print);
        opened.once('remove', () => removeEventListener('beforeprint', print));
        followPointer(opened, () => latest.current);
        opened.on('sourcedata', ({ sourceId }) => {
          if (sourceId === MARKS_SOURCE) renewMarks(opened, hasOldMarks);
        });
        opened.on('idle', () => {
          if (!renewMarks(opened, hasOldMarks)) container.current?.setAttribute('data-idle', 'true');
        });
        opened.on('movestart', () => container.current?.removeAttribute('data-idle'));
        showFit();
        setState('ready');
      })
      .catch(() => setState('failed'));
    return () => {
      isGone = true;
      pointAt();
      map.current?.remove();
      map.current = null;
      marks.current?.close();
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
    if (map.current?.isStyleLoaded() !== undefined) applyData(map.current, props.data, applied.current);
  }, [props.data]);

  useEffect(() => {
    if (map.current?.getLayer('land') !== undefined) showPicture(map.current, props.picture ?? null, BELOW_PAGE);
  }, [props.picture]);

  useEffect(() => {
    // Before the style is there, it is done when it is.
    if (map.current?.getLayer('land') === undefined) return;
    applySwitches(map.current);
    void refresh.current?.run();
  }, [leftOut.value, principal.value]);

  useEffect(showFit, [props.fit?.join()]);

  return (
    <div class="map">
      <div ref={container} class="map-canvas" data-state={state} />
      <img ref={picture} class="print-map" alt={props.label} />
      {state === 'loading' && <p class="map-note">{t('map.loading')}</p>}
      {state === 'failed' && (
        <p class="map-note" role="alert">
          {t('map.failed')}
        </p>
      )}
      <MapLegend
        parts={[
          ...(props.legend ?? []),
          baseLegend({ theme: shown, themes, leftOut: leftOut.value, settings: settings.value, say: t, onTurn: turn }),
        ]}
      />
      <p class="map-north" role="img" aria-label={t('map.north')} title={t('map.north')}>
        <span aria-hidden="true">N</span>
      </p>
      {props.children}
    </div>
  );
}

/** Shows and hides the operator's tiles. */
function applySwitches(map: MapLibreMap): void {
  for (const [layer, name] of [
    ['tiles', 'imagery'],
    ['terrain', 'terrain'],
  ] as const)
    if (map.getLayer(layer) !== undefined)
      map.setLayoutProperty(layer, 'visibility', leftOut.peek().has(name) ? 'none' : 'visible');
}

/** Reports clicks and what is pointed at, and shows by the pointer what can be clicked. */
function followPointer(
  map: MapLibreMap,
  props: () => Pick<MapViewProps, 'pick' | 'point' | 'onClick' | 'onPoint' | 'crosshair'>,
): void {
  type Where = Parameters<MapLibreMap['queryRenderedFeatures']>[0];
  const at = (where: Where, ids: readonly string[]) => {
    const layers = ids.filter((id) => map.getLayer(id) !== undefined);
    return layers.length === 0 ? [] : map.queryRenderedFeatures(where, { layers });
  };
  const around = ({ x, y }: { readonly x: number; readonly y: number }): Where => [
    [x - REACH, y - REACH],
    [x + REACH, y + REACH],
  ];
  map.on('click', ({ point, lngLat }) => {
    const features = at(around(point), props().pick ?? []);
    const { lng: lon, lat } = lngLat.wrap();
    props().onClick?.({ lon, lat, features: features.map(({ properties }) => properties) });
  });
  let frame = 0;
  map.on('mousemove', ({ point }) => {
    cancelAnimationFrame(frame);
    // Once a frame: a mouse moves more often.
    frame = requestAnimationFrame(() => {
      const { pick = [], point: others = [], onPoint, crosshair } = props();
      const canClick = at(point, pick).length > 0;
      map.getCanvas().style.cursor = canClick ? 'pointer' : crosshair === true ? 'crosshair' : '';
      onPoint?.(at(around(point), [...pick, ...others]).map(({ properties }) => properties));
    });
  });
  map.on('mouseout', () => {
    cancelAnimationFrame(frame);
    props().onPoint?.([]);
  });
  map.once('remove', () => cancelAnimationFrame(frame));
}

/** Gives the sources what changed since `applied`, and nothing that is there already: with many points that is most of the work. */
function applyData(map: MapLibreMap, data: MapViewProps['data'] = {}, applied: Map<string, FeatureCollection>): void {
  for (const [id, collection] of Object.entries(data)) {
    const source = map.getSource(id) as GeoJSONSource | undefined;
    if (source === undefined || applied.get(id) === collection) continue;
    source.setData(collection);
    applied.set(id, collection);
  }
}

/**
 * Has the tiles of the marks made again if they are old; those before stay until these are there. Not while some are on their way:
 * MapLibre would draw what such a tile brings once more, and not request it again.
 */
function renewMarks(map: MapLibreMap, areOld: { current: boolean }): boolean {
  if (!areOld.current || map.getSource(MARKS_SOURCE) === undefined || !map.isSourceLoaded(MARKS_SOURCE)) return false;
  areOld.current = false;
  map.refreshTiles(MARKS_SOURCE);
  return true;
}

function within(degrees: number, most: number): number {
  return Math.max(-most, Math.min(most, degrees));
}

/** The poles are not on the map, and a view of more than the world is one of the world. */
function boxInView(map: MapLibreMap): Box {
  const bounds = map.getBounds();
  return [
    within(bounds.getWest(), 180),
    within(bounds.getSouth(), MAP_LATITUDE),
    within(bounds.getEast(), 180),
    within(bounds.getNorth(), MAP_LATITUDE),
  ];
}

function fitTo(map: MapLibreMap, [west, south, east, north]: Box, moves: boolean, maxZoom = 14): void {
  const box: Box = [west, within(south, MAP_LATITUDE), east, within(north, MAP_LATITUDE)];
  const isSpot = west === east && south === north;
  if (isSpot && map.getZoom() >= maxZoom && map.getBounds().contains([west, box[1]])) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.fitBounds([...box], { padding: 48, maxZoom, animate: moves && !calm, duration: 600 });
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
