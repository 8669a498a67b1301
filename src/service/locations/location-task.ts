import type { Config } from '../../config/settings.ts';
import { batchedText } from '../../locations/formats/batched-text.ts';
import {
  FEATURE_FORMATS,
  type FeatureFormat,
  type FeatureResults,
  featureText,
} from '../../locations/formats/feature-text.ts';
import { locationColumns } from '../../locations/normalized.ts';
import type { LocationOptions } from '../../locations/options.ts';
import type { TaskHandler } from '../../jobs/task.ts';
import { followFetching } from '../auto-data/fetch-progress.ts';
import type { World } from '../world/world.ts';
import type { LocationService } from './locations.ts';
import { spoolInput } from './spool-input.ts';
import { watchCrashes } from './watch-crashes.ts';
import { countOutcome } from './task-outcome.ts';
import { validatedColumns } from './validated-columns.ts';
import { validateLocations } from './validate-locations.ts';
import type { ValidateLocationsOptions } from '../plots/evaluate-rows.ts';

/** The kinds of task that read a file of locations. */
export const NORMALIZE_TASK = 'normalize_locations';
export const VALIDATE_TASK = 'validate_locations';

export interface LocationTaskParams {
  readonly options: LocationOptions;
  /** Null: the locations are normalised alone. */
  readonly checks: ValidateLocationsOptions | null;
  readonly format: FeatureFormat;
  /** As the client named the file, for lists of tasks; null where it did not. */
  readonly file: string | null;
  /** Rows in the input, counted before the task was accepted. */
  readonly features: number;
}

/** Writes what the synchronous answer would have been. The input goes to disk first, because most formats are not read front to back. */
export function locationTask(
  locations: LocationService,
  data: World,
  config: Pick<Config, 'facilitiesInFlight'>,
): TaskHandler {
  return async ({ params, input, signal, write, progress: report, kept }) => {
    const { options, checks, format, features: total } = params as LocationTaskParams;
    await using spooled = await spoolInput(input, signal);
    // Nothing of it is kept: it begins again after a crash.
    const watch = watchCrashes(kept, await kept.crashes(), Infinity);
    await using opened = await locations.open(spooled.path, options, watch);
    const { progress, ...ahead } = followFetching(data.fetchAhead, report);
    let done = 0;
    const outcome = countOutcome();
    progress(0, total);
    const counted = async function* <T>(items: AsyncIterable<T>): AsyncGenerator<T, void> {
      for await (const item of items) {
        yield item;
        outcome.add(item);
        progress(++done, total);
      }
    };
    const send = async <F extends object>(results: FeatureResults<F>): Promise<void> => {
      for await (const bytes of batchedText(featureText(format, { ...results, features: counted(results.features) })))
        await write(bytes);
    };
    if (checks === null) await send({ ...opened.normalize(signal), columns: locationColumns });
    else
      await send({
        ...validateLocations(opened, { ...data, ...ahead }, checks, config, signal),
        columns: validatedColumns,
      });
    return { resultType: FEATURE_FORMATS[format], ...(checks === null ? {} : { outcome: outcome.result() }) };
  };
}
