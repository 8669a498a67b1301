import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource, StyleSpecification } from 'maplibre-gl';
import { page, param, setParams } from '../../state/address.ts';
import { settings } from '../../state/settings.ts';
import { theme } from '../../state/theme.ts';
import { mapStyle } from '../base-style.ts';
import type { Box } from '../box-polygon.ts';
import { MAP_LATITUDE } from '../main-box.ts';
import { showPicture } from '../map-picture.ts';
import { readMapPlace, writeMapPlace, type MapPlace } from '../map-place.ts';
import type { SetTheme } from '../map-sets.ts';
import { LEVEL_IMAGES, MARK_DENSITY, markImage, MARKS_SOURCE } from '../marks/level-marks.ts';
import { MARKS_ZOOM } from '../marks/mark-tiles.ts';
import type { MapLibreMap } from '../open-map.ts';
import { pointAt } from '../pointed.ts';
import { createRefresh } from '../refresh-base.ts';
import { leftOut } from '../switches.ts';
import { pictureOf } from './coarse-drawing.ts';
import { controlWords } from './control-names.ts';
import { followPointer } from './follow-pointer.ts';
import type { MapViewProps, View } from './view.ts';

/** The upper end of what packs hold: a picture hides it, since one cannot see both. */
export const BELOW_PAGE = 'slot-page';

const START: MapPlace = { zoom: 1.6, lat: 8, lon: 20 };

/** Opens the map when the view is first drawn, and removes it with the view. */
export function useOpenedMap(
  view: View,
  container: RefObject<HTMLDivElement | null>,
  figure: RefObject<HTMLElement | null>,
): { readonly state: 'loading' | 'ready' | 'failed'; readonly themes: readonly SetTheme[] } {
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const [themes, setThemes] = useState<readonly SetTheme[]>([]);
  useEffect(() => {
    let isGone = false;
    const { lon, lat, zoom } = readMapPlace(param('map')) ?? START;
    void import('../open-map.ts')
      .then(({ openMap }) => {
        if (isGone || container.current === null) return;
        view.theme = theme.peek();
        const map = openMap({
          container: container.current,
          style: styleOf(view),
          center: [lon, lat],
          zoom,
          label: view.props.label,
          locale: controlWords(),
        });
        view.map = map;
        view.refresh = createRefresh(map, (found) => setThemes((old) => (old.join() === found.join() ? old : found)));
        fillStyle(map, view);
        followPlace(map, view);
        copyForPrint(map, figure);
        followPointer(map, () => view.props);
        followIdle(map, view, container);
        showFit(view);
        setState('ready');
      })
      .catch(() => setState('failed'));
    return () => {
      isGone = true;
      pointAt();
      view.map?.remove();
      view.map = null;
      view.marks?.close();
    };
  }, []);
  return { state, themes };
}

export function styleOf({ props, marks, theme: name }: View): StyleSpecification {
  return mapStyle({
    origin: location.origin,
    theme: name,
    tiles: settings.value.tiles,
    terrain: settings.value.terrain,
    sources: {
      ...Object.fromEntries(
        Object.entries(props.sources ?? {}).map(([id, options]) => [
          id,
          { type: 'geojson', data: { type: 'FeatureCollection', features: [] }, ...options },
        ]),
      ),
      ...(marks === null ? {} : { [MARKS_SOURCE]: { type: 'vector', tiles: [marks.tiles], maxzoom: MARKS_ZOOM } }),
    },
    layers: props.layers?.(name) ?? [],
  });
}

/** Puts on the map what no style holds, whenever it has a new one. */
function fillStyle(map: MapLibreMap, view: View): void {
  const addMark = (id: string): void => {
    const image = markImage(id, view.theme);
    if (image !== null && !map.hasImage(id)) map.addImage(id, image, { pixelRatio: MARK_DENSITY });
  };
  // Those of years are drawn when the first of their kind is on the map.
  map.on('styleimagemissing', ({ id }) => addMark(id));
  map.on('style.load', () => {
    for (const id of LEVEL_IMAGES) addMark(id);
    view.refresh?.restyled(view.theme);
    view.applied.clear();
    applyData(map, view.props.data, view.applied);
    view.hasOldMarks = false;
    applySwitches(map);
    showPicture(map, view.props.picture ?? null, BELOW_PAGE);
    void view.refresh?.run();
  });
}

/** Shows and hides the operator's tiles. */
export function applySwitches(map: MapLibreMap): void {
  for (const [layer, name] of [
    ['tiles', 'imagery'],
    ['terrain', 'terrain'],
  ] as const)
    if (map.getLayer(layer) !== undefined)
      map.setLayoutProperty(layer, 'visibility', leftOut.peek().has(name) ? 'none' : 'visible');
}

/** Gives the sources what changed since `applied`, and nothing that is there already: with many points that is most of the work. */
export function applyData(
  map: MapLibreMap,
  data: MapViewProps['data'] = {},
  applied: Map<string, FeatureCollection>,
): void {
  for (const [id, collection] of Object.entries(data)) {
    const source = map.getSource(id) as GeoJSONSource | undefined;
    if (source === undefined || applied.get(id) === collection) continue;
    source.setData(collection);
    applied.set(id, collection);
  }
}

/** Reports where the map stands, to the page and in the address. */
function followPlace(map: MapLibreMap, view: View): void {
  map.on('movestart', ({ originalEvent }) => {
    if (originalEvent !== undefined) view.isPlaced = true;
  });
  const report = (): void => view.props.onView?.(boxInView(map));
  const own = page.peek();
  map.once('load', report);
  map.on('moveend', () => {
    report();
    void view.refresh?.run();
    // A map that only found its size stands nowhere yet.
    if (!view.isPlaced && view.fitted === '') return;
    // On its way out: the map of the next page would begin where this one stood.
    if (page.peek() !== own) return;
    const { lng: lon, lat } = map.getCenter();
    setParams({ map: writeMapPlace({ zoom: map.getZoom(), lat, lon }) });
  });
}

/** Goes to what is wanted now, which may have come before the map was there or after it. */
export function showFit(view: View): void {
  const { fit, fitZoom } = view.props;
  const wanted = fit?.join() ?? '';
  if (view.map === null || !fit || wanted === view.fitted) return;
  const isFirst = view.fitted === '';
  view.fitted = wanted;
  if (!(isFirst && view.isPlaced)) fitTo(view.map, fit, !isFirst, fitZoom);
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
  findSize(map);
  const isSpot = west === east && south === north;
  if (isSpot && map.getZoom() >= maxZoom && map.getBounds().contains([west, box[1]])) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  map.fitBounds([...box], { padding: 48, maxZoom, animate: moves && !calm, duration: 600 });
}

/** Lets a map know its room at once, which the page may have changed together with what it is to show. */
function findSize(map: MapLibreMap): void {
  const [room, canvas] = [map.getContainer(), map.getCanvas()];
  // A canvas of half of the pixels is up to one wider or higher.
  const differs = (a: number, b: number): boolean => Math.abs(a - b) > 1;
  if (differs(room.clientWidth, canvas.clientWidth) || differs(room.clientHeight, canvas.clientHeight)) map.resize();
}

/** Pixels on paper to one of the page: maps are not to look coarser than what is written next to them. */
const PAPER_RATIO = 2;

/** Copies the map and its scale into what stands for them on paper, whenever the page is printed. */
function copyForPrint(map: MapLibreMap, figure: RefObject<HTMLElement | null>): void {
  const print = (): void => {
    const [paper, shown] = [figure.current, map.getContainer()];
    if (paper === null) return;
    const { clientWidth: width } = shown;
    // A map that is not on the screen was never drawn.
    paper.hidden = width === 0;
    if (width === 0) return;
    paper.querySelector('img')!.src = pictureOf(map, PAPER_RATIO);
    const [line, scale] = [paper.querySelector('span')!, shown.querySelector<HTMLElement>('.maplibregl-ctrl-scale')!];
    line.textContent = scale.textContent;
    // Of the picture, as wide as that may be.
    line.style.width = `${(scale.offsetWidth / width) * 100}%`;
  };
  addEventListener('beforeprint', print);
  map.once('remove', () => removeEventListener('beforeprint', print));
}

/** Makes old tiles of marks new as soon as that can be, and says of the canvas in which colours all of the map is drawn. */
function followIdle(map: MapLibreMap, view: View, container: RefObject<HTMLDivElement | null>): void {
  map.on('sourcedata', ({ sourceId }) => {
    if (sourceId === MARKS_SOURCE) renewMarks(map, view);
  });
  map.on('idle', () => {
    if (!renewMarks(map, view) && view.refresh?.isRunning !== true)
      container.current?.setAttribute('data-idle', view.theme);
  });
  map.on('movestart', () => container.current?.removeAttribute('data-idle'));
}

/**
 * Has the tiles of the marks made again if they are old; those before stay until these are there. Not while some are on their way:
 * MapLibre would draw what such a tile brings once more, and not request it again.
 */
export function renewMarks(map: MapLibreMap, view: Pick<View, 'hasOldMarks'>): boolean {
  if (!view.hasOldMarks || map.getSource(MARKS_SOURCE) === undefined || !map.isSourceLoaded(MARKS_SOURCE)) return false;
  view.hasOldMarks = false;
  map.refreshTiles(MARKS_SOURCE);
  return true;
}
