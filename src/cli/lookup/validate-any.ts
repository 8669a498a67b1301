import type { FacilityOptions } from '../../facilities/options.ts';
import { aheadWith } from '../../service/auto-data/read-ahead.ts';
import type { World } from '../../service/world/world.ts';
import { FEATURE_BYTES } from '../../service/facilities/facilities.ts';
import type { FeatureFormat } from '../../locations/formats/feature-text.ts';
import { createLocationService } from '../../service/locations/locations.ts';
import { validatedColumns } from '../../service/locations/validated-columns.ts';
import { validateLocations } from '../../service/locations/validate-locations.ts';
import type { CommandContext } from '../command.ts';
import { facilityReport } from './facility-report.ts';
import { locationInput, readLocationOptions } from './location-input.ts';
import { locationOutput, writeLocations } from './location-output.ts';
import { report } from './normalize.ts';
import { createProgressBar, NO_PROGRESS_BAR, withProgress } from '../parts/progress-bar.ts';

/** Validates a file of any format: facilities and plots, each by its own checks. Returns the exit code. */
export async function validateAny(
  context: CommandContext,
  data: World,
  { facility, format }: { readonly facility: FacilityOptions; readonly format: FeatureFormat | undefined },
): Promise<number> {
  const { config, err, signal, args, options } = context;
  const output = locationOutput((options['output'] as string | undefined) ?? null, format);
  await using input = await locationInput(args[0] ?? '', signal);
  const service = createLocationService(data, config, FEATURE_BYTES.asTask);
  await using opened = await service.open(input.path, readLocationOptions(context, service.countryCode));
  const total = await opened.inspect(signal);
  const barOf = (unit: string) => (options['quiet'] === true ? NO_PROGRESS_BAR : createProgressBar(err, unit));
  const [bar, fetching] = [barOf('locations'), barOf('cells of map data')];
  const onProgress = (done: number, cells: number): void => fetching.update(done, cells);
  const ahead = aheadWith(data.fetchAhead, { onProgress });
  const run = validateLocations(
    opened,
    { ...data, ...ahead },
    { facility, repair: options['repair'] === true },
    config,
    signal,
  );
  const counted = withProgress(run.features, bar, total);
  try {
    await writeLocations({ features: counted, aggregate: run.aggregate, columns: validatedColumns }, output, context);
  } finally {
    bar.finish();
  }
  const summary = run.aggregate();
  const { plots, facilities, processing } = summary;
  if (options['quiet'] !== true) {
    err.write(report(summary, output.path));
    err.write(
      `Plots: ${plots.valid} of ${plots.total} valid, ${plots.repaired} repaired. Rows: ${inWords(processing)}.\n`,
    );
    if (facilities.total_facilities > 0) err.write(`${facilityReport(facilities).join('\n')}\n`);
  }
  const isClean =
    plots.valid === plots.total && facilities.confidence_level.invalid === 0 && processing.processed === summary.total;
  return isClean ? 0 : 1;
}

/** `2 high, 1 low`: counts that are not 0. */
function inWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  return words.length === 0 ? 'none' : words.join(', ');
}
