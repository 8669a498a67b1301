import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from './colours.ts';

export const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** The deepest zoom of the base map's tiles; nearer views draw these larger. */
const BASE_ZOOM = 5;

/** Names of local fonts, because no glyphs are fetched: what the system has. */
const FONT = ['system-ui', 'Noto Sans', 'Arial', 'sans-serif'];
const BOLD = FONT;

interface StyleOptions {
  readonly theme: MapTheme;
  readonly tiles: { readonly url: string; readonly attribution: string } | null;
  /** Sources and layers of the page, above the base map and below its labels. */
  readonly sources: Readonly<Record<string, SourceSpecification>>;
  readonly layers: readonly LayerSpecification[];
}

const OSM = '© <a href="https://www.openstreetmap.org/copyright" rel="noreferrer" target="_blank">OpenStreetMap</a>';
const GEONAMES = '<a href="https://www.geonames.org/" rel="noreferrer" target="_blank">GeoNames</a>';

/** The style of a map: the base map of the built-in data, the operator's tiles if there are any, what packs hold, and the page's own. */
export function mapStyle({ theme, tiles, sources, layers }: StyleOptions): StyleSpecification {
  const colours = MAP_COLOURS[theme];
  return {
    version: 8,
    sources: {
      base: {
        type: 'vector',
        // Whole: it is read by a worker, whose own address is another.
        tiles: [`${location.origin}/console/map/{z}/{x}/{y}.mvt`],
        minzoom: 0,
        maxzoom: BASE_ZOOM,
        attribution: `${OSM} via geo-maps, ${GEONAMES}`,
      },
      countries: geojson(),
      packs: geojson(),
      ...(tiles === null
        ? {}
        : { tiles: { type: 'raster', tiles: [tiles.url], tileSize: 256, attribution: escaped(tiles.attribution) } }),
      ...sources,
    },
    layers: [
      { id: 'land', type: 'background', paint: { 'background-color': colours.land } },
      {
        id: 'water',
        type: 'fill',
        source: 'base',
        'source-layer': 'water',
        paint: { 'fill-color': colours.water, 'fill-antialias': false },
      },
      ...(tiles === null ? [] : [{ id: 'tiles', type: 'raster', source: 'tiles' } as const]),
      {
        id: 'borders',
        type: 'line',
        source: 'base',
        'source-layer': 'borders',
        paint: { 'line-color': colours.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 1, 0.6, 8, 1.4] },
      },
      ...packLayers(theme),
      ...layers,
      ...labelLayers(theme),
    ],
  };
}

function geojson(): SourceSpecification {
  return { type: 'geojson', data: EMPTY };
}

/** The operator's text is shown, not run. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const MAIN = ['motorway', 'trunk', 'primary', 'secondary', 'tertiary'];

function packLayers(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const of = (name: string) => ['==', ['get', 'theme'], name] as const;
  const width = (thin: number, wide: number) =>
    ['interpolate', ['exponential', 1.6], ['zoom'], 11, thin, 18, wide] as unknown as number;
  const isMain = ['in', ['get', 'class'], ['literal', MAIN]] as const;
  return [
    {
      id: 'pack-industrial',
      type: 'fill',
      source: 'packs',
      filter: of('industrial') as never,
      paint: { 'fill-color': colours.industrial },
    },
    {
      id: 'pack-water',
      type: 'fill',
      source: 'packs',
      filter: ['all', of('water'), ['==', ['geometry-type'], 'Polygon']] as never,
      paint: { 'fill-color': colours.water },
    },
    {
      id: 'pack-river',
      type: 'line',
      source: 'packs',
      filter: ['all', of('water'), ['!=', ['geometry-type'], 'Polygon']] as never,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': colours.water, 'line-width': width(1.5, 14) },
    },
    {
      id: 'pack-tracks',
      type: 'line',
      source: 'packs',
      filter: ['all', of('roads'), ['==', ['get', 'class'], 'track']] as never,
      paint: { 'line-color': colours.track, 'line-width': width(0.6, 3), 'line-dasharray': [3, 2] },
    },
    {
      id: 'pack-road-cases',
      type: 'line',
      source: 'packs',
      filter: ['all', of('roads'), ['!=', ['get', 'class'], 'track']] as never,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': colours.roadCase, 'line-width': width(1.6, 13) },
    },
    {
      id: 'pack-roads',
      type: 'line',
      source: 'packs',
      filter: ['all', of('roads'), ['!=', ['get', 'class'], 'track']] as never,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': ['case', isMain as never, colours.mainRoad, colours.road],
        'line-width': width(0.9, 10),
      },
    },
    {
      id: 'pack-buildings',
      type: 'fill',
      source: 'packs',
      minzoom: 12,
      filter: of('buildings') as never,
      paint: { 'fill-color': colours.building, 'fill-outline-color': colours.buildingEdge },
    },
  ];
}

function labelLayers(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const paint = { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.4 };
  return [
    {
      id: 'pack-names',
      type: 'symbol',
      source: 'packs',
      minzoom: 13,
      filter: [
        'all',
        ['has', 'name'],
        ['!=', ['get', 'name'], null],
        ['in', ['get', 'theme'], ['literal', ['roads', 'water']]],
      ],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 11,
        'symbol-placement': 'line',
        'text-max-angle': 40,
      },
      paint,
    },
    {
      id: 'pack-businesses',
      type: 'symbol',
      source: 'packs',
      minzoom: 13,
      filter: ['all', ['!=', ['get', 'name'], null], ['in', ['get', 'theme'], ['literal', ['businesses', 'ports']]]],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 11,
        'text-anchor': 'top',
        'text-offset': [0, 0.7],
        'text-max-width': 9,
      },
      paint,
    },
    {
      id: 'places',
      type: 'symbol',
      source: 'base',
      'source-layer': 'places',
      minzoom: 3,
      filter: [
        '>=',
        ['get', 'people'],
        ['step', ['zoom'], 2_000_000, 4, 700_000, 5, 250_000, 6.5, 60_000, 8, 15_000, 9.5, 3_000, 11, 0],
      ],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'symbol-sort-key': ['get', 'rank'],
        'text-size': ['interpolate', ['linear'], ['get', 'rank'], 28, 15, 60, 11.5],
        'text-max-width': 8,
        'text-padding': 4,
      },
      paint,
    },
    {
      id: 'countries',
      type: 'symbol',
      source: 'countries',
      maxzoom: 6.5,
      filter: ['>=', ['get', 'people'], ['step', ['zoom'], 4_000_000, 2, 1_000_000, 3, 100_000, 4, 0]],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': BOLD,
        'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
        'symbol-sort-key': ['-', ['get', 'people']],
        'text-letter-spacing': 0.08,
        'text-max-width': 7,
        'text-padding': 6,
      },
      paint: { ...paint, 'text-opacity': 0.85 },
    },
  ];
}
