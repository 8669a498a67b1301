import { resolve } from 'node:path';
import { locationColumns } from '../../locations/normalized.ts';
import type { LocationSummary } from '../../locations/summarise-locations.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { compileCacheFolder } from '../../jobs/compile-cache.ts';
import { helpersOf } from '../../service/files/open-helpers.ts';
import { helpersForRows, normalizeInParts, tableInParts } from '../../service/locations/normalize-in-parts.ts';
import { openWorld, type World } from '../../service/world/world.ts';
import { createLocationService, type OpenedLocations } from '../../service/locations/locations.ts';
import { commandLog } from '../parts/command-log.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { writePieces } from '../parts/write-output.ts';
import { locationInput, LOCATION_OPTIONS, readLocationOptions } from './location-input.ts';
import { locationOutput, writeLocations, type LocationOutput } from './location-output.ts';
import { createProgressBar, NO_PROGRESS_BAR, withProgress, type ProgressBar } from '../parts/progress-bar.ts';
import { textTable } from '../parts/text-table.ts';

export const normalize: Command = {
  args: [
    {
      name: 'FILE',
      doc: 'GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, GPX, CSV, TSV or XLSX, recognised by its content; - reads standard input.',
      required: true,
    },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      doc: 'Where the locations go; its ending chooses the format (.geojson, .ndjson, .csv, .xlsx, .parquet).',
    },
    commodity: { type: 'string', short: 'c', value: 'NAME', doc: 'Commodity of rows that name none.' },
    ...LOCATION_OPTIONS,
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no table.' },
  },
  examples: [
    'npx firstmile normalize suppliers.xlsx -o suppliers.geojson',
    'npx firstmile normalize farms.csv --country ID --crs EPSG:32748 -o farms.parquet',
  ],
  async run(context) {
    const { config, err, signal, args, options } = context;
    const output = locationOutput((options['output'] as string | undefined) ?? null);
    if (output.path !== null && output.path !== '-' && resolve(output.path) === resolve(args[0] ?? ''))
      throw new UsageError(`--output: wanted another file than the input, got ${output.path} for both`);
    await using input = await locationInput(args[0] ?? '', signal);
    const data = await openWorld(
      config,
      commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err),
    );
    try {
      const service = createLocationService(data, config, FEATURE_BYTES.asTask);
      await using opened = await service.open(input.path, readLocationOptions(context, service.countryCode));
      const total = await opened.inspect(signal);
      const bar = options['quiet'] === true ? NO_PROGRESS_BAR : createProgressBar(err, 'rows');
      const summary = await written(opened, data, output, bar, total, context);
      if (options['quiet'] !== true) err.write(report(summary, output.path));
      return summary.by_geometry_source.none > 0 ? 1 : 0;
    } finally {
      await data.close();
    }
  },
};

/** Writes the locations, with further threads where the file is large and the format can be made in parts. */
async function written(
  opened: OpenedLocations,
  data: World,
  output: LocationOutput,
  bar: ProgressBar,
  total: number,
  context: CommandContext,
): Promise<LocationSummary> {
  const { config, signal } = context;
  const table = tableInParts(opened, data);
  const { path, format } = output;
  try {
    if (table === null || path === null || format === 'xlsx' || format === 'parquet') {
      const run = opened.normalize(signal);
      const features = withProgress(run.features, bar, total);
      await writeLocations({ features, aggregate: run.aggregate, columns: locationColumns }, output, context);
      return run.aggregate();
    }
    const rated = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    const shared = { config, data: await data.share(), compileCache: compileCacheFolder(), rated };
    const { helpers, giveBack } = helpersForRows(helpersOf(shared), total);
    try {
      const onRows = (done: number): void => bar.update(done, total);
      const pieces = normalizeInParts({ opened, table, data, format, helpers, signal, onRows });
      return await writePieces(pieces, path, context);
    } finally {
      // Threads that are kept would keep the command from its end.
      await giveBack(false);
    }
  } finally {
    bar.finish();
  }
}

/** What was found, for people. */
export function report(summary: LocationSummary, path: string | null): string {
  const count = (value: number): string => String(value);
  const rows = [
    ['facilities', count(summary.by_type.facility)],
    ['plots', count(summary.by_type.plot)],
    ['places from the file', count(summary.by_geometry_source.input)],
    ['places geocoded', count(summary.by_geometry_source.geocoded)],
    ['without a place', count(summary.by_geometry_source.none)],
  ];
  const tables = summary.tables.flatMap(({ name, skipped, columns }) => {
    const title = name === null ? 'Columns' : `Columns of "${name}"`;
    if (skipped !== null) return [`Left out "${name}": ${skipped}`];
    const found = columns
      .filter(({ field }) => field !== null)
      .map(({ column, field, confidence }) => `${column} -> ${field} (${confidence})`);
    return [`${title}: ${found.length === 0 ? 'none used' : found.join(', ')}`];
  });
  const lines = [
    textTable(['rows', String(summary.total)], rows, [1]),
    ...summary.remarks,
    ...tables,
    ...summary.warnings.map(
      ({ code, count: times, fix }) => `Warning ${code}, ${times === 1 ? 'once' : `${times} times`}: ${fix}`,
    ),
    path === null ? 'No --output was given, so only this summary is kept.' : path === '-' ? '' : `Results: ${path}`,
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
