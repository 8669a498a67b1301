import type { GeocodeAnswer, GeocodePrecision, GeocodeQuery } from '../../locations/sources.ts';
import { ByteSourceError } from '../io/byte-error.ts';

/** How one service is queried and understood. */
export interface GeocoderService {
  readonly id: string;
  /** How messages and receipts call it. */
  readonly name: string;
  /** Whether its terms allow answers to be kept. */
  readonly keeps: boolean;
  /** The address to query, without the key; the key comes as `key`. */
  address(base: string, query: GeocodeQuery, key: string | null): string;
  /** Null: it knows no such place. Throws for a body that is not what the service promises. */
  read(body: unknown, query: GeocodeQuery): GeocodeAnswer | null;
}

type Json = Readonly<Record<string, unknown>>;

/** The text of the query: the address with what stands next to it. */
export function queryText({ address, locality, admin1, name }: GeocodeQuery): string {
  const parts = [address, locality, admin1].filter((part) => part !== null);
  return (parts.length > 0 ? parts.join(', ') : (name ?? '')).slice(0, 400);
}

/** Nominatim's `/search`; precision by the rank of the place (Nominatim manual, "Place ranks"). */
export const NOMINATIM: GeocoderService = {
  id: 'nominatim',
  name: 'Nominatim',
  keeps: true,
  address: (base, query) =>
    withQuery(`${base}/search`, {
      format: 'jsonv2',
      limit: '1',
      addressdetails: '1',
      q: queryText(query),
      countrycodes: query.country?.toLowerCase() ?? null,
    }),
  read(body) {
    const [place] = listOf(body);
    if (place === undefined) return null;
    const address = record(place['address']);
    return answerOf('Nominatim', place['lon'], place['lat'], {
      precision: byRank(Number(place['place_rank'])),
      confidence: Number(place['importance'] ?? 0.4) + 0.2,
      name: place['display_name'],
      country: address['country_code'],
      admin1: address['state'],
    });
  },
};

function byRank(rank: number): GeocodePrecision {
  if (rank >= 28) return 'exact';
  if (rank >= 26) return 'street';
  if (rank >= 13) return 'locality';
  return rank >= 5 ? 'region' : 'country';
}

const PHOTON_TYPES: Readonly<Record<string, GeocodePrecision>> = {
  house: 'exact',
  street: 'street',
  locality: 'locality',
  district: 'locality',
  city: 'locality',
  county: 'region',
  state: 'region',
  country: 'country',
};

/** Photon's `/api`; it takes no country, so an answer in another one is none. */
export const PHOTON: GeocoderService = {
  id: 'photon',
  name: 'Photon',
  keeps: true,
  address: (base, query) =>
    withQuery(`${base}/api`, {
      limit: '1',
      q: [queryText(query), query.country].filter((part) => part !== null).join(', '),
    }),
  read(body, query) {
    const [feature] = listOf(record(body)['features']);
    if (feature === undefined) return null;
    const properties = record(feature['properties']);
    const code = String(properties['countrycode'] ?? '').toUpperCase();
    if (query.country !== null && code !== query.country) return null;
    const [lon, lat] = positionOf(feature);
    return answerOf('Photon', lon, lat, {
      precision: PHOTON_TYPES[String(properties['type'])] ?? 'locality',
      confidence: 0.6,
      name: ['name', 'city', 'state', 'country']
        .map((key) => properties[key])
        .filter((part) => typeof part === 'string')
        .join(', '),
      country: code,
      admin1: properties['state'],
    });
  },
};

const PELIAS_LAYERS: Readonly<Record<string, GeocodePrecision>> = {
  address: 'exact',
  venue: 'exact',
  street: 'street',
  county: 'region',
  macrocounty: 'region',
  region: 'region',
  macroregion: 'region',
  dependency: 'country',
  country: 'country',
};

/** Pelias' `/v1/search`. */
export const PELIAS: GeocoderService = {
  id: 'pelias',
  name: 'Pelias',
  keeps: true,
  address: (base, query, key) =>
    withQuery(`${base}/v1/search`, {
      size: '1',
      text: queryText(query),
      'boundary.country': query.country,
      api_key: key,
    }),
  read(body) {
    const [feature] = listOf(record(body)['features']);
    if (feature === undefined) return null;
    const properties = record(feature['properties']);
    const [lon, lat] = positionOf(feature);
    return answerOf('Pelias', lon, lat, {
      precision: PELIAS_LAYERS[String(properties['layer'])] ?? 'locality',
      confidence: Number(properties['confidence'] ?? 0.5),
      name: properties['label'],
      country: properties['country_code'],
      admin1: properties['region'],
    });
  },
};

/** Failures that Google reports inside a good status, with the status they mean. */
const GOOGLE_FAILURES: Readonly<Record<string, number>> = {
  OVER_QUERY_LIMIT: 429,
  OVER_DAILY_LIMIT: 403,
  REQUEST_DENIED: 403,
  INVALID_REQUEST: 400,
  UNKNOWN_ERROR: 500,
};

/** Google's Geocoding API. */
export const GOOGLE: GeocoderService = {
  id: 'google-geocoding',
  name: 'Google Geocoding',
  keeps: false,
  address: (base, query, key) =>
    withQuery(`${base}/maps/api/geocode/json`, {
      address: queryText(query),
      components: query.country === null ? null : `country:${query.country}`,
      key,
    }),
  read(body) {
    const { status, results } = record(body);
    if (status === 'ZERO_RESULTS') return null;
    if (status !== 'OK')
      throw new ByteSourceError('status', 'Google Geocoding', `an error inside a good status: ${String(status)}`, {
        status: GOOGLE_FAILURES[String(status)] ?? 500,
      });
    const [place] = listOf(results);
    if (place === undefined) return null;
    const geometry = record(place['geometry']);
    const location = record(geometry['location']);
    const part = (type: string, form: string): unknown =>
      listOf(place['address_components']).find(({ types }) => Array.isArray(types) && types.includes(type))?.[form];
    return answerOf('Google Geocoding', location['lng'], location['lat'], {
      precision: googlePrecision(
        String(geometry['location_type']),
        Array.isArray(place['types']) ? place['types'].map(String) : [],
      ),
      confidence: place['partial_match'] === true ? 0.5 : 0.85,
      name: place['formatted_address'],
      country: part('country', 'short_name'),
      admin1: part('administrative_area_level_1', 'long_name'),
    });
  },
};

function googlePrecision(locationType: string, types: readonly string[]): GeocodePrecision {
  if (types.includes('country')) return 'country';
  if (types.some((type) => /^administrative_area_level_[123]$/.test(type))) return 'region';
  if (types.some((type) => /locality|neighborhood|postal_code|plus_code|administrative_area_level/.test(type)))
    return 'locality';
  if (types.includes('route')) return 'street';
  if (locationType === 'ROOFTOP') return 'exact';
  return locationType === 'RANGE_INTERPOLATED' ? 'street' : 'locality';
}

interface Found {
  readonly precision: GeocodePrecision;
  readonly confidence: number;
  readonly name: unknown;
  readonly country: unknown;
  readonly admin1: unknown;
}

function answerOf(
  provider: string,
  lon: unknown,
  lat: unknown,
  { precision, confidence, name, country, admin1 }: Found,
): GeocodeAnswer {
  const at = [Number(lon), Number(lat)] as const;
  if (!(Math.abs(at[0]) <= 180 && Math.abs(at[1]) <= 90)) throw new TypeError('wanted a longitude and a latitude');
  const code = typeof country === 'string' && /^[a-z]{2}$/i.test(country) ? country.toUpperCase() : null;
  return {
    at,
    precision,
    confidence: Number.isFinite(confidence) ? Math.min(0.95, Math.max(0.1, confidence)) : 0.5,
    name: typeof name === 'string' && name !== '' ? name.slice(0, 200) : 'a place without a name',
    country: code,
    admin1: typeof admin1 === 'string' ? admin1.slice(0, 100) : null,
    provider,
  };
}

function withQuery(address: string, parameters: Readonly<Record<string, string | null>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  return url.href;
}

function positionOf(feature: Json): readonly unknown[] {
  const coordinates = record(feature['geometry'])['coordinates'];
  if (!Array.isArray(coordinates)) throw new TypeError('wanted a point');
  return coordinates as unknown[];
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('wanted a list of places');
  return value.map(record);
}
