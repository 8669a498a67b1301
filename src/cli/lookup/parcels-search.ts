import type { Command } from '../command.ts';

export const parcelsSearch: Command = {
  args: [
    { name: 'LON', doc: 'Longitude in degrees; may be negative.', required: true },
    { name: 'LAT', doc: 'Latitude in degrees.', required: true },
  ],
  options: {
    'forest-fallback': {
      type: 'boolean',
      doc: 'Outside of every parcel dataset, the forest patch that holds the point.',
    },
    crs: { type: 'string', value: 'EPSG:n', doc: 'CRS of the printed polygon; default EPSG:4326.' },
    output: { type: 'string', short: 'o', value: 'FILE', doc: 'Where the GeoJSON goes; default: standard output.' },
  },
  examples: [
    'npx firstmile parcels search 102.605 4.61',
    'npx firstmile parcels search -123.365 48.428 --forest-fallback --crs EPSG:3005 -o parcel.geojson',
  ],
  async run(context) {
    // Not loaded before it is needed: the other commands start faster without it.
    const { runParcelsSearch } = await import('./parcels-search-run.ts');
    return await runParcelsSearch(context);
  },
};
