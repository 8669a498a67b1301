import { createReadStream } from 'node:fs';
import type { FacilityOptions } from '../../facilities/options.ts';
import { Problem } from '../../errors.ts';
import { batchedText } from '../../locations/formats/batched-text.ts';
import {
  FEATURE_FORMATS,
  type FeatureFormat,
  type FeatureResults,
  featureText,
} from '../../locations/formats/feature-text.ts';
import { locationColumns } from '../../locations/normalized.ts';
import type { LocationOptions } from '../../locations/options.ts';
import { mappingOfFile } from '../../locations/summarise-locations.ts';
import type { TaskContext } from '../../jobs/task.ts';
import type { UncheckedFeature } from '../../geo/geometry.ts';
import { aheadWith } from '../auto-data/read-ahead.ts';
import {
  createFacilityService,
  FEATURE_BYTES,
  type FacilityService,
  type FacilityServiceConfig,
} from '../facilities/facilities.ts';
import { rateInParts } from '../facilities/rate-in-parts.ts';
import type { LendHelpers } from '../facilities/rating-helper.ts';
import { createFalseColour } from '../forest/false-colour.ts';
import { writeCollectionRows } from '../gis/write-collection-rows.ts';
import { writeResultRows } from '../gis/write-result-rows.ts';
import type { SplitFeature } from '../plots/split/split-feature.ts';
import { keepSplitter, type SplitterConfig } from '../plots/split/split-plots.ts';
import type { World } from '../world/world.ts';
import { helpersForRows, normalizeInParts, tableInParts } from '../locations/normalize-in-parts.ts';
import { createLocationService, noLocations } from '../locations/locations.ts';
import { previewLocations, previewReading, type PreviewOptions } from '../locations/preview-locations.ts';
import { regionSources, type RegionConfig } from '../locations/region-data.ts';
import { validatedColumns } from '../locations/validated-columns.ts';
import { validateLocations } from '../locations/validate-locations.ts';
import type { ValidateLocationsOptions } from '../plots/evaluate-rows.ts';

/** What is done in a thread while its sender waits, mostly with an uploaded file; `path` is where it lies. */
interface FileJobs {
  /** Reads GeoJSON through without rating anything, for a task; the number of features. */
  readonly inspect_facilities: { readonly path: string };
  /** Rates the facilities of GeoJSON once all of it has been read through. */
  readonly rate_facilities: {
    readonly path: string;
    readonly options: FacilityOptions;
    readonly format: FeatureFormat;
  };
  /** Opens a file of locations and refuses one without a row, no more; what its columns are taken for. */
  readonly open_locations: { readonly path: string; readonly options: LocationOptions };
  /** Reads a file of locations through without looking anything up, for a task; the number of rows. */
  readonly inspect_locations: { readonly path: string; readonly options: LocationOptions };
  /** Reads a file of locations through without looking anything up; what it would become. */
  readonly preview_locations: {
    readonly path: string;
    readonly options: LocationOptions;
    readonly preview: Pick<PreviewOptions, 'fileName' | 'size' | 'fetchData'>;
  };
  /** Normalises, and validates where `checks` say how, once all of the file has been read through. */
  readonly answer_locations: {
    readonly path: string;
    readonly options: LocationOptions;
    readonly checks: ValidateLocationsOptions | null;
    readonly format: FeatureFormat;
  };
  /** Finds out of plots whether they are clearly two things. */
  readonly split_plots: { readonly features: readonly UncheckedFeature[] };
  /** Draws the embeddings around a place in false colour. */
  readonly false_colour: { readonly lon: number; readonly lat: number; readonly years: readonly number[] | null };
  /** Writes the stored parts of a collection as rows for maps. */
  readonly map_collection: Parameters<typeof writeCollectionRows>[0];
  /** The same of the stored results of a task. */
  readonly map_results: Parameters<typeof writeResultRows>[0];
}

type FileJobKind = keyof FileJobs;

/** One job of any kind. */
export type FileJob = { [K in FileJobKind]: { readonly kind: K; readonly params: FileJobs[K] } }[FileJobKind];

/** A task handler that needs neither input nor checkpoints. */
type FileHandler = (
  context: Pick<TaskContext, 'params' | 'signal' | 'write'>,
) => Promise<{ readonly resultType: string; readonly summary?: unknown }>;

export type FileHandlers = Readonly<Record<FileJobKind, FileHandler>>;

type HandlerData = Parameters<typeof createLocationService>[0] &
  Parameters<typeof createFacilityService>[0] &
  Partial<Pick<World, 'forest' | 'refresh' | 'catalogue' | 'fetchAhead'>>;

/** Does the jobs in the thread it is called in; large files of facilities together with the threads of `lendHelpers`. */
export function createFileHandlers(
  data: HandlerData,
  config: FacilityServiceConfig & SplitterConfig & RegionConfig,
  lendHelpers: LendHelpers = () => ({ helpers: [], giveBack: () => Promise.resolve() }),
): FileHandlers {
  const facilities = createFacilityService(data, config, FEATURE_BYTES.atOnce);
  const facilitiesAsTask = createFacilityService(data, config, FEATURE_BYTES.asTask);
  const rating = { data, facilities, facilitiesAsTask, lendHelpers };
  const splitters = keepSplitter(data.sources, config);
  const falseColour = createFalseColour(config);
  const locations = createLocationService(data, config, FEATURE_BYTES.atOnce);
  const locationsAsTask = createLocationService(data, config, FEATURE_BYTES.asTask);

  return {
    inspect_facilities: handler<'inspect_facilities'>(async ({ path }) => {
      const { features } = await facilitiesAsTask.inspect(bytesOf(path));
      return features;
    }),
    rate_facilities: handler<'rate_facilities'>((params, context) => rateFacilities(params, context, rating)),
    open_locations: handler<'open_locations'>(async ({ path, options }, { signal }) => {
      await using opened = await locationsAsTask.open(path, options);
      if (await opened.isEmpty(signal)) throw noLocations();
      return mappingOfFile(opened.file, opened.prepared.tables);
    }),
    preview_locations: handler<'preview_locations'>(async ({ path, options, preview }, { signal }) => {
      await using opened = await locationsAsTask.open(path, previewReading(options));
      const { geocode: geocodes, commodity } = options;
      return await previewLocations(opened, { ...preview, geocodes, commodity }, regionSources(data, config), signal);
    }),
    inspect_locations: handler<'inspect_locations'>(async ({ path, options }, { signal }) => {
      await using opened = await locationsAsTask.open(path, options);
      return await opened.inspect(signal);
    }),
    answer_locations: handler<'answer_locations'>((params, context) =>
      answerLocations(params, context, { data, config, locations, lendHelpers }),
    ),
    split_plots: handler<'split_plots'>(async ({ features }, { signal }) => {
      const splitter = await splitters.of(data.catalogue ?? []);
      const found: SplitFeature[] = [];
      for (const feature of features) found.push(await splitter.split(feature, signal));
      return found;
    }),
    false_colour: handler<'false_colour'>((place, { signal }) => falseColour(data.catalogue ?? [], place, signal)),
    map_collection: handler<'map_collection'>((params, { signal }) => writeCollectionRows(params, signal)),
    map_results: handler<'map_results'>((params, { signal }) => writeResultRows(params, signal)),
  };
}

type Work = Pick<TaskContext, 'signal' | 'write'>;

interface RatingParts {
  readonly data: HandlerData;
  readonly facilities: FacilityService;
  readonly facilitiesAsTask: FacilityService;
  readonly lendHelpers: LendHelpers;
}

/** Rates facilities, a large file together with the threads of `lendHelpers`. */
async function rateFacilities(
  { path, options, format }: FileJobs['rate_facilities'],
  { signal, write }: Work,
  parts: RatingParts,
): Promise<void> {
  const { data, facilities, lendHelpers } = parts;
  const features = await inspectForNow(path, parts);
  const { helpers, giveBack } = lendHelpers(features);
  if (helpers.length === 0) {
    const run = facilities.validateBytes(bytesOf(path), options, signal);
    await writeFeatures(format, { ...run, columns: facilities.columns }, write);
    return;
  }
  let isDone = false;
  try {
    const { citation } = data;
    const job = { options, format };
    const pieces = rateInParts({ facilities, citation, bytes: bytesOf(path), job, helpers, signal });
    for await (const piece of pieces) await write(piece);
    isDone = true;
  } finally {
    await giveBack(isDone);
  }
}

/** Says so of a file that is too large only for an answer at once. */
async function inspectForNow(
  path: string,
  { facilities, facilitiesAsTask }: Pick<RatingParts, 'facilities' | 'facilitiesAsTask'>,
): Promise<number> {
  try {
    return (await facilities.inspect(bytesOf(path))).features;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'too_large') throw error;
    await facilitiesAsTask.inspect(bytesOf(path));
    throw new Problem('too_large', `${error.message}; with async_mode=true it is accepted`, {
      errors: error.errors,
      cause: error,
    });
  }
}

interface AnswerParts {
  readonly data: HandlerData;
  readonly config: FacilityServiceConfig;
  readonly locations: ReturnType<typeof createLocationService>;
  readonly lendHelpers: LendHelpers;
}

/** Checked, or as they were read: then large files together with the threads of `lendHelpers`. */
async function answerLocations(
  { path, options, checks, format }: FileJobs['answer_locations'],
  { signal, write }: Work,
  { data, config, locations, lendHelpers }: AnswerParts,
): Promise<void> {
  await using opened = await locations.open(path, options);
  const rows = await opened.inspect(signal);
  const table = checks === null ? tableInParts(opened, data) : null;
  if (table !== null) {
    const { helpers, giveBack } = helpersForRows(lendHelpers, rows);
    let isDone = false;
    try {
      for await (const piece of normalizeInParts({ opened, table, data, format, helpers, signal })) await write(piece);
      isDone = true;
    } finally {
      await giveBack(isDone);
    }
  } else if (checks === null)
    await writeFeatures(format, { ...opened.normalize(signal), columns: locationColumns }, write);
  else {
    const { sources, citation, refresh, forest, fetchAhead } = data;
    const now = {
      sources,
      citation,
      ...(refresh === undefined ? {} : { refresh }),
      ...(forest === undefined ? {} : { forest }),
      ...aheadWith(fetchAhead, { waitMs: checks.facility.checkTimeoutMs }),
    };
    const run = validateLocations(opened, now, checks, config, signal);
    await writeFeatures(format, { ...run, columns: validatedColumns }, write);
  }
}

function handler<K extends FileJobKind>(work: (params: FileJobs[K], context: Work) => Promise<unknown>): FileHandler {
  return async (context) => {
    const params = context.params as FileJobs[K];
    const summary = await work(params, context);
    return { resultType: 'format' in params ? FEATURE_FORMATS[params.format] : 'application/json', summary };
  };
}

async function writeFeatures<F extends object>(
  format: FeatureFormat,
  results: FeatureResults<F>,
  write: TaskContext['write'],
): Promise<void> {
  for await (const bytes of batchedText(featureText(format, results))) await write(bytes);
}

function bytesOf(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 131_072 }) as AsyncIterable<Uint8Array>;
}
