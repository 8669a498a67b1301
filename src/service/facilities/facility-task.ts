import type { FacilityOptions } from '../../facilities/options.ts';
import { batchedText } from '../../locations/formats/batched-text.ts';
import { FEATURE_FORMATS, type FeatureFormat, featureText } from '../../locations/formats/feature-text.ts';
import type { TaskHandler } from '../../jobs/task.ts';
import { fetchPhase } from '../auto-data/fetch-progress.ts';
import { countOutcome } from '../locations/task-outcome.ts';
import type { FacilityService } from './facilities.ts';

/** The kind of task that rates a batch of facilities. */
export const FACILITY_TASK = 'validate_facilities';

export interface FacilityTaskParams {
  readonly options: FacilityOptions;
  readonly format: FeatureFormat;
  /** Features in the input, counted before the task was accepted. */
  readonly features: number;
}

/** Rates the facilities of the input and writes what the synchronous answer would have been. */
export function facilityTask(facilities: FacilityService): TaskHandler {
  return async ({ params, input, signal, write, progress }) => {
    const { options, format, features: total } = params as FacilityTaskParams;
    let done = 0;
    const outcome = countOutcome();
    const onFetch = (fetched: number, cells: number): void =>
      progress(done, total, fetchPhase(fetched, cells, 'validating'));
    const run = facilities.validateBytes(input, options, signal, onFetch);
    progress(0, total);
    const counted = (async function* () {
      for await (const feature of run.features) {
        yield feature;
        outcome.add(feature);
        progress(++done, total);
      }
    })();
    const text = featureText(format, { features: counted, aggregate: run.aggregate, columns: facilities.columns });
    for await (const bytes of batchedText(text)) await write(bytes);
    return { resultType: FEATURE_FORMATS[format], outcome: outcome.result() };
  };
}
