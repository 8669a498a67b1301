import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import { MAP_COLOURS, type MapTheme } from './colours.ts';
import type { Settings } from '../state/settings.ts';
import { MAP_FONT, THEME_SLOTS } from './set-layers.ts';

export const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

/** The deepest zoom of the base map's tiles; nearer views draw these larger. */
const BASE_ZOOM = 5;
/** The deepest zoom of public terrain tiles; nearer views enlarge these. */
const TERRAIN_ZOOM = 13;
/**
 * Zooms between which water fades and from which it is not drawn: its shores are up to some hundred metres off, which are angular
 * shards in a town; those of `lakes` are kilometres off at places. What packs know of water is drawn from near.
 */
const WATER_FADES = [10, 12.5] as const;
const LAKES_FADE = [8, 11] as const;

/** Which settlements of the base map have names from which zoom on. */
export const PLACES_FILTER: ExpressionSpecification = [
  '>=',
  ['get', 'people'],
  ['step', ['zoom'], 2_000_000, 4, 700_000, 5, 250_000, 6.5, 60_000, 8, 15_000, 9.5, 3_000, 11, 0],
];

interface StyleOptions {
  /** Where the page comes from. */
  readonly origin: string;
  readonly theme: MapTheme;
  /** Tiles of the operator that are shown. */
  readonly tiles: Settings['tiles'];
  readonly terrain: Settings['terrain'];
  /** Sources and layers of the page, above the base map and below its labels. */
  readonly sources: Readonly<Record<string, SourceSpecification>>;
  readonly layers: readonly LayerSpecification[];
}

const OSM = '© <a href="https://www.openstreetmap.org/copyright" rel="noreferrer" target="_blank">OpenStreetMap</a>';
const GEONAMES = '<a href="https://www.geonames.org/" rel="noreferrer" target="_blank">GeoNames</a>';

/** The style of a map: the base map of the built-in data, the operator's tiles if there are any, room for sets of vector tiles, and the page's own. */
export function mapStyle({ origin, theme, tiles, terrain, sources, layers }: StyleOptions): StyleSpecification {
  const colours = MAP_COLOURS[theme];
  return {
    version: 8,
    sources: {
      base: {
        type: 'vector',
        // Whole: it is read by a worker, whose own address is another.
        tiles: [`${origin}/console/map/{z}/{x}/{y}.mvt`],
        minzoom: 0,
        maxzoom: BASE_ZOOM,
        attribution: `${OSM} via geo-maps, ${GEONAMES}`,
      },
      countries: geojson(),
      ...(tiles === null
        ? {}
        : { tiles: { type: 'raster', tiles: [tiles.url], tileSize: 256, attribution: escaped(tiles.attribution) } }),
      ...(terrain === null
        ? {}
        : {
            terrain: {
              type: 'raster-dem',
              tiles: [terrain.url],
              tileSize: 256,
              encoding: terrain.encoding,
              maxzoom: TERRAIN_ZOOM,
              attribution: escaped(terrain.attribution),
            },
          }),
      ...sources,
    },
    layers: [
      { id: 'land', type: 'background', paint: { 'background-color': colours.land } },
      {
        id: 'water',
        type: 'fill',
        source: 'base',
        'source-layer': 'water',
        maxzoom: WATER_FADES[1],
        paint: waterPaint(colours.water, WATER_FADES),
      },
      {
        id: 'lakes',
        type: 'fill',
        source: 'base',
        'source-layer': 'lakes',
        maxzoom: LAKES_FADE[1],
        paint: waterPaint(colours.water, LAKES_FADE),
      },
      ...(tiles === null ? [] : [{ id: 'tiles', type: 'raster', source: 'tiles' } as const]),
      ...(terrain === null ? [] : [shading(theme)]),
      {
        id: 'borders',
        type: 'line',
        source: 'base',
        'source-layer': 'borders',
        paint: { 'line-color': colours.border, 'line-width': ['interpolate', ['linear'], ['zoom'], 1, 0.6, 8, 1.4] },
      },
      ...THEME_SLOTS,
      { id: 'slot-page', type: 'background', layout: { visibility: 'none' } },
      ...layers,
      ...labelLayers(theme),
    ],
  };
}

function waterPaint(colour: string, [from, until]: readonly [number, number]) {
  return {
    'fill-color': colour,
    // It would draw the lines along which tiles are cut.
    'fill-antialias': false,
    'fill-opacity': ['interpolate', ['linear'], ['zoom'], from, 1, until, 0] satisfies ExpressionSpecification,
  };
}

/** The shade of slopes; the light comes from the upper left, as people expect it. */
function shading(theme: MapTheme): LayerSpecification {
  const { shadow, light } = MAP_COLOURS[theme];
  return {
    id: 'terrain',
    type: 'hillshade',
    source: 'terrain',
    paint: {
      'hillshade-shadow-color': shadow,
      'hillshade-highlight-color': light,
      'hillshade-accent-color': shadow,
      'hillshade-exaggeration': 0.45,
    },
  };
}

function geojson(): SourceSpecification {
  return { type: 'geojson', data: EMPTY };
}

/** The operator's text is shown, not run. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function labelLayers(theme: MapTheme): LayerSpecification[] {
  const colours = MAP_COLOURS[theme];
  const paint = { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.4 };
  return [
    {
      id: 'places',
      type: 'symbol',
      source: 'base',
      'source-layer': 'places',
      minzoom: 3,
      filter: PLACES_FILTER,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': MAP_FONT,
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
        'text-font': MAP_FONT,
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
