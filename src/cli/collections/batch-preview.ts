import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { openWorld } from '../../service/world/world.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { previewLocations, type LocationPreview } from '../../service/locations/preview-locations.ts';
import { commandLog } from '../parts/command-log.ts';
import type { CommandContext } from '../command.ts';
import { locationInput, readLocationOptions } from '../lookup/location-input.ts';
import { textTable } from '../parts/text-table.ts';

/** Shows what a batch would make of the file, without a service and without keeping anything. */
export async function previewBatch(context: CommandContext): Promise<number> {
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
    `${counts.locations} locations (${format}): ${counts.plots} plots of ${counts.producers} producers, ${counts.facilities} facilities`,
    `${counts.with_geometry} with coordinates, ${counts.to_geocode} to be looked up by address, ${counts.without_place} without a place`,
    ...(counts.plots_without_producer === 0 ? [] : [`${counts.plots_without_producer} plots without a producer`]),
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
