import { counted } from '../../counted.ts';
import { basename, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { batchPeriod } from '../../collections/batch-period.ts';
import { openCollectionAdmin } from '../../app/collections-admin.ts';
import type { CollectionAdmin } from '../../app/collections-control.ts';
import type { CollectionWork } from '../../service/collections/collections.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { collectionText } from './collections.ts';
import { LOCATION_OPTIONS, locationInput, readLocationOptions } from '../lookup/location-input.ts';
import { createProgressBar } from '../parts/progress-bar.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { openWorld } from '../../service/world/world.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { previewLocations, type LocationPreview } from '../../service/locations/preview-locations.ts';
import { commandLog } from '../parts/command-log.ts';
import { textTable } from '../parts/text-table.ts';

/** Milliseconds between two looks at a batch that is waited for. */
const POLL_MS = 500;

export const batch: Command = {
  args: [{ name: 'FILE', doc: 'Any file of locations; - reads standard input.', required: true }],
  options: {
    ...USER_OPTION,
    name: { type: 'string', value: 'TEXT', doc: 'Name of the collection; default the name of the file.' },
    description: { type: 'string', value: 'TEXT', doc: 'Comes back with it and in its event.' },
    commodity: { type: 'string', value: 'CROP', doc: 'Commodity of locations that name none.' },
    ...LOCATION_OPTIONS,
    stats: {
      type: 'boolean',
      doc: 'Measure every plot: forest, loss, biomass, diversity. Without it nothing is measured.',
    },
    'validate-locations': { type: 'boolean', doc: 'Validate every location, which gives it a confidence.' },
    'eudr-dds': { type: 'boolean', doc: 'Send the EUDR due diligence report by email.' },
    'monitoring-start': { type: 'string', value: 'DATE', doc: 'Before 2020-12-31; default 2017-01-01.' },
    'monitoring-end': { type: 'string', value: 'DATE', doc: 'After 2020-12-31; default today.' },
    'dry-run': {
      type: 'boolean',
      doc: 'Show what each column is taken for, counts and problems; keep nothing. Needs no running service.',
    },
    wait: { type: 'boolean', doc: 'Wait for its end, with a progress bar; exits with 1 unless it is completed.' },
    json: { type: 'boolean', doc: 'JSON instead of text.' },
  },
  examples: [
    'npx firstmile batch plots.csv --dry-run --map \'{"Grower group": "supplier_name"}\'',
    'npx firstmile batch plots.geojson --name "lot 7" --stats --validate-locations --wait',
  ],
  async run(context) {
    const { args, options, config, err, out, signal } = context;
    const text = (name: string): string | undefined => options[name] as string | undefined;
    const today = new Date().toISOString().slice(0, 10);
    const period = batchPeriod({ start: text('monitoring-start'), end: text('monitoring-end') }, today);
    if ('field' in period) throw new UsageError(`--${period.detail.replaceAll('_', '-')}`);
    if (options['dry-run'] === true) return await previewBatch(context);
    const userId = await userIdOf(options['user'], config);
    await using input = await locationInput(args[0] ?? '', signal);
    await using opened = await openCollectionAdmin(config);
    const locations = readLocationOptions(context, opened.countryCode);
    if (!opened.hasRunner) {
      err.write('firstmile batch: nothing works on batches; start the service first (npm start), then try again\n');
      return 1;
    }
    const begun = await opened.collections.processFile({
      userId,
      path: resolve(input.path),
      name: text('name') ?? basename(args[0] === '-' ? 'standard input' : (args[0] ?? '')),
      description: text('description') ?? '',
      reading: {
        locations,
        facility: {
          // Each location has a commodity of its own by then: what its row says, or else --commodity.
          commodity: null,
          commodityText: null,
          commodityRadiusM: 5_000,
          checkWater: false,
          checkPort: false,
          checkRoad: true,
          checkTimeoutMs: config.checkTimeoutMs,
        },
      },
      options: {
        cropType: locations.commodity,
        statistics: options['stats'] === true,
        validateLocations: options['validate-locations'] === true,
        eudrDds: options['eudr-dds'] === true,
        ...period,
      },
    });
    const shown = options['wait'] === true ? await untilEnd(begun, opened.collections, userId, context) : begun;
    out.write(options['json'] === true ? `${JSON.stringify(shown, null, 2)}\n` : collectionText(shown));
    return options['wait'] !== true || shown.collection.status === 'completed' ? 0 : 1;
  },
};

async function untilEnd(
  begun: CollectionWork,
  collections: CollectionAdmin,
  userId: string,
  { err, signal }: CommandContext,
): Promise<CollectionWork> {
  const bar = createProgressBar(err, 'locations');
  try {
    for (let shown = begun; ;) {
      if (shown.collection.status !== 'processing') return shown;
      if (shown.task !== null) bar.update(shown.task.progress.done, shown.task.progress.total);
      await wait(POLL_MS, undefined, { signal });
      shown = await collections.showCollection({ userId, id: begun.collection.id });
    }
  } finally {
    bar.finish();
  }
}

/** Shows what a batch would make of the file, without a service and without keeping anything. */
async function previewBatch(context: CommandContext): Promise<number> {
  const { args, options, config, err, out, signal } = context;
  await using input = await locationInput(args[0] ?? '', signal);
  const logLevel = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const data = await openWorld(config, commandLog({ ...config, logLevel }, err));
  try {
    const service = createLocationService(data, config, FEATURE_BYTES.asTask);
    const reading = readLocationOptions(context, service.countryCode);
    await using opened = await service.open(input.path, { ...reading, geocode: false });
    const preview = await previewLocations(opened, reading.geocode, signal);
    out.write(options['json'] === true ? `${JSON.stringify(preview, null, 2)}\n` : previewText(preview));
    return 0;
  } finally {
    await data.close();
  }
}

function previewText({ format, mapping, counts, problems, remarks }: LocationPreview): string {
  const tables = mapping.map(({ name, skipped, columns }) => {
    const title = `${name ?? 'Columns'}${skipped === null ? '' : ` (left out: ${skipped})`}`;
    const rows = columns.map(({ column, field, confidence, why }) => [
      column,
      field ?? '-',
      confidence.toFixed(2),
      why,
    ]);
    return `${title}\n${textTable(['column', 'field', 'sure', 'why'], rows, [2])}`;
  });
  const lines = [
    `${counted(counts.locations, 'location')} (${format}): ${counted(counts.plots, 'plot')} of ${counted(counts.producers, 'producer')}, ${counted(counts.facilities, 'facility', 'facilities')}`,
    `${counts.with_geometry} with coordinates, ${counts.to_geocode} to be looked up by address, ${counts.without_place} without a place`,
    ...(counts.plots_without_producer === 0
      ? []
      : [`${counted(counts.plots_without_producer, 'plot')} without a producer`]),
    ...remarks,
  ];
  const found = problems.map(({ code, count, example, fix }) => `${count} ${code}\n  ${example}\n  ${fix}`);
  return [
    ...tables,
    ...lines,
    ...(found.length === 0 ? [] : ['', ...found]),
    '',
    'Nothing was kept. Correct a column with --map, then run it without --dry-run.',
    '',
  ].join('\n');
}
