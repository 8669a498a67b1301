import type { Config } from '../../config/settings.ts';
import { facilityColumns } from '../../facilities/csv-columns.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { ValidatedFacility } from '../../facilities/result.ts';
import { createSummary, type FacilitySummary } from '../../facilities/summarise.ts';
import { validateBatch, type FacilityInput } from '../../facilities/validate-batch.ts';
import {
  type GeojsonStructure,
  readGeojsonFeatures,
  validateGeojsonStructure,
} from '../../readers/formats/geojson/features.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { isRecord } from '../../is-record.ts';
import type { AheadOptions } from '../auto-data/auto-data.ts';
import type { World } from '../world/world.ts';

/** A batch under way: results in input order, and the aggregate over those that were read. */
interface FacilityRun {
  readonly features: AsyncIterable<ValidatedFacility>;
  readonly aggregate: () => FacilitySummary;
}

export interface FacilityService {
  /** Reads a whole file without keeping it; throws `Problem('malformed_file' | 'too_large')` that says where it is broken. */
  inspect(bytes: AsyncIterable<Uint8Array>): Promise<GeojsonStructure>;
  /** Rates everything in a file that `inspect` found whole. */
  validateBytes(
    bytes: AsyncIterable<Uint8Array>,
    options: FacilityOptions,
    signal: AbortSignal,
    /** Takes the time that fetching map data takes, and hears how far that is; absent: no longer than a check may take. */
    onFetch?: AheadOptions['onProgress'],
  ): FacilityRun;
  validateOne(feature: unknown, options: FacilityOptions, signal: AbortSignal): FacilityRun;
  readonly columns: typeof facilityColumns;
}

/**
 * The largest feature, in bytes. One feature is rated in one go: where the answer is made in the thread that serves every
 * request, nobody is served meanwhile; a task has a thread of its own.
 */
export const FEATURE_BYTES = { atOnce: 1_000_000, asTask: 32_000_000 } as const;

/** Joins the checks of `facilities/` to the data. */
export function createFacilityService(
  data: Pick<World, 'sources' | 'citation'> & Partial<Pick<World, 'refresh' | 'fetchAhead'>>,
  config: Pick<Config, 'facilitiesInFlight' | 'maxFeatures'>,
  maxFeatureBytes: number,
): FacilityService {
  const limits = { maxFeatures: config.maxFeatures, maxFeatureBytes, refuseOptions: true };

  function validate(inputs: AsyncIterable<FacilityInput>, options: FacilityOptions, signal: AbortSignal): FacilityRun {
    const summary = createSummary({ citation: data.citation });
    const results = validateBatch(
      refreshed(inputs, data.refresh),
      { facility: options, inFlight: config.facilitiesInFlight },
      data.sources,
      signal,
    );
    return { features: counted(results, summary), aggregate: summary.result };
  }

  return {
    inspect: (bytes) => validateGeojsonStructure(bytes, limits),
    validateBytes(bytes, options, signal, onFetch) {
      const features = readGeojsonFeatures(bytes, limits);
      const waiting = onFetch === undefined ? { waitMs: options.checkTimeoutMs } : { onProgress: onFetch };
      const ready = data.fetchAhead?.(features, shapeOfInput, { signal, ...waiting }) ?? features;
      return validate(ready, options, signal);
    },
    validateOne: (feature, options, signal) => validate(only({ feature }), options, signal),
    columns: facilityColumns,
  };
}

function shapeOfInput(input: FacilityInput): Shape | null {
  return 'feature' in input && isRecord(input.feature) ? toShape(input.feature['geometry']).shape : null;
}

/** The same inputs, once it is known what is installed now. */
async function* refreshed(
  inputs: AsyncIterable<FacilityInput>,
  refresh: World['refresh'] | undefined,
): AsyncGenerator<FacilityInput, void> {
  await refresh?.();
  yield* inputs;
}

async function* counted(
  results: AsyncIterable<ValidatedFacility>,
  summary: ReturnType<typeof createSummary>,
): AsyncGenerator<ValidatedFacility, void> {
  for await (const result of results) {
    summary.add(result);
    yield result;
  }
}

async function* only(input: FacilityInput): AsyncGenerator<FacilityInput, void> {
  yield input;
}
