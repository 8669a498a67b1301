import { resolve } from 'node:path';
import { locationColumns } from '../../locations/normalized.ts';
import type { LocationSummary } from '../../locations/summarise-locations.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { openWorld } from '../../service/world/world.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { commandLog } from '../parts/command-log.ts';
import { UsageError, type Command } from '../command.ts';
import { locationInput, LOCATION_OPTIONS, readLocationOptions } from './location-input.ts';
import { locationOutput, writeLocations } from './location-output.ts';
import { createProgressBar, NO_PROGRESS_BAR, withProgress } from '../parts/progress-bar.ts';
import { textTable } from '../parts/text-table.ts';

export const normalize: Command = {
  args: [
    {
      name: 'FILE',
      doc: 'GeoJSON, zipped shapefile, GeoPackage, GeoParquet, KML, KMZ, CSV, TSV or XLSX, recognised by its content; - reads standard input.',
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
      const run = opened.normalize(signal);
      const counted = withProgress(run.features, bar, total);
      try {
        await writeLocations(
          { features: counted, aggregate: run.aggregate, columns: locationColumns },
          output,
          context,
        );
      } finally {
        bar.finish();
      }
      const summary = run.aggregate();
      if (options['quiet'] !== true) err.write(report(summary, output.path));
      return summary.by_geometry_source.none > 0 ? 1 : 0;
    } finally {
      await data.close();
    }
  },
};

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
    return [`${title}: ${found.length === 0 ? 'none was needed' : found.join(', ')}`];
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
