import { httpUrl, optional, serviceKey, setting, wholeNumber } from './parsers.ts';

/** The settings of services that find rows without coordinates by their address: all optional; the built-in places need none. */
export const GEOCODER_SETTINGS = {
  googleGeocodingKey: setting(
    'GOOGLE_GEOCODING_KEY',
    '',
    optional(serviceKey),
    'Key for the Geocoding API of Google, used before the other geocoders. Empty: not used.',
    'secret',
  ),
  googleGeocodingUrl: setting(
    'GOOGLE_GEOCODING_URL',
    'https://maps.googleapis.com',
    httpUrl,
    'Where the Geocoding API of Google is.',
  ),
  peliasUrl: setting('PELIAS_URL', '', optional(httpUrl), 'Where a Pelias server is. Empty: not used.'),
  peliasKey: setting(
    'PELIAS_KEY',
    '',
    optional(serviceKey),
    'Key for Pelias, where the server requires one.',
    'secret',
  ),
  nominatimUrl: setting(
    'NOMINATIM_URL',
    '',
    optional(httpUrl),
    'Where a Nominatim server is; the public one does not allow bulk geocoding. Empty: not used.',
  ),
  photonUrl: setting('PHOTON_URL', '', optional(httpUrl), 'Where a Photon server is. Empty: not used.'),
  geocoderIntervalMs: setting(
    'GEOCODER_INTERVAL_MS',
    '1000',
    wholeNumber(0, 60_000),
    'Milliseconds between two requests of this process to one geocoder; your own server takes less. Cached answers cost no wait.',
  ),
};
