import { attributionText } from './attribution-text.ts';
import type { FeatureCollection } from 'geojson';
import type { FilterSpecification, GeoJSONSource } from 'maplibre-gl';
import { may, principal } from '../state/session.ts';
import { language } from '../text/translate.ts';
import { PLACES_FILTER } from './base-style.ts';
import type { MapTheme } from './colours.ts';
import { boxOfCoverage } from './coverage.ts';
import { boxPolygon } from './box-polygon.ts';
import { mapSets, setsInView, THEME_ZOOM, type MapSet, type SetTheme, type ViewOfMap } from './map-sets.ts';
import type { MapLibreMap } from './open-map.ts';
import { leftOut, switchOf } from './switches.ts';
import { setLayers, slotOf, sourceOf } from './set-layers.ts';

/** The deepest zoom of tiles that is requested; nearer views draw these larger. */
const DEEPEST = 15;
/** Zoom from which the settlements of packs stand for those of the base map. */
const OWN_NAMES_ZOOM = 10;
const FIRST_ZOOM = Math.min(...Object.values(THEME_ZOOM));

type CountryPlace = readonly [code: string, lon: number, lat: number, people: number];
let countries: Promise<readonly CountryPlace[]> | null = null;

/** Keeps what the service knows of the ground in view on a map, as vector tiles that are requested when they are in view. */
export interface BaseRefresh {
  /** The style was replaced: nothing of it is there any more. */
  restyled(theme: MapTheme): void;
  /** Adds the sets that came into view; reports to `onThemes` which themes are drawn. */
  run(): Promise<void>;
  /** Whether it is still to be found which sets are in view. */
  readonly isRunning: boolean;
}

export function createRefresh(map: MapLibreMap, onThemes: (themes: readonly SetTheme[]) => void): BaseRefresh {
  let theme: MapTheme = 'light';
  /** Packs in place of whose settlements those of the base map have no names. */
  let named = 0;
  let isGone = false;
  let running = 0;
  map.once('remove', () => (isGone = true));
  return {
    restyled(name) {
      theme = name;
      named = 0;
      void nameCountries(map);
    },
    get isRunning() {
      return running > 0;
    },
    async run() {
      running++;
      await addSets().finally(() => running--);
      // Whoever waits until all is drawn hears of it, also where nothing was added.
      if (!isGone) map.triggerRepaint();
    },
  };

  async function addSets(): Promise<void> {
    const hidden = (of: SetTheme): boolean => leftOut.peek().has(switchOf(of));
    const view = viewOf(map);
    // Whoever is not signed in has no tiles.
    if (principal.peek() === null || view.zoom < FIRST_ZOOM) return onThemes([]);
    const sets = await mapSets(may('forest')).catch(() => null);
    // A style that is being replaced takes nothing; once it is there, this is run again.
    if (isGone || sets === null || map.getLayer('land') === undefined) return;
    const inView = setsInView(sets, view);
    for (const set of inView) if (map.getSource(sourceOf(set.id)) === undefined) addSet(map, set, theme);
    for (const set of sets)
      for (const { id } of setLayers(set, theme))
        if (map.getLayer(id) !== undefined)
          map.setLayoutProperty(id, 'visibility', hidden(set.theme) ? 'none' : 'visible');
    const grounds = sets
      .filter(({ id, theme: of }) => of === 'settlements' && !hidden(of) && map.getSource(sourceOf(id)) !== undefined)
      .map(({ coverage }) => ('type' in coverage ? coverage : boxPolygon(coverage).geometry));
    if (named !== grounds.length) map.setFilter('places', placesFilter(grounds));
    named = grounds.length;
    onThemes([...new Set(inView.map(({ theme: of }) => of))]);
  }
}

function addSet(map: MapLibreMap, set: MapSet, theme: MapTheme): void {
  map.addSource(sourceOf(set.id), {
    type: 'vector',
    // Whole: it is read by a worker, whose own address is another.
    tiles: [`${location.origin}/tiles/${set.id}/{z}/{x}/{y}`],
    minzoom: Math.floor(THEME_ZOOM[set.theme]),
    maxzoom: DEEPEST,
    bounds: [...boxOfCoverage(set.coverage)],
    attribution: escaped(attributionText(set.attribution)),
  });
  for (const layer of setLayers(set, theme))
    map.addLayer({ minzoom: THEME_ZOOM[set.theme], ...layer }, slotOf(set.theme));
}

/** Where packs have settlements, those of the base map would be the same names twice. */
function placesFilter(grounds: readonly unknown[]): FilterSpecification {
  if (grounds.length === 0) return PLACES_FILTER;
  const outside = grounds.map((ground) => ['!', ['within', ground]]);
  return ['all', PLACES_FILTER, ['any', ['<', ['zoom'], OWN_NAMES_ZOOM], ['all', ...outside]]] as never;
}

/** The text of a dataset is shown, not run. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Countries by their names in the language of the page. */
async function nameCountries(map: MapLibreMap): Promise<void> {
  const places = await countryPlaces();
  const names = new Intl.DisplayNames(language.peek(), { type: 'region', fallback: 'none' });
  const data: FeatureCollection = {
    type: 'FeatureCollection',
    features: places.flatMap(([code, lon, lat, people]) => {
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
  };
  (map.getSource('countries') as GeoJSONSource | undefined)?.setData(data);
}

function countryPlaces(): Promise<readonly CountryPlace[]> {
  countries ??= fetch('/console/map/countries.json').then(async (response) => {
    if (!response.ok) throw new Error(`countries: ${response.status}`);
    return (await response.json()) as readonly CountryPlace[];
  });
  countries.catch(() => (countries = null));
  return countries;
}

function viewOf(map: MapLibreMap): ViewOfMap {
  const bounds = map.getBounds();
  return {
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
    zoom: map.getZoom(),
  };
}
