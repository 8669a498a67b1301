import { counted } from '../../counted.ts';
import { resolve } from 'node:path';
import type { UncheckedFeature } from '../../geo/geometry.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { flattenParts, type SplitFeature } from '../../service/plots/split/split-feature.ts';
import { openPlotSplitter } from '../../service/plots/split/split-plots.ts';
import { MAX_SPLIT_HA } from '../../service/plots/split/split-limits.ts';
import { openWorld } from '../../service/world/world.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { locationInput, LOCATION_OPTIONS, readLocationOptions } from '../lookup/location-input.ts';
import { commandLog } from '../parts/command-log.ts';
import { createProgressBar, NO_PROGRESS_BAR } from '../parts/progress-bar.ts';
import { textTable } from '../parts/text-table.ts';
import { writeText } from '../parts/write-output.ts';

const { country, map, crs, sheet } = LOCATION_OPTIONS;

export const plotsSplit: Command = {
  args: [
    {
      name: 'FILE',
      doc: `Outlines of plots, of at most ${MAX_SPLIT_HA} ha each: GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, GPX, or a table with WKT; - reads standard input.`,
      required: true,
    },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      doc: 'Where the parts go, as GeoJSON: a plot with a proposed split becomes its parts, any other stays whole; - is standard output.',
    },
    json: { type: 'boolean', doc: 'Print everything that was found as GeoJSON, one feature for each plot.' },
    country,
    map,
    crs,
    sheet,
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no table.' },
  },
  examples: [
    'npx firstmile plots split farms.geojson',
    'npx firstmile plots split farms.kml -o parts.geojson',
    'npx firstmile plots split farms.geojson --json | jq .features[0].properties.split_reason',
  ],
  async run(context) {
    const { err, options } = context;
    const output = (options['output'] as string | undefined) ?? null;
    const isJson = options['json'] === true;
    if (output === '-' && isJson) throw new UsageError('--json prints to standard output too; wanted one of the two');
    if (output !== null && output !== '-' && resolve(output) === resolve(context.args[0] ?? ''))
      throw new UsageError(`--output: wanted another file than the input, got ${output} for both`);
    const found = await splitFile(context);
    if (output !== null) await writeText(collectionText(flattenParts(found)), output, context);
    if (isJson) await writeText(collectionText(found), '-', context);
    if (options['quiet'] !== true) err.write(report(found, output));
    return found.some(({ properties }) => properties.split_proposed === null) ? 1 : 0;
  },
};

async function splitFile(context: CommandContext): Promise<SplitFeature[]> {
  const { config, err, signal, args, options } = context;
  await using input = await locationInput(args[0] ?? '', signal);
  const log = commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err);
  const data = await openWorld(config, log);
  const reported = new Set<string>();
  const splitter = openPlotSplitter(data.catalogue, data.sources, config, (dataset, error) => {
    // One that is down fails for every plot.
    if (!reported.has(dataset)) err.write(`${dataset}: ${error instanceof Error ? error.message : String(error)}\n`);
    reported.add(dataset);
  });
  const bar = options['quiet'] === true ? NO_PROGRESS_BAR : createProgressBar(err, 'plots');
  try {
    const service = createLocationService(data, config, FEATURE_BYTES.asTask);
    const read = {
      ...readLocationOptions(context, service.countryCode),
      locationType: 'plot',
      geocode: false,
    } as const;
    await using opened = await service.open(input.path, read);
    const total = await opened.inspect(signal);
    const found: SplitFeature[] = [];
    for await (const { geometry, properties } of opened.normalize(signal).features) {
      const { location_id: id, name, source_row: row, source } = properties;
      const feature: UncheckedFeature = {
        type: 'Feature',
        ...(id === null ? {} : { id }),
        geometry,
        properties: { ...source, name, source_row: row },
      };
      found.push(await splitter.split(feature, signal));
      bar.update(found.length, total);
    }
    return found;
  } finally {
    bar.finish();
    await splitter.close();
    await data.close();
  }
}

async function* collectionText(features: readonly UncheckedFeature[]): AsyncGenerator<string> {
  yield '{"type":"FeatureCollection","features":[';
  for (const [i, feature] of features.entries()) yield `${i === 0 ? '' : ',\n'}${JSON.stringify(feature)}`;
  yield ']}\n';
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** A line for each plot, and what each rests on. */
function report(plots: readonly SplitFeature[], output: string | null): string {
  const rows = plots.map(({ id, properties: p }) => [
    String(p['name'] ?? id ?? `row ${String(p['source_row'])}`),
    p.area_ha === null ? '-' : p.area_ha.toFixed(2),
    p.split_proposed === null ? 'unknown' : p.split_proposed ? `${p.parts?.features.length} parts` : 'no',
    p.split_confidence ?? '-',
    firstSentence(p.split_reason),
  ]);
  const count = (proposed: boolean | null): number =>
    plots.filter(({ properties }) => properties.split_proposed === proposed).length;
  const lines = [
    textTable(['plot', 'ha', 'split', 'confidence', 'because'], rows, [1]),
    `${counted(plots.length, 'plot')}: a split is proposed for ${count(true)}, none for ${count(false)}, ${count(null)} unknown.`,
    ...(output === null || output === '-' ? [] : [`Parts: ${output}`]),
  ];
  return `${lines.join('\n')}\n`;
}
