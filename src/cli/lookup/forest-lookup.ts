import type { Command, CommandContext } from '../command.ts';
import { connectLookups } from '../parts/running-lookups.ts';

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
    const answered = await answerByService(context);
    if (answered !== null) return answered;
    // Not loaded before it is needed: the other commands start faster without it.
    const { runForestLookup } = await import('./forest-lookup-run.ts');
    return await runForestLookup(context);
  },
};

/** The exit code of a lookup by a service that runs on the same data; null where none does, and where the options want it done here. */
async function answerByService(context: CommandContext): Promise<number | null> {
  if (context.options['dataset'] !== undefined || context.options['debug'] !== undefined) return null;
  const begun = performance.now();
  const lookups = await connectLookups(context);
  if (lookups === null) return null;
  const [{ readCrs, readPointArgs }, { printAnswer }] = await Promise.all([
    import('../parts/read-places.ts'),
    import('./forest-answer.ts'),
  ]);
  const [point, crs] = [readPointArgs(context.args), readCrs(context.options['crs'])];
  const patch = await lookups.lookUpForest({ point, crs: crs.name });
  if (patch === null) return null;
  return await printAnswer(context, { point, patch, crs, failures: [], ms: performance.now() - begun });
}
