import type { FeatureCollection, Feature } from 'geojson';
import type { GeoJSONSource } from 'maplibre-gl';
import { language } from '../text/translate.ts';
import type { MapLibreMap } from './open-map.ts';
import { call } from '../api/client.ts';
import { covers, type CoverageShape } from './coverage.ts';

/** Zoom from which what packs hold is drawn, and from which their buildings are. */
const FROM_ZOOM = 11.5;
const BUILDINGS_ZOOM = 12.5;
/** Degrees each way of one question, far out and near. */
const WIDE = 0.2;
const NEAR = 0.05;
const KEPT = 60;
const LIMIT = 10_000;

interface View {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly zoom: number;
}

type CountryPlace = readonly [code: string, lon: number, lat: number, people: number];

const kept = new Map<string, Promise<readonly Feature[]>>();
let countries: Promise<readonly CountryPlace[]> | null = null;
let packs: Promise<readonly CoverageShape[]> | null = null;

/** What lies in view is fetched as the map moves; what came for a view that is left again is not shown. */
export function createRefresh(map: MapLibreMap) {
  let packKey = '';
  let run = 0;
  const set = (id: string, data: FeatureCollection): void => {
    (map.getSource(id) as GeoJSONSource | undefined)?.setData(data);
  };
  return {
    forget() {
      packKey = '';
      void nameCountries(set);
    },
    async run() {
      const mine = ++run;
      const packs = await packFeaturesFor(viewOf(map)).catch(() => null);
      if (mine !== run || packs === null || packs.key === packKey) return;
      packKey = packs.key;
      set('packs', packs.data);
    },
  };
}

/** Countries by their names in the language of the page. */
async function nameCountries(set: (id: string, data: FeatureCollection) => void): Promise<void> {
  const places = await countryPlaces();
  const names = new Intl.DisplayNames(language.peek(), { type: 'region', fallback: 'none' });
  set('countries', {
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
  });
}

function countryPlaces(): Promise<readonly CountryPlace[]> {
  countries ??= fetch('/console/map/countries.json').then(async (response) => {
    if (!response.ok) throw new Error(`countries: ${response.status}`);
    return (await response.json()) as readonly CountryPlace[];
  });
  countries.catch(() => (countries = null));
  return countries;
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

/** What regional packs hold in a view; nothing far out or where no pack is. */
async function packFeaturesFor(view: View): Promise<{ readonly key: string; readonly data: FeatureCollection }> {
  if (view.zoom < FROM_ZOOM) return { key: '', data: { type: 'FeatureCollection', features: [] } };
  const near = view.zoom >= BUILDINGS_ZOOM;
  const size = near ? NEAR : WIDE;
  const known = await packCoverages();
  const names: string[] = [];
  for (let i = Math.floor(view.west / size); i * size < view.east; i++)
    for (let j = Math.floor(view.south / size); j * size < view.north; j++) {
      const box = [i * size, j * size, (i + 1) * size, (j + 1) * size].map((edge) => Number(edge.toFixed(4)));
      if (known.some((coverage) => covers(coverage, box as [number, number, number, number])))
        names.push(`${near ? 'near' : 'wide'} ${box.join(',')}`);
    }
  const parts = await Promise.all(names.map(download));
  return { key: names.join(' '), data: { type: 'FeatureCollection', features: parts.flat() } };
}

/** The layers of packs, of which only the places matter here. */
function packCoverages(): Promise<readonly CoverageShape[]> {
  packs ??= call('getDatasets').then(({ datasets }) =>
    datasets
      .filter(({ kind, role }) => kind === 'flatgeobuf' && role === 'roads')
      .map(({ coverage }) => coverage as CoverageShape),
  );
  packs.catch(() => (packs = null));
  return packs;
}

function download(name: string): Promise<readonly Feature[]> {
  const found = kept.get(name) ?? fetchCell(name);
  kept.delete(name);
  kept.set(name, found);
  found.catch(() => kept.delete(name));
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return found;
}

async function fetchCell(name: string): Promise<readonly Feature[]> {
  const [reach, bbox = ''] = name.split(' ');
  const themes = reach === 'near' ? 'roads,water,buildings,industrial,businesses,ports' : 'roads,water,industrial';
  const answer = await call('getMapFeatures', {
    query: { bbox, themes, limit: LIMIT },
    accept: 'application/geo+json',
  });
  return answer.features as unknown as Feature[];
}
