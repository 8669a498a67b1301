import { onOff, setting } from './parsers.ts';

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
    '`off` leaves out every dataset at a public address, embeddings and maps: answers then come from what is on this machine and in `CATALOGUE` alone, and no request for data leaves it. See docs/network.md.',
  ),
  publicRasters: setting(
    'PUBLIC_RASTERS',
    'on',
    onOff,
    '`off` leaves out the maps at public addresses (forest, losses, land cover, biomass, height) and keeps the embeddings: plots are then measured on rasters of your own alone, and no request for them leaves the machine.',
  ),
};
