import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { previewLocations, previewReading } from '../../service/locations/preview-locations.ts';
import { regionSources } from '../../service/locations/region-data.ts';
import { openWorld } from '../../service/world/world.ts';
import type { CommandContext } from '../command.ts';
import { locationInput, readLocationOptions } from '../lookup/location-input.ts';
import { commandLog } from '../parts/command-log.ts';
import { previewText } from './preview-text.ts';

/** Shows what a batch would make of the file, without a service and without keeping anything. */
export async function previewBatch(context: CommandContext): Promise<number> {
  const { args, options, config, err, out, signal } = context;
  await using input = await locationInput(args[0] ?? '', signal);
  const logLevel = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const data = await openWorld(config, commandLog({ ...config, logLevel }, err));
  try {
    const service = createLocationService(data, config, FEATURE_BYTES.asTask);
    const reading = readLocationOptions(context, service.countryCode);
    await using opened = await service.open(input.path, previewReading(reading));
    const preview = await previewLocations(
      opened,
      {
        geocodes: reading.geocode,
        commodity: reading.commodity,
        fileName: args[0] === '-' ? null : basename(args[0] ?? ''),
        // The command line takes files of any size.
        size: { bytes: (await stat(input.path)).size, most_bytes: null, most_locations: config.maxFeatures },
        fetchData: options['fetch-data'] === true,
      },
      regionSources(data, config),
      signal,
    );
    out.write(options['json'] === true ? `${JSON.stringify(preview, null, 2)}\n` : previewText(preview));
    return 0;
  } finally {
    await data.close();
  }
}
