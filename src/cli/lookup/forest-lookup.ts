import type { Command } from '../command.ts';

export const forestLookup: Command = {
  args: [
    { name: 'LON', doc: 'Longitude in degrees; may be negative.', required: true },
    { name: 'LAT', doc: 'Latitude in degrees.', required: true },
  ],
  options: {
    crs: { type: 'string', value: 'EPSG:n', doc: 'CRS of the printed polygon; default EPSG:4326.' },
    dataset: {
      type: 'string',
      value: 'ID',
      doc: 'Query this dataset alone, as `firstmile data list` names it; default: all, in order.',
    },
    debug: {
      type: 'string',
      value: 'FOLDER',
      doc: 'Look live, even where labels are stored, and write edge strength, labels, outlines and a picture of them there.',
    },
    output: { type: 'string', short: 'o', value: 'FILE', doc: 'Where the GeoJSON goes; default: standard output.' },
  },
  examples: [
    'npx firstmile forest lookup -62.21 -3.46',
    'npx firstmile forest lookup 11.52 48.13 --crs EPSG:25832 -o patch.geojson',
    'npx firstmile forest lookup -88.82 44.34 --dataset my-tiles --debug lookup && qgis lookup/*.tif lookup/*.geojson',
  ],
  async run(context) {
    // Not loaded before it is needed: the other commands start faster without it.
    const { runForestLookup } = await import('./forest-lookup-run.ts');
    return await runForestLookup(context);
  },
};
