import type { Config } from '../../config/settings.ts';
import { facilityColumns } from '../../facilities/csv-columns.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { ValidatedFacility } from '../../facilities/result.ts';
import { createSummary, type FacilitySummary, type FacilityTally } from '../../facilities/summarise.ts';
import { validateBatch, validateInput, type FacilityInput } from '../../facilities/validate-batch.ts';
import {
  cutGeojson,
  type GeojsonPart,
  type GeojsonStructure,
  type PartSize,
  readGeojsonFeatures,
  validateGeojsonStructure,
} from '../../readers/formats/geojson/features.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { isRecord } from '../../is-record.ts';
import type { AheadOptions } from '../auto-data/read-ahead.ts';
import type { World } from '../world/world.ts';

/** A batch under way: results in input order, and the aggregate over those that were read. */
interface FacilityRun {
  readonly features: AsyncIterable<ValidatedFacility>;
  readonly aggregate: () => FacilitySummary;
  /** What the aggregate is made of, to be merged with that of other parts of the same file. */
  readonly tally: () => FacilityTally;
}

interface RatedFacility {
  readonly feature: ValidatedFacility;
  readonly aggregate: () => FacilitySummary;
}

/** Milliseconds for which single questions believe a look at what is installed: it takes a dozen calls of the file system. */
const REFRESH_MS = 50;

export type FacilityServiceConfig = Pick<Config, 'facilitiesInFlight' | 'maxFeatures'>;

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
  /** Cuts a file that `inspect` found whole into parts, to be rated apart. */
  cut(bytes: AsyncIterable<Uint8Array>, size: PartSize): AsyncIterable<GeojsonPart>;
  /** Rates features that were read elsewhere. */
  validateItems(inputs: Iterable<FacilityInput>, options: FacilityOptions, signal: AbortSignal): FacilityRun;
  /** Rates one feature, by what was installed `REFRESH_MS` ago at most. Rejects with the reason of `signal` when it aborts. */
  validateOne(feature: unknown, options: FacilityOptions, signal: AbortSignal): Promise<RatedFacility>;
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
  config: FacilityServiceConfig,
  maxFeatureBytes: number,
): FacilityService {
  const limits = { maxFeatures: config.maxFeatures, maxFeatureBytes, refuseOptions: true };

  const refreshSoon = data.refresh && atMostEvery(REFRESH_MS, data.refresh);

  function validate(inputs: AsyncIterable<FacilityInput>, options: FacilityOptions, signal: AbortSignal): FacilityRun {
    const summary = createSummary({ citation: data.citation });
    const results = validateBatch(
      refreshed(inputs, data.refresh),
      { facility: options, inFlight: config.facilitiesInFlight },
      data.sources,
      signal,
    );
    return { features: counted(results, summary), aggregate: summary.result, tally: summary.tally };
  }

  function fetched(
    features: AsyncIterable<FacilityInput>,
    signal: AbortSignal,
    waiting: Pick<AheadOptions, 'waitMs' | 'onProgress'>,
  ): AsyncIterable<FacilityInput> {
    return data.fetchAhead?.(features, shapeOfInput, { signal, ...waiting }) ?? features;
  }

  return {
    inspect: (bytes) => validateGeojsonStructure(bytes, limits),
    validateBytes(bytes, options, signal, onFetch) {
      const features = readGeojsonFeatures(bytes, limits);
      const waiting = onFetch === undefined ? { waitMs: options.checkTimeoutMs } : { onProgress: onFetch };
      return validate(fetched(features, signal, waiting), options, signal);
    },
    cut: (bytes, size) => cutGeojson(bytes, limits, size),
    validateItems: (inputs, options, signal) =>
      validate(fetched(each(inputs), signal, { waitMs: options.checkTimeoutMs }), options, signal),
    async validateOne(input, options, signal) {
      await refreshSoon?.();
      signal.throwIfAborted();
      const feature = await validateInput({ feature: input }, options, data.sources, signal);
      signal.throwIfAborted();
      const summary = createSummary({ citation: data.citation });
      summary.add(feature);
      return { feature, aggregate: summary.result };
    },
    columns: facilityColumns,
  };
}

/** The same, unless it was done less than `ms` ago. What fails is done again by the next call. */
function atMostEvery(ms: number, work: () => Promise<void>): () => Promise<void> | undefined {
  let doneAt = -Infinity;
  return () => {
    const now = performance.now();
    return now - doneAt < ms ? undefined : work().then(() => void (doneAt = now));
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

async function* each(inputs: Iterable<FacilityInput>): AsyncGenerator<FacilityInput, void> {
  yield* inputs;
}
