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
      doc: 'Show what each column is taken for, first rows, counts, problems and what is known of the region; keep nothing. Needs no running service.',
    },
    'fetch-data': {
      type: 'boolean',
      doc: 'With --dry-run: fetch the map data that is missing around the rows, and wait for it.',
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
    if (options['dry-run'] === true) return await (await import('./preview-batch.ts')).previewBatch(context);
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
