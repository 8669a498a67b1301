import { httpUrl, languageModel, optional, serviceKey, setting, wholeNumber } from './parsers.ts';

/** The settings of services that are queried while a facility is checked: all optional, none needed. */
export const LIVE_SETTINGS = {
  overpassUrl: setting(
    'OVERPASS_URL',
    '',
    optional(httpUrl),
    'Interpreter of an Overpass server, such as `https://overpass-api.de/api/interpreter`, for roads, buildings, water and businesses where no pack covers. Empty: none.',
  ),
  overpassConcurrency: setting(
    'OVERPASS_CONCURRENCY',
    '2',
    wholeNumber(1, 64),
    'Requests to Overpass at the same time; the public servers allow 2 per client address. Your own server takes more.',
  ),
  googlePlacesKey: setting(
    'GOOGLE_PLACES_KEY',
    '',
    optional(serviceKey),
    'Key for Google Places (New), for businesses where no pack covers. Empty: not used.',
    'secret',
  ),
  googlePlacesUrl: setting('GOOGLE_PLACES_URL', 'https://places.googleapis.com', httpUrl, 'Where Google Places is.'),
  openSupplyHubToken: setting(
    'OPEN_SUPPLY_HUB_TOKEN',
    '',
    optional(serviceKey),
    'Token for Open Supply Hub, to verify producers. Empty: not used.',
    'secret',
  ),
  openSupplyHubUrl: setting(
    'OPEN_SUPPLY_HUB_URL',
    'https://opensupplyhub.org',
    httpUrl,
    'Where Open Supply Hub is; its staging host for trials.',
  ),
  gleifUrl: setting(
    'GLEIF_URL',
    '',
    optional(httpUrl),
    'Where the register of legal entity identifiers is, `https://api.gleif.org`, to verify producers. Empty: not used.',
  ),
  openCorporatesToken: setting(
    'OPENCORPORATES_TOKEN',
    '',
    optional(serviceKey),
    'Token for OpenCorporates, to verify producers. Empty: not used.',
    'secret',
  ),
  openCorporatesUrl: setting(
    'OPENCORPORATES_URL',
    'https://api.opencorporates.com',
    httpUrl,
    'Where OpenCorporates is.',
  ),
  parcelMapBcUrl: setting(
    'PARCELMAP_BC_URL',
    '',
    optional(httpUrl),
    'WFS of ParcelMap BC, `https://openmaps.gov.bc.ca/geo/pub/WHSE_CADASTRE.PMBC_PARCEL_FABRIC_POLY_SVW/wfs`, for parcels of British Columbia. Empty: not used.',
  ),
  liveCacheMb: setting(
    'LIVE_CACHE_MB',
    '200',
    wholeNumber(0, 1_000_000),
    'Disk space for cached answers of live services, in MB of 1,000,000 bytes; 0 caches none.',
  ),
  languageModel: setting(
    'LANGUAGE_MODEL',
    '',
    optional(languageModel),
    'Model that words the comment on each facility, as `provider:model`: `openai-compatible:`, `anthropic:`, `google:` or `azure:` (with the name of the deployment). Empty: the comment is composed from the evidence.',
  ),
  languageModelKey: setting(
    'LANGUAGE_MODEL_KEY',
    '',
    optional(serviceKey),
    'Key for the language model. A server of your own may need none.',
    'secret',
  ),
  languageModelUrl: setting(
    'LANGUAGE_MODEL_URL',
    '',
    optional(httpUrl),
    'Where the language model is. Needed for `openai-compatible:` (such as `http://127.0.0.1:11434/v1`) and `azure:` (`https://NAME.openai.azure.com/openai`); empty takes the usual address of the provider for the others.',
  ),
  languageModelConcurrency: setting(
    'LANGUAGE_MODEL_CONCURRENCY',
    '8',
    wholeNumber(1, 256),
    'Requests to the language model at the same time.',
  ),
};
