import { createHash } from 'node:crypto';
import { createBatchSummary, type PartSummary } from '../../collections/batch-summary.ts';
import type { BatchOptions, Collection } from '../../collections/collection.ts';
import { collectionConfidence, reasonSentences } from '../../collections/collection-confidence.ts';
import type { ExportDigest } from '../../collections/due-diligence/export-types.ts';
import type { PlotRecord, PlotStatistics } from '../../collections/plot-record.ts';
import { mappingOf } from '../../locations/summarise-locations.ts';
import type { TableMapping } from '../../collections/table-mapping.ts';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import type { Checkpoint } from '../../jobs/checkpoints.ts';
import type { TaskContext, TaskHandler } from '../../jobs/task.ts';
import { evaluatedLocations, type EvaluatedLocation, reevaluate } from './locations.ts';
import { createPartSize, groupLocations, storedRecords, makePart } from './parts.ts';
import type { CollectionTaskParams, CollectionTaskSummary } from './collection-task.ts';
import { followFetching } from '../auto-data/fetch-progress.ts';
import type { World } from '../world/world.ts';
import { inOrder } from '../world/in-order.ts';
import { noLocations, type LocationService, type OpenedLocations } from '../locations/locations.ts';
import { ONE_BY_ONE, watchCrashes, type TaskWatch } from '../locations/watch-crashes.ts';
import { spoolInput } from '../locations/spool-input.ts';
import { forestFinding } from '../forest/finding.ts';

/** A geometry that can be used, and the hectares the user stated or a polygon has. */
export interface PlotToMeasure {
  readonly geometry: unknown;
  readonly statedHa: number | null;
}

/** What the batch is made of in addition to the data of facilities. */
export interface BatchParts {
  readonly locations: LocationService;
  readonly data: Pick<World, 'sources' | 'citation'> & Partial<Pick<World, 'forest' | 'fetchAhead'>>;
  readonly config: Pick<Config, 'facilitiesInFlight'>;
  /** Measures plots; one entry a plot, in order. */
  readonly measure: (plots: readonly PlotToMeasure[], signal: AbortSignal) => Promise<readonly PlotStatistics[]>;
  /** The due diligence report of a collection as a ZIP. */
  readonly writeReport: (
    collection: Collection,
    records: () => AsyncIterable<PlotRecord>,
    signal: AbortSignal,
    onDigest: (digest: ExportDigest) => void,
  ) => AsyncIterable<Uint8Array>;
}

/** Groups that are measured while the next ones are read: bounds the memory of a batch. */
const GROUPS_IN_FLIGHT = 2;
const PHASES = { read: 'reading', check: 'validating', measure: 'measuring', keep: 'keeping', report: 'reporting' };

/** One pass over the file of a collection: read, validate, measure, keep part after part; then its report. */
export function batchTask(all: BatchParts): TaskHandler {
  return async (given) => {
    const { parts, context } = withFetchPhase(all, given);
    const params = context.params as CollectionTaskParams;
    const options = params.options as BatchOptions;
    const summary = createBatchSummary();
    const phase = options.statistics ? PHASES.measure : options.validateLocations ? PHASES.check : PHASES.keep;
    const kept = await context.kept.list();
    const work = (opened: Opened): Promise<number> => keepAll(opened, { parts, context, options, summary, phase });
    // What the batch measures is what its checks say: no plot is measured twice.
    const reading = options.statistics ? { ...parts, data: withoutForest(parts.data) } : parts;
    const read = await withLocations(params, reading, context, options.validateLocations, kept, work);
    const { total, seq, mapping } = read;
    return finish(params, options, parts, context, { ...summary.result(), parts: seq, mapping }, total);
  };
}

/** Both say in their phase how far fetching is, while locations wait for map data. */
function withFetchPhase(parts: BatchParts, context: TaskContext): { parts: BatchParts; context: TaskContext } {
  const { progress, ...ahead } = followFetching(parts.data.fetchAhead, context.progress);
  return { parts: { ...parts, data: { ...parts.data, ...ahead } }, context: { ...context, progress } };
}

function withoutForest({ sources, citation, fetchAhead }: BatchParts['data']): BatchParts['data'] {
  return { sources, citation, ...(fetchAhead === undefined ? {} : { fetchAhead }) };
}

/** The same pass without statistics: what confidence the locations deserve, and the locations with it until a batch replaces them. */
export function checkTask(all: BatchParts): TaskHandler {
  return async (given) => {
    const { parts, context } = withFetchPhase(all, given);
    const params = context.params as CollectionTaskParams;
    const summary = createBatchSummary();
    const kept = await context.kept.list();
    const options = { statistics: false, validateLocations: true, monitoringEnd: '' };
    const work = (opened: Opened): Promise<number> =>
      keepAll(opened, { parts, context, options, summary, phase: PHASES.check });
    const { seq, mapping } = await withLocations(params, parts, context, true, kept, work);
    return conclude(context, { ...summary.result(), parts: seq, mapping, report: null });
  };
}

interface Opened {
  /** Those that are not kept yet. */
  readonly locations: AsyncIterable<EvaluatedLocation>;
  readonly total: number;
  readonly kept: readonly Checkpoint[];
  readonly watch: TaskWatch;
}

async function withLocations(
  params: CollectionTaskParams,
  { locations, data, config }: BatchParts,
  { input, signal, progress, kept: store }: TaskContext,
  validate: boolean,
  kept: readonly Checkpoint[],
  work: (opened: Opened) => Promise<number>,
): Promise<{ readonly total: number; readonly seq: number; readonly mapping: readonly TableMapping[] }> {
  progress(0, null, PHASES.read);
  const watch = watchCrashes(store, await store.crashes(), countOf(kept) + ONE_BY_ONE);
  await using spooled = await spoolInput(input, signal);
  await using opened = await locations.open(spooled.path, params.reading.locations, watch);
  // A language model may find other places in the same prose: they are read and stored again.
  const isProse = opened.file.format === 'text' || opened.file.format === 'pdf';
  const total = await countLocations(opened, signal);
  const usable = isProse ? [] : kept;
  const from = countOf(usable);
  progress(from, total, PHASES.read);
  const checks = validate ? { facility: params.reading.facility, repair: 'trusted' as const } : null;
  const done = { count: from, records: () => storedRecords(store, usable.length) };
  const rest = evaluatedLocations(opened, data, checks, config, done, signal);
  const seq = await work({ locations: rest, total, kept: usable, watch });
  watch.endOneByOne();
  return { total, seq, mapping: mappingOf(opened.prepared.tables) };
}

function countOf(kept: readonly Checkpoint[]): number {
  return kept.reduce((sum, { count }) => sum + count, 0);
}

async function countLocations(opened: OpenedLocations, signal: AbortSignal): Promise<number> {
  const total = await opened.inspect(signal);
  const unread = opened.prepared.tables.map((table) => table.unread()).filter((rest) => rest !== null);
  if (total > unread.length) return total;
  const [first] = unread;
  if (first === undefined) throw noLocations();
  const detail = `Reading the file ended its worker process ${first.crashes} times before its first location was read.`;
  throw new Problem('task_failed', detail);
}

interface Keeping {
  readonly parts: BatchParts;
  readonly context: TaskContext;
  readonly options: Pick<BatchOptions, 'statistics' | 'validateLocations' | 'monitoringEnd'>;
  readonly summary: ReturnType<typeof createBatchSummary>;
  readonly phase: string;
}

/** Keeps group after group in the order of the file; how many parts there are then. */
async function keepAll({ locations, total, kept, watch }: Opened, keeping: Keeping): Promise<number> {
  const { parts, context, options, summary, phase } = keeping;
  for (const part of kept) summary.merge(part.summary as PartSummary);
  let seq = kept.length;
  const size = createPartSize();
  let next = countOf(kept);
  const sizeNow = (): number => (watch.isOneByOne ? 1 : size.now());
  const inFlight = watch.isOneByOne ? 1 : GROUPS_IN_FLIGHT;
  const measured = inOrder(groupLocations(locations, sizeNow), inFlight, async (group) => {
    if (!options.statistics) return { group, statistics: [] };
    const statistics = await measureGroup(group, parts, context.signal);
    const isEvaluated = options.validateLocations;
    return { group: isEvaluated ? withFindings(group, statistics, options.monitoringEnd) : group, statistics };
  });
  let last = performance.now();
  for await (const { group, statistics } of measured) {
    const { part, bytes } = await makePart(seq++, group, statistics);
    await context.kept.keep(part, bytes);
    summary.merge(part.summary as PartSummary);
    next = part.first + part.count;
    context.progress(next, total, phase);
    size.took(performance.now() - last);
    last = performance.now();
  }
  return seq;
}

async function measureGroup(
  locations: readonly EvaluatedLocation[],
  { measure }: BatchParts,
  signal: AbortSignal,
): Promise<readonly (PlotStatistics | null)[]> {
  const measurable = locations.filter((location) => location.measurable);
  if (measurable.length === 0) return [];
  const found = await measure(
    measurable.map(({ record: { feature } }) => ({ geometry: feature.geometry, statedHa: areaOf(feature.properties) })),
    signal,
  );
  let next = 0;
  return locations.map((location) => (location.measurable ? (found[next++] ?? null) : null));
}

/** A stated area that is none counts as not stated. */
function areaOf({ area_ha: area }: PlotRecord['feature']['properties']): number | null {
  return typeof area === 'number' && area > 0 ? area : null;
}

async function finish(
  { collection, collectionId }: CollectionTaskParams,
  options: BatchOptions,
  { writeReport }: BatchParts,
  context: TaskContext,
  done: Omit<CollectionTaskSummary, 'report'>,
  total: number,
): ReturnType<TaskHandler> {
  if (!options.eudrDds) return conclude(context, { ...done, report: null });
  context.progress(total, total, PHASES.report);
  const hash = createHash('sha256');
  let size = 0;
  const reported: Collection = {
    ...collection,
    status: 'completed',
    mapping: done.mapping,
    options,
    counts: done.counts,
    locationsConfidence: options.validateLocations ? collectionConfidence(done.confidence) : null,
    confidenceCounts: options.validateLocations ? done.confidence : null,
    confidenceReasons: options.validateLocations ? reasonSentences(done.reasons) : null,
    error: null,
    taskId: null,
    createdAt: new Date(collection.createdAt),
    completedAt: new Date(),
  };
  const records = (): AsyncIterable<PlotRecord> => storedRecords(context.kept, done.parts);
  let digest: ExportDigest | null = null;
  const remember = (found: ExportDigest): void => void (digest = found);
  for await (const bytes of writeReport(reported, records, context.signal, remember)) {
    hash.update(bytes);
    size += bytes.length;
    await context.write(bytes);
  }
  if (size === 0) throw new Error(`the report of the collection ${collectionId} is empty`);
  return { resultType: 'application/zip', summary: { ...done, report: { size, sha256: hash.digest('hex'), digest } } };
}

/** Without a report the results of the task are what it counted. */
async function conclude(context: TaskContext, summary: CollectionTaskSummary): ReturnType<TaskHandler> {
  const { counts, confidence, reasons } = summary;
  const text = JSON.stringify({
    counts,
    confidence_counts: confidence,
    confidence_reasons: reasonSentences(reasons),
  });
  await context.write(new TextEncoder().encode(text));
  return { resultType: 'application/json', summary };
}

/**
 * Validated locations with the check of deforestation that their statistics give, up to the end of the batch's monitoring period,
 * as the fetch endpoint says it. `statistics` has one entry a location, or none at all; null: it was not measured.
 */
function withFindings(
  locations: readonly EvaluatedLocation[],
  statistics: readonly (PlotStatistics | null)[],
  monitoringEnd: string,
): readonly EvaluatedLocation[] {
  return locations.map((location, i) => {
    const measured = statistics[i] ?? null;
    const finding = measured === null ? null : forestFinding(measured, monitoringEnd);
    return finding === null ? location : reevaluate(location, finding);
  });
}
