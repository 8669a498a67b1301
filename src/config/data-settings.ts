import { httpUrl, oneOf, onOff, optional, setting, wholeNumber } from './parsers.ts';

/** The settings of data that the service brings along or finds by itself. */
export const DATA_SETTINGS = {
  sampleDistrict: setting(
    'SAMPLE_DISTRICT',
    'on',
    onOff,
    '`off` leaves out the sample district: a few made-up square kilometres, marked synthetic, where everything answers without network.',
  ),
  publicData: setting(
    'PUBLIC_DATA',
    'on',
    onOff,
    '`off` leaves out every dataset at a public address, embeddings and maps: answers then come from what is on this machine, from `CATALOGUE` and from services and mirrors that you set, and no other request for data leaves it. See docs/network.md.',
  ),
  publicRasters: setting(
    'PUBLIC_RASTERS',
    'on',
    onOff,
    '`off` leaves out the maps at public addresses (forest, losses, land cover, biomass, height) and keeps the embeddings: plots are then measured on rasters of your own alone, and no request for them leaves the machine.',
  ),
  autoData: setting(
    'AUTO_DATA',
    'on',
    onOff,
    '`off` fetches nothing by itself, neither map data nor detection models nor registers of producers. `on`: for a facility outside every regional pack, roads, water, buildings and businesses around it are fetched from Overture and kept; not with `PUBLIC_DATA=off`, unless `OVERTURE_URL` is a mirror of your own. See docs/network.md.',
  ),
  autoDataMaxMb: setting(
    'AUTO_DATA_MAX_MB',
    '2000',
    wholeNumber(1, 10_000_000),
    'Room that map data which was fetched by itself may take, in MB of 1,000,000 bytes; what was not used for longest goes first.',
  ),
  overtureUrl: setting(
    'OVERTURE_URL',
    'https://overturemaps-us-west-2.s3.us-west-2.amazonaws.com',
    httpUrl,
    'Bucket that `AUTO_DATA` reads releases of Overture from, or a mirror of it.',
  ),
  overtureIndexUrl: setting(
    'OVERTURE_INDEX_URL',
    'https://stac.overturemaps.org',
    optional(httpUrl),
    'STAC catalogue of Overture, which says which files touch a place. Empty: the listing of `OVERTURE_URL` and the end of each of its files, which takes hundreds of requests once a month.',
  ),
  models: setting(
    'MODELS',
    'auto',
    oneOf(['auto', 'manual']),
    '`manual` installs no detection model by itself. `auto`: the published head of a commodity is fetched when the commodity is first looked for where embeddings lie, 4 MB each (see docs/detection-models.md).',
  ),
  modelsUrl: setting(
    'MODELS_URL',
    'https://raw.githubusercontent.com/google/forest-data-partnership',
    httpUrl,
    'Where published detection models are fetched from: the repository of the Forest Data Partnership, or a mirror with the same paths.',
  ),
  millListUrl: setting(
    'MILL_LIST_URL',
    'https://www.rainforest-alliance.org/business/certification/the-universal-mill-list/',
    httpUrl,
    'Page that names the newest file of the Universal Mill List, or the file itself (`.xlsx`, `.csv`) on a server of your own. The file has to be on the host of the page or below it.',
  ),
};
