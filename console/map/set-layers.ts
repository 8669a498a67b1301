import type { LayerSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from './colours.ts';
import { SEGMENT_ZOOM, SET_THEMES, type MapSet, type SetTheme } from './map-sets.ts';

/** Names of local fonts, because no glyphs are fetched: what the system has. */
export const MAP_FONT = ['system-ui', 'Noto Sans', 'Arial', 'sans-serif'];

const MAIN = ['motorway', 'trunk', 'primary', 'secondary', 'tertiary'];
const WALKED = ['path', 'footway', 'steps', 'bridleway', 'cycleway', 'pedestrian', 'corridor'];
const RIVERS = ['river', 'canal', 'riverbank', 'tidal_channel'];

/** Zoom from which small roads and streams are drawn, and names of roads and businesses. */
const SMALL_ZOOM = 11.5;
const NAME_ZOOM = 14;

/** Invisible layers that keep the order of the themes while sets come and go. */
export const THEME_SLOTS: readonly LayerSpecification[] = SET_THEMES.map((theme) => ({
  id: slotOf(theme),
  type: 'background',
  layout: { visibility: 'none' },
}));

/** The layer that those of a theme are put below. */
export function slotOf(theme: SetTheme): string {
  return `slot-${theme}`;
}

/** How a set of vector tiles is drawn, the lowest layer first. */
export function setLayers(
  { id, theme }: Pick<MapSet, 'id' | 'theme'>,
  colours: MapTheme,
): readonly LayerSpecification[] {
  return LAYERS[theme](MAP_COLOURS[colours]).map(
    ({ id: name, ...layer }) =>
      ({
        'source-layer': 'features',
        ...layer,
        id: `${id} ${name}`,
        source: sourceOf(id),
      }) as LayerSpecification,
  );
}

export function sourceOf(setId: string): string {
  return `set-${setId}`;
}

type Colours = (typeof MAP_COLOURS)[MapTheme];
type Layer = { readonly id: string; readonly type: LayerSpecification['type'] } & Readonly<Record<string, unknown>>;

const isIn = (names: readonly string[]) => ['in', ['get', 'class'], ['literal', names]];
const isKind = (kind: string) => ['==', ['geometry-type'], kind];
const width = (thin: number, wide: number) => ['interpolate', ['exponential', 1.6], ['zoom'], 11, thin, 18, wide];
/** Main roads from afar, all of them from close by; paths are drawn apart. */
const shownRoad = ['all', ['!', isIn([...WALKED, 'track'])], ['any', isIn(MAIN), ['>=', ['zoom'], SMALL_ZOOM]]];
const round = { 'line-cap': 'round', 'line-join': 'round' };

const LAYERS: Readonly<Record<SetTheme, (colours: Colours) => readonly Layer[]>> = {
  segments: (colours) => [
    {
      id: 'coverage',
      type: 'line',
      'source-layer': 'coverage',
      maxzoom: SEGMENT_ZOOM,
      paint: { 'line-color': colours.segment, 'line-width': 1.2, 'line-dasharray': [5, 3] },
    },
    {
      id: 'ground',
      type: 'fill',
      minzoom: SEGMENT_ZOOM,
      filter: isKind('Polygon'),
      paint: { 'fill-color': colours.segment, 'fill-opacity': 0.16 },
    },
    {
      id: 'edges',
      type: 'line',
      minzoom: SEGMENT_ZOOM,
      filter: isKind('Polygon'),
      paint: { 'line-color': colours.segment, 'line-width': ['interpolate', ['linear'], ['zoom'], 12, 0.5, 16, 1.4] },
    },
  ],
  industrial: (colours) => [
    { id: 'ground', type: 'fill', filter: isKind('Polygon'), paint: { 'fill-color': colours.industrial } },
  ],
  water: (colours) => [
    { id: 'areas', type: 'fill', filter: isKind('Polygon'), paint: { 'fill-color': colours.water } },
    {
      id: 'lines',
      type: 'line',
      filter: ['all', isKind('LineString'), ['any', isIn(RIVERS), ['>=', ['zoom'], SMALL_ZOOM]]],
      layout: round,
      paint: { 'line-color': colours.river, 'line-width': width(1.1, 9) },
    },
    {
      id: 'names',
      type: 'symbol',
      minzoom: 12,
      filter: ['all', ['has', 'name'], isKind('LineString')],
      layout: lineName(),
      paint: { 'text-color': colours.waterLabel, 'text-halo-color': colours.halo, 'text-halo-width': 1.4 },
    },
  ],
  roads: (colours) => [
    {
      id: 'paths',
      type: 'line',
      minzoom: 14,
      filter: isIn(WALKED),
      paint: { 'line-color': colours.track, 'line-width': 0.8, 'line-dasharray': [1, 2] },
    },
    {
      id: 'tracks',
      type: 'line',
      minzoom: SMALL_ZOOM,
      filter: isIn(['track']),
      paint: { 'line-color': colours.track, 'line-width': width(0.8, 3), 'line-dasharray': [3, 2] },
    },
    {
      id: 'cases',
      type: 'line',
      filter: shownRoad,
      layout: round,
      paint: { 'line-color': colours.roadCase, 'line-width': width(1.8, 13) },
    },
    {
      id: 'lines',
      type: 'line',
      filter: shownRoad,
      layout: round,
      paint: { 'line-color': ['case', isIn(MAIN), colours.mainRoad, colours.road], 'line-width': width(1, 10) },
    },
    {
      id: 'names',
      type: 'symbol',
      minzoom: NAME_ZOOM,
      filter: ['has', 'name'],
      layout: lineName(),
      paint: labelPaint(colours),
    },
  ],
  buildings: (colours) => [
    {
      id: 'areas',
      type: 'fill',
      filter: isKind('Polygon'),
      paint: { 'fill-color': colours.building, 'fill-outline-color': colours.buildingEdge },
    },
  ],
  ports: (colours) => [place('names', colours, 11, 12)],
  businesses: (colours) => [
    {
      id: 'dots',
      type: 'circle',
      filter: ['all', isKind('Point'), ['has', 'name']],
      paint: {
        'circle-color': colours.business,
        'circle-radius': 2.5,
        'circle-stroke-width': 1,
        'circle-stroke-color': colours.halo,
      },
    },
    place('names', colours, 11, NAME_ZOOM + 1),
  ],
  settlements: (colours) => [
    {
      id: 'names',
      type: 'symbol',
      filter: [
        'all',
        ['has', 'name'],
        [
          'any',
          isIn(['city', 'town']),
          ['all', isIn(['village', 'suburb']), ['>=', ['zoom'], 11]],
          ['>=', ['zoom'], 13],
        ],
      ],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': MAP_FONT,
        'text-size': ['match', ['get', 'class'], 'city', 16, 'town', 14.5, 'village', 12.5, 11.5],
        'symbol-sort-key': ['match', ['get', 'class'], 'city', 0, 'town', 1, 'village', 2, 'suburb', 3, 4],
        'text-max-width': 8,
        'text-padding': 4,
      },
      paint: labelPaint(colours),
    },
  ],
};

/** Names below points. */
function place(id: string, colours: Colours, size: number, minzoom: number): Layer {
  return {
    id,
    type: 'symbol',
    minzoom,
    filter: ['has', 'name'],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': MAP_FONT,
      'text-size': size,
      'text-anchor': 'top',
      'text-offset': [0, 0.5],
      'text-max-width': 9,
    },
    paint: labelPaint(colours),
  };
}

function lineName() {
  return {
    'text-field': ['get', 'name'],
    'text-font': MAP_FONT,
    'text-size': 11,
    'symbol-placement': 'line',
    'text-max-angle': 40,
  };
}

function labelPaint(colours: Colours) {
  return { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.4 };
}
