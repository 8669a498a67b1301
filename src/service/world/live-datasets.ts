import type { Config } from '../../config/settings.ts';
import type { Dataset, DatasetRole } from '../../readers/catalogue/dataset.ts';
import { parcelMapBc } from '../../readers/parcels/parcelmap-bc.ts';
import { GOOGLE as GOOGLE_GEOCODER, NOMINATIM, PELIAS, PHOTON } from '../../readers/geocoders/geocoder-services.ts';

/** The settings that say which live services are queried. */
export type LiveDatasetConfig = Pick<
  Config,
  | 'googlePlacesKey'
  | 'googlePlacesUrl'
  | 'overpassUrl'
  | 'parcelMapBcUrl'
  | 'openSupplyHubToken'
  | 'openSupplyHubUrl'
  | 'gleifUrl'
  | 'openCorporatesToken'
  | 'openCorporatesUrl'
  | 'googleGeocodingKey'
  | 'googleGeocodingUrl'
  | 'peliasUrl'
  | 'nominatimUrl'
  | 'photonUrl'
>;

/** The live services that are set up, as the catalogue lists them: one entry for each role. */
export function liveDatasets(config: LiveDatasetConfig): readonly Dataset[] {
  const { overpassUrl, parcelMapBcUrl, gleifUrl, peliasUrl, nominatimUrl, photonUrl } = config;
  return [
    ...(config.googlePlacesKey === null ? [] : [service(GOOGLE, config.googlePlacesUrl)]),
    ...(overpassUrl === null ? [] : OVERPASS.map((entry) => service(entry, overpassUrl))),
    ...(parcelMapBcUrl === null ? [] : [parcelMapBc(withoutQuery(parcelMapBcUrl))]),
    ...(config.openSupplyHubToken === null ? [] : [service(OPEN_SUPPLY_HUB, config.openSupplyHubUrl)]),
    ...(gleifUrl === null ? [] : [service(GLEIF, gleifUrl)]),
    ...(config.openCorporatesToken === null ? [] : [service(OPEN_CORPORATES, config.openCorporatesUrl)]),
    ...(config.googleGeocodingKey === null ? [] : [service(GOOGLE_GEOCODING, config.googleGeocodingUrl)]),
    ...(peliasUrl === null ? [] : [service(PELIAS_GEOCODING, peliasUrl)]),
    ...(nominatimUrl === null ? [] : [service(NOMINATIM_GEOCODING, nominatimUrl)]),
    ...(photonUrl === null ? [] : [service(PHOTON_GEOCODING, photonUrl)]),
  ];
}

type Entry = Pick<Dataset, 'id' | 'role' | 'licence' | 'attribution'>;

/** `version` stands for the day of each answer, which its receipt gives. */
function service(entry: Entry, url: string): Dataset {
  return {
    ...entry,
    kind: 'service',
    url: withoutQuery(url),
    version: 'live',
    date: null,
    coverage: { bbox: [-180, -90, 180, 90] },
    synthetic: false,
    options: {},
  };
}

/** An operator may have put a key into the address; the catalogue is public. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const GOOGLE: Entry = {
  id: 'google-places',
  role: 'businesses',
  licence: 'Google Maps Platform Terms of Service',
  attribution: 'Google Maps',
};

const OVERPASS: readonly Entry[] = (['roads', 'buildings', 'businesses', 'water'] satisfies DatasetRole[]).map(
  (role) => ({ id: `overpass-${role}`, role, licence: 'ODbL-1.0', attribution: '© OpenStreetMap contributors' }),
);

const OPEN_SUPPLY_HUB: Entry = {
  id: 'open-supply-hub',
  role: 'producers',
  licence: 'CC-BY-SA-4.0',
  attribution: 'Open Supply Hub (opensupplyhub.org)',
};

const GLEIF: Entry = {
  id: 'gleif',
  role: 'producers',
  licence: 'CC0-1.0',
  attribution: 'Global LEI Index, GLEIF (gleif.org)',
};

const OPEN_CORPORATES: Entry = {
  id: 'opencorporates',
  role: 'producers',
  licence: 'ODbL-1.0',
  attribution: 'from OpenCorporates (opencorporates.com)',
};

const GOOGLE_GEOCODING: Entry = {
  id: GOOGLE_GEOCODER.id,
  role: 'geocoder',
  licence: 'Google Maps Platform Terms of Service',
  attribution: 'Google Maps',
};

const PELIAS_GEOCODING: Entry = {
  id: PELIAS.id,
  role: 'geocoder',
  licence: 'Those of the data on the server (ODbL-1.0, CC-BY-4.0 and others)',
  attribution: 'Pelias; © OpenStreetMap contributors, OpenAddresses, Who’s On First, GeoNames',
};

const NOMINATIM_GEOCODING: Entry = {
  id: NOMINATIM.id,
  role: 'geocoder',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors, via Nominatim',
};

const PHOTON_GEOCODING: Entry = {
  id: PHOTON.id,
  role: 'geocoder',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors, via Photon',
};
